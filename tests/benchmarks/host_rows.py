"""The rows of the table of the CPU device: plain NumPy calls, chains of them, and calls on eight elements.

A row is an expression, which is evaluated once with NumPy arrays and once with those of gpunp. The names in
it are the arrays of `make_arrays`, the functions of `CHAINS`, and ``np``, ``special`` and ``rng``.
"""

from dataclasses import dataclass

import numpy as np

CALLS, CHAINED, TINY = "calls", "chains", "tiny"


@dataclass(frozen=True)
class HostRow:
    """One line of the table.

    Attributes
    ----------
    name : str
        The name for ``python tests/benchmarks --device cpu NAME``.
    code : str
        The expression.
    group : {"calls", "chains", "tiny"}
        The part of the table that it belongs to; each has its own mean.
    torch : str or None
        The same for PyTorch, which is also called ``np`` there, or None if it has no such function.
    numexpr : str or None
        The same for NumExpr.
    exact : bool
        Whether the result does not depend on rounding or random numbers.
    """

    name: str
    code: str
    group: str
    torch: str | None = None
    numexpr: str | None = None
    exact: bool = True


def make_arrays(elements):
    """NumPy arrays of up to ``elements`` elements, a power of two, by name.

    With 2^25, the arrays have 2^22 to 2^25 elements, and 32 to 128 MiB.
    """
    rng = np.random.default_rng(3)
    half, quarter, eighth = elements // 2, elements // 4, elements // 8
    side = 1 << (half.bit_length() // 2)
    square_side = 1 << ((eighth.bit_length() - 1) // 2)
    single = rng.random((2, half), dtype=np.float32) + np.float32(0.5)
    double = rng.random((2, quarter)) + 0.5
    whole = rng.integers(1, 1 << 20, (2, half), dtype=np.int32)
    matrix = single[0].reshape(side, -1)
    x = double[0].copy()
    return {
        "a": single[0].copy(),
        "b": single[1].copy(),
        "out": np.empty_like(single[0]),
        "x": x,
        "y": double[1].copy(),
        "i": whole[0].copy(),
        "j": whole[1].copy(),
        "A": matrix.copy(),
        "row": matrix[0].copy(),
        "column": matrix[:, :1].copy(),
        "square": x[: square_side**2].reshape(square_side, -1).copy(),
        "z": (x[:eighth] + 1j * double[1][:eighth]),
        "h": single[0].astype(np.float16),
        "u": rng.integers(0, 256, elements, dtype=np.uint8),
        "m": rng.random(half) < 0.5,
        # Written, as pages that nobody wrote to are all the same page, in the cache.
        "never": np.full(elements, False),
        "k": rng.integers(0, quarter, quarter),
        "r": rng.integers(0, side, side),
        "labels": rng.integers(0, 1000, quarter),
        "ordered": np.sort(x[:eighth]),
        "years": rng.uniform(0.25, 2, half).astype(np.float32),
        "s": np.linspace(0.5, 1.5, 8),
        "t": np.linspace(1.5, 0.5, 8),
    }


def normal_distribution(np, x):
    k = 1 / (1 + 0.2316419 * np.abs(x))
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * tail
    return np.where(x > 0, 1 - tail, tail)


def black_scholes(np, price, strike, years, rate=0.02, volatility=0.3):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    return price * normal_distribution(np, d1) - discounted * normal_distribution(np, d2)


def softmax(np, m):
    powers = np.exp(m - np.amax(m, 1)[:, None])
    return powers / np.sum(powers, 1)[:, None]


def stencil(np, m):
    return 0.2 * (m[1:-1, 1:-1] + m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:])


def zscore(np, m):
    return (m - m.mean(0)) / m.std(0)


def sum_of_squares(np, x, y):
    return np.sum((x - y) ** 2)


CHAINS = {f.__name__: f for f in (black_scholes, softmax, stencil, zscore, sum_of_squares)}

# Black-Scholes in one expression, as users of NumExpr write it.
_TAIL = (
    "0.3989422804014327*exp(-0.5*({d})**2)*(1/(1+0.2316419*abs({d})))*(0.31938153+(1/(1+0.2316419*abs({d})))*("
    "-0.356563782+(1/(1+0.2316419*abs({d})))*(1.781477937+(1/(1+0.2316419*abs({d})))*(-1.821255978+"
    "(1/(1+0.2316419*abs({d})))*1.330274429))))"
)
_D1 = "((log(a/b)+0.065*years)/(0.3*sqrt(years)))"
_D2 = f"({_D1}-0.3*sqrt(years))"
_CDF = "where({d}>0,1-{tail},{tail})"
_BLACK_SCHOLES = (
    f"a*{_CDF.format(d=_D1, tail=_TAIL.format(d=_D1))}"
    f"-b*exp(-0.02*years)*{_CDF.format(d=_D2, tail=_TAIL.format(d=_D2))}"
)


def call(name, code, torch=None, numexpr=None, *, exact=True):
    return HostRow(name, code, CALLS, torch, numexpr, exact)


def chain(name, code, numexpr=None):
    return HostRow(name, code, CHAINED, code, numexpr, exact=False)


def tiny(name, code, torch=None):
    return HostRow(name, code, TINY, torch)


HOST_ROWS = (
    # Elementwise.
    call("add", "a + b", "a + b", "a + b"),
    call("add_out", "np.add(a, b, out=out)", "np.add(a, b, out=out)"),
    call("multiply_scalar", "x * 2", "x * 2", "x * 2"),
    call("divide", "a / b", "a / b", "a / b"),
    call("add_integers", "i + j", "i + j", "i + j"),
    call("floor_divide_integers", "i // j", "i // j"),
    call("remainder_integers", "i % j", "i % j", "i % j"),
    call("bitwise_and", "i & j", "i & j", "i & j"),
    call("add_halves", "h + h", "h + h"),
    call("multiply_complex", "z * z", "z * z", "z * z", exact=False),
    call("abs_complex", "np.abs(z)", "np.abs(z)", exact=False),
    call("less", "a < b", "a < b", "a < b"),
    call("maximum", "np.maximum(a, b)", "np.maximum(a, b)"),
    call("where", "np.where(m, a, b)", "np.where(m, a, b)", "where(m, a, b)"),
    call("clip", "np.clip(a, 0.7, 1.2)", "np.clip(a, 0.7, 1.2)"),
    call("isnan", "np.isnan(a)", "np.isnan(a)"),
    call("floor", "np.floor(x)", "np.floor(x)", "floor(x)"),
    call("sqrt", "np.sqrt(a)", "np.sqrt(a)", "sqrt(a)"),
    call("square", "x ** 2", "x ** 2", "x ** 2"),
    call("exp_single", "np.exp(a)", "np.exp(a)", "exp(a)", exact=False),
    call("exp", "np.exp(x)", "np.exp(x)", "exp(x)", exact=False),
    call("log", "np.log(x)", "np.log(x)", "log(x)", exact=False),
    call("sin", "np.sin(x)", "np.sin(x)", "sin(x)", exact=False),
    call("cos_single", "np.cos(a)", "np.cos(a)", "cos(a)", exact=False),
    call("tanh", "np.tanh(x)", "np.tanh(x)", "tanh(x)", exact=False),
    call("power", "x ** y", "x ** y", "x ** y", exact=False),
    call("arctan2", "np.arctan2(x, y)", "np.arctan2(x, y)", "arctan2(x, y)", exact=False),
    call("erf", "special.erf(x)", "np.special.erf(x)", exact=False),
    call("astype", "a.astype(np.float64)", "a.to(np.float64)"),
    call("add_row", "A + row", "A + row"),
    call("multiply_column", "A * column", "A * column"),
    call("add_transposed", "square + square.T", "square + square.T"),
    # Reductions and scans.
    call("sum", "np.sum(a)", "np.sum(a)", "sum(a)", exact=False),
    call("mean", "np.mean(x)", "np.mean(x)", exact=False),
    call("std", "np.std(x)", "np.std(x, correction=0)", exact=False),
    call("max", "np.max(a)", "np.max(a)"),
    call("argmax", "np.argmax(x)", "np.argmax(x)"),
    call("sum_columns", "np.sum(A, axis=0)", "np.sum(A, dim=0)", exact=False),
    call("sum_rows", "np.sum(A, axis=1)", "np.sum(A, dim=1)", exact=False),
    call("any", "np.any(never)", "np.any(never)"),
    call("all", "np.all(m)", "np.all(m)"),
    call("count_nonzero", "np.count_nonzero(m)", "np.count_nonzero(m)"),
    call("cumsum", "np.cumsum(x)", "np.cumsum(x, 0)", exact=False),
    call("diff", "np.diff(x)", "np.diff(x)"),
    # Sorting, searching, counting.
    call("sort", "np.sort(a)", "np.sort(a)"),
    call("sort_integers", "np.sort(i)", "np.sort(i)"),
    call("argsort", "np.argsort(x[: len(x) // 2])", "np.argsort(x[: len(x) // 2])", exact=False),
    call("searchsorted", "np.searchsorted(ordered, x)", "np.searchsorted(ordered, x)"),
    call("unique", "np.unique(labels)", "np.unique(labels)"),
    call("median", "np.median(x)", exact=False),
    call("bincount", "np.bincount(labels)", "np.bincount(labels)"),
    call("histogram", "np.histogram(a, 100, (0.5, 1.5))[0]", "np.histc(a, 100, 0.5, 1.5)"),
    # Indexing.
    call("take", "x[k]", "x[k]"),
    call("take_rows", "np.take(A, r, axis=0)", "np.index_select(A, 0, r)"),
    call("mask", "a[m]", "a[m]"),
    call("nonzero", "np.nonzero(m)[0]", "np.nonzero(m)"),
    # Copies.
    call("copy", "a.copy()", "a.clone()"),
    call("copy_transposed", "A.T.copy()", "A.T.contiguous()"),
    call("flip", "np.flip(x).copy()", "np.flip(x, (0,))"),
    call("concatenate", "np.concatenate((x, y))", "np.concatenate((x, y))"),
    call("roll", "np.roll(a, 5)", "np.roll(a, 5)"),
    call("repeat", "np.repeat(x[: len(x) // 2], 2)", "np.repeat_interleave(x[: len(x) // 2], 2)"),
    call("zeros", "np.zeros(a.shape, a.dtype, like=a)", "np.zeros(a.shape)"),
    call("add_bytes", "u + u", "u + u"),
    # Others.
    call("random", "rng.random(len(x))", "np.rand(len(x))", exact=False),
    call("normal", "rng.standard_normal(len(x))", "np.randn(len(x))", exact=False),
    call("fft", "np.fft.fft(z)", "np.fft.fft(z)", exact=False),
    call("rfft2", "np.fft.rfft2(square)", "np.fft.rfft2(square)", exact=False),
    call("matmul", "square[:1024, :1024] @ square[:1024, :1024]", exact=False),
    # Chains.
    chain("black_scholes", "black_scholes(np, a, b, years)", _BLACK_SCHOLES),
    chain("softmax", "softmax(np, A)"),
    chain("stencil", "stencil(np, A)"),
    chain("zscore", "zscore(np, A)"),
    chain("sum_of_squares", "sum_of_squares(np, a, b)", "sum((a - b)**2)"),
    # Calls on eight elements.
    tiny("tiny_add", "np.add(s, t)", "np.add(s, t)"),
    tiny("tiny_operator", "s + t", "s + t"),
    tiny("tiny_item", "s[3]", "s[3]"),
    tiny("tiny_float", "float(s[3])", "float(s[3])"),
    tiny("tiny_dot", "s @ s", "s @ s"),
    tiny("tiny_sum", "np.sum(s)", "np.sum(s)"),
    tiny("tiny_copy", "s.copy()", "s.clone()"),
    tiny("tiny_zeros", "np.zeros(8, like=s)", "np.zeros(8)"),
    tiny("tiny_reshape", "s.reshape(2, 4)", "s.reshape(2, 4)"),
    tiny("tiny_less", "s < t", "s < t"),
)
