"""Statements with less common functions."""

import numpy as np
from registry import ARITHMETIC, CLOSE, EXACT, POWER, SUMMED, command, expression, keywords, statement


def is_plain(value):
    """Whether a value is an array and not a NumPy scalar."""
    return isinstance(value, np.ndarray)


@statement(2)
def sharing(g):
    names = g.names(is_plain)
    if len(names) < 2:
        return expression(g.literal().text)
    first, second = g.rng.sample(names, 2)
    name = g.choice(["shares_memory", "may_share_memory", "shares_memory"])
    return expression(f"np.{name}({first}, {g.view(second, g.variables[second])})")


@statement(1)
def types(g):
    a, b = g.array(is_plain, view=0), g.partner((3,))
    name = g.choice(["result_type", "can_cast", "common_type", "array2string", "array_repr", "array_str"])
    if name == "result_type":
        return expression(f"np.result_type({a}, {b})")
    if name == "can_cast":
        return expression(
            f"np.can_cast(({a}).dtype, {g.dtype()!r}, {g.choice(['safe', 'same_kind', 'no'])!r})"
        )
    if name.startswith("array"):
        a = g.array(lambda v: is_plain(v) and v.dtype.kind in "biu", view=0)
    return expression(f"np.{name}({a})")


@statement(1)
def joined_and_split(g):
    a = g.array()
    how = g.random()
    if how < 0.3:
        b = g.with_shape(a.shape)
        return expression(
            f"np.block({g.choice(['[{0}, {1}]', '[[{0}], [{1}]]', '[[{0}, {1}]]'])})".format(a, b)
        )
    if how < 0.6:
        return expression(
            f"np.{g.choice(['hsplit', 'vsplit', 'dsplit'])}({a}, {g.choice(['1', '[1]', '[0, 2]'])})[0]"
        )
    if how < 0.8:
        return expression(f"np.unstack({a}, axis={g.axis(a.ndim)})[-1]")
    return expression(f"np.rollaxis({a}, {g.axis(a.ndim)}, {g.below(3)})")


@statement(1.5)
def general_functions(g):
    """Functions of NumPy that also exist as methods or operators."""
    a = g.array()
    how = g.random()
    if how < 0.2:
        return expression(f"np.astype({g.array(is_plain, view=0)}, {g.dtype()!r})")
    if how < 0.4:
        return expression(f"np.reshape({a}, {g.choice(['-1', '(-1, 1)', '(1, -1)'])})")
    if how < 0.6:
        name = g.choice(["sum", "max", "cumsum", "sort"])
        a = g.array(lambda v: v.ndim)
        return expression(f"np.apply_along_axis(np.{name}, {g.axis(a.ndim)}, {a})", SUMMED)
    if how < 0.7:
        return expression(f"np.apply_over_axes(np.sum, {a}, [{g.axis(a.ndim)}])", SUMMED)
    if how < 0.85:
        return expression(f"np.unwrap({g.array(kinds='fi')}, axis={g.axis(a.ndim)})", SUMMED)
    low = g.mask(a.shape)
    return expression(f"np.piecewise({a}, [{low}, ~{low}], [{g.scalar('i')}, {g.scalar('i')}])")


@statement(1.5)
def real_or_complex(g):
    name = g.choice(["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh", "power", "logn"])
    a = g.array()
    if name == "power":
        return expression(f"np.emath.power({a}, {g.choice(['2', '0.5', '-1'])})", POWER)
    if name == "logn":
        return expression(f"np.emath.logn(2, {a})", SUMMED)
    return expression(f"np.emath.{name}({a})", SUMMED)


@statement(1.5)
def indices(g):
    a = g.array(is_plain)
    how = g.random()
    if how < 0.2:
        return expression(
            f"np.ix_({g.indices(3, (2,), lists=False)}, {g.indices(3, (3,), lists=False)})", EXACT, 2
        )
    if how < 0.4:
        return expression(f"np.unravel_index({g.indices(6, lists=False)}, (2, 3))", EXACT, 2)
    if how < 0.6:
        rows, columns = (f"A({[g.below(3) for _ in range(3)]!r}, 'i8', (3,))" for _ in "12")
        mode = keywords(mode=repr(g.choice(["clip", "wrap"])) if g.chance(0.5) else None)
        return expression(f"np.ravel_multi_index(({rows}, {columns}), (3, 3){mode})")
    if how < 0.75:
        name = g.choice(["tril_indices_from", "triu_indices_from"])
        return expression(f"np.{name}({g.array(is_plain, ndim=2)}, {g.below(3) - 1})", EXACT, 2)
    target = g.target()
    if target is None or not g.variables[target].ndim:
        return expression(f"np.argwhere({a})")
    shape = g.variables[target].shape
    lane = (*shape[:-1], 1)
    places = g.indices(shape[-1], lane, lists=False)
    return command(f"np.put_along_axis({target}, {places}, {g.with_shape(lane)}, axis=-1)")


