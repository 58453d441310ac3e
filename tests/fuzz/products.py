"""Statements with matrix products, decompositions, Fourier transforms, polynomials and interpolation."""

from registry import CLOSE, SUMMED, expression, keywords, statement

SUBSCRIPTS = [
    "ij->ji",
    "ij->i",
    "ij->",
    "ii->i",
    "ii",
    "ij,jk->ik",
    "ij,kj",
    "i,i->",
    "i,j->ij",
    "ij,j",
    "...i->...",
    "i,ij->j",
    "ij,ij->ij",
    "i->",
    "ij->j",
]


@statement(3)
def products(g):
    how = g.random()
    a = g.array(lambda v: v.ndim)
    n = a.shape[-1] if a.ndim else 1
    if how < 0.45:
        b = (
            g.with_shape(g.choice([(n,), (n, 2), (n, 3), (2, n, 2)]))
            if g.chance(0.85)
            else g.array(lambda v: v.ndim)
        )
        form = g.choice(["np.matmul({}, {})", "np.dot({}, {})", "({}) @ ({})"])
        return expression(form.format(a, b), SUMMED)
    if how < 0.6:
        b = g.with_shape(g.choice([(n,), (2, n)]))
        return expression(f"np.{g.choice(['inner', 'vecdot', 'vdot', 'kron', 'outer'])}({a}, {b})", SUMMED)
    if how < 0.7:
        b = g.with_shape(g.choice([(n, 2), (n,)]))
        return expression(f"np.tensordot({a}, {b}, axes={g.choice(['0', '1'])})", SUMMED)
    subscripts = g.choice(SUBSCRIPTS)
    lengths = {}
    operands = []
    for part in subscripts.split("->")[0].split(","):
        letters = part.replace("...", "")
        shape = tuple(lengths.setdefault(letter, g.choice([1, 2, 3, 3])) for letter in letters)
        operands.append(g.with_shape(shape).text)
    return expression(f"np.einsum({subscripts!r}, {', '.join(operands)})", SUMMED)


@statement(2)
def matrices(g):
    """A well-conditioned matrix: random small integers with a large diagonal."""
    n = 1 + g.below(4)
    values = [[g.below(5) - 2 + (20 if i == j else 0) for j in range(n)] for i in range(n)]
    dtype = g.choice(["f8", "f8", "f4", "c16", "i8"])
    a = f"A({values!r}, {dtype!r}, ({n}, {n}))"
    b = f"A({[g.below(9) - 4 for _ in range(n)]!r}, {g.choice(['f8', 'f4', 'i8'])!r}, ({n},))"
    how = g.random()
    if how < 0.25:
        return expression(f"np.linalg.solve({a}, {b})", SUMMED)
    if how < 0.6:
        return expression(f"np.linalg.{g.choice(['inv', 'det', 'pinv', 'matrix_rank', 'cond'])}({a})", SUMMED)
    if how < 0.75:
        symmetric = [[values[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        return expression(
            f"np.linalg.{g.choice(['eigvalsh', 'cholesky'])}(A({symmetric!r}, 'f8', ({n}, {n})))", SUMMED
        )
    if how < 0.85:
        return expression(f"np.linalg.matrix_power({a}, {g.below(4)})", SUMMED)
    return expression(f"np.linalg.svdvals({a})", SUMMED)


@statement(1.5)
def norms(g):
    a = g.array()
    order = g.choice([None, None, "1", "2", "np.inf", "-np.inf", "0", "'fro'"])
    axis = g.axis(a.ndim) if g.chance(0.5) else None
    how = keywords(ord=order, axis=axis, keepdims="True" if g.chance(0.2) else None)
    if g.chance(0.2):
        return expression(f"np.trace({a}, {g.below(3) - 1})", SUMMED)
    return expression(f"np.linalg.norm({a}{how})", SUMMED)


@statement(2)
def transforms(g):
    name = g.choice(
        ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftshift", "ifftshift", "fft2", "ifft2", "rfftn"]
    )
    a = g.array(
        lambda v: v.ndim > (name in ("fft2", "ifft2")), "biuf" if name in ("rfft", "ihfft", "rfftn") else None
    )
    if name.endswith("shift"):
        return expression(f"np.fft.{name}({a}, {g.axis(a.ndim)})")
    norm = keywords(norm=repr(g.choice(["ortho", "forward"])) if g.chance(0.3) else None)
    if name[-1] in "2n":
        return expression(f"np.fft.{name}({a}{norm})", SUMMED)
    n = keywords(n=str(1 + g.below(7)) if g.chance(0.3) else None)
    return expression(f"np.fft.{name}({a}{n}, axis={g.axis(a.ndim)}{norm})", SUMMED)


@statement(1.5)
def polynomials(g):
    a, b = (g.array(lambda v: v.size, ndim=1) for _ in range(2))
    how = g.random()
    if how < 0.3:
        return expression(f"np.polyval({a}, {g.array()})", SUMMED)
    if how < 0.6:
        return expression(f"np.{g.choice(['polyadd', 'polysub', 'polymul'])}({a}, {b})", SUMMED)
    if how < 0.7:
        return expression(f"np.{g.choice(['polyder', 'polyint'])}({a})", SUMMED)
    mode = g.choice(["full", "same", "valid"])
    return expression(f"np.{g.choice(['convolve', 'correlate'])}({a}, {b}, {mode!r})", SUMMED)


@statement(1)
def interpolation(g):
    points = sorted({g.below(20) - 8 for _ in range(2 + g.below(5))})
    values = [g.below(9) - 3 for _ in points]
    x = g.array(kinds="iuf")
    return expression(f"np.interp({x}, A({points!r}, 'f8'), A({values!r}, 'f8'))", SUMMED)


@statement(1)
def bits(g):
    if g.chance(0.5):
        return expression(f"np.packbits({g.array(kinds='b')}{keywords(axis=g.choice([None, '-1']))})")
    return expression(
        f"np.unpackbits({g.array(lambda v: v.dtype == 'uint8')}{keywords(axis=g.choice([None, '-1']))})"
    )


@statement(1)
def windows_and_spaces(g):
    if g.chance(0.5):
        a = g.array(lambda v: v.size > 1, ndim=1)
        return expression(f"np.lib.stride_tricks.sliding_window_view({a}, {1 + g.below(3)})")
    start, stop = g.array(lambda v: v.ndim < 2, "iuf"), g.scalar("i")
    return expression(f"np.linspace({start}, {stop}, {g.below(6)}, endpoint={g.chance(0.7)})", CLOSE)