@statement(1.5)
def more_sets(g):
    how = g.random()
    if how < 0.3:
        return expression(f"np.unique_counts({g.array()})", EXACT, 2)
    if how < 0.5:
        return expression(f"np.unique_inverse({g.array()})", EXACT, 2)
    if how < 0.7:
        return expression(f"np.sort(np.unique_values({g.array()}))")
    a = g.array(is_plain, "iuf", ndim=1)
    if how < 0.85:
        ranges = "range=((-4, 8), (-4, 8))"
        return expression(
            f"np.histogram2d({a}, {g.with_shape(a.shape, 'iuf')}, {1 + g.below(3)}, {ranges})[0]", SUMMED
        )
    return expression(f"np.histogram_bin_edges({a}, {1 + g.below(5)}, range=(0, {1 + g.below(5)}))", CLOSE)


@statement(2)
def decompositions(g):
    """Decompositions of well-conditioned matrices; of vectors, only quantities independent of their sign."""
    n = 2 + g.below(3)
    rows = [[g.below(5) - 2 + (20 + 3 * i if i == j else 0) for j in range(n)] for i in range(n)]
    symmetric = [[rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    dtype = g.choice(["f8", "f4", "i8"])
    a, s = (f"A({each!r}, {dtype!r}, ({n}, {n}))" for each in (rows, symmetric))
    b = f"A({[g.below(9) - 4 for _ in range(n)]!r}, {dtype!r}, ({n},))"
    return expression(
        g.choice(
            [
                f"np.linalg.slogdet({a})[1]",
                f"np.linalg.lstsq({a}, {b})[0]",
                f"np.linalg.eigh({s})[0]",
                f"np.linalg.svd({a})[1]",
                f"abs(np.linalg.qr({a})[1])",
                f"np.sort(np.linalg.eigvals({s}))",
                f"np.linalg.multi_dot([{a}, {s}, {b}])",
                f"np.linalg.tensorsolve({a}, {b})",
                f"np.linalg.tensorinv({a}, ind=1)",
                f"np.matvec({a}, {b})",
                f"np.vecmat({b}, {a})",
                f"np.linalg.matrix_norm({a}, ord={g.choice(['1', '2', '-2', repr('nuc')])})",
            ]
        ),
        SUMMED,
    )


@statement(1.5)
def vectors(g):
    a = g.array(is_plain)
    how = g.random()
    if how < 0.3:
        return expression(f"np.cross({g.literal((2, 3))}, {g.literal((3,))})", SUMMED)
    if how < 0.5:
        return expression(
            f"np.linalg.vector_norm({a}{keywords(axis=g.axis(a.ndim) if g.chance(0.6) else None)})", SUMMED
        )
    if how < 0.6:
        return expression(f"np.linalg.{g.choice(['trace', 'diagonal', 'matrix_transpose'])}({a})", SUMMED)
    if how < 0.8:
        names = ["fftn", "ifftn", "rfft2", "irfft2", "irfftn"]
        return expression(f"np.fft.{g.choice(names)}({g.array(is_plain, ndim=2)})", SUMMED)
    one, other = (g.array(lambda v: is_plain(v) and v.size, ndim=1) for _ in "12")
    if how < 0.9:
        return expression(f"np.poly({one})", SUMMED)
    return expression(
        f"np.{g.choice(['logspace', 'geomspace'])}(1, {2 + g.below(5)}, {g.below(6)}, like={other})", CLOSE
    )


@statement(1)
def multiplied(g):
    """Augmented assignments to views, whose elements are read and written in one statement."""
    target = g.target()
    if target is None or g.variables[target].ndim == 0:
        return expression(g.literal().text)
    view = g.choice(["[::-1]", "[1:]", "[:-1]", "[..., ::-1]", "[...]"])
    other = g.choice(["[::-1]", "[:-1]", "[1:]", "[..., ::-1]", ""])
    return command(f"{target}{view} {g.choice(['+=', '-=', '*=', '=', '|='])} {target}{other}", ARITHMETIC)
