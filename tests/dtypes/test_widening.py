"""Integers in the upper half of their range, in every engine, combined with every other integer dtype."""

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

CHARS = "?bBhHiIqQ"
REDUCED = ("add", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")


def upper(char):
    """Return values that change if they are reinterpreted with the other signedness."""
    if char == "?":
        return np.array([True, False, True, True, False, True, True, False])
    info = np.iinfo(char)
    return np.array(
        [info.max, info.max - 1, info.max // 2 + 1, 3, info.max - 7, info.min, info.max // 3, 5], char
    )


def written(write):
    """Wrap a function that writes into its first argument; return the changed copy."""

    def call(a, b):
        a = a.copy()
        write(a, b)
        return a

    return call


# Name to a function of two integer arrays.
CALLS = {
    "add": np.add,
    "multiply": np.multiply,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "maximum": np.maximum,
    "less": np.less,
    "equal": np.equal,
    "bitwise_xor": lambda a, b: np.bitwise_xor(a, b),
    "gcd": lambda a, b: np.gcd(a, b),
    "divide": np.divide,
    "outer": np.add.outer,
    "out": written(lambda a, b: np.add(b, b, out=a, casting="unsafe")),
    "at": written(lambda a, b: np.add.at(a, [0, 1, 1, 3], b[:4])),
    "maximum.at": written(lambda a, b: np.maximum.at(a, [0, 1, 1, 3], b[:4])),
    "astype": lambda a, b: a.astype(b.dtype),
    "where": lambda a, b: np.where(a > b, a, b),
    "concatenate": lambda a, b: np.concatenate([a, b]),
    "append": np.append,
    "assignment": written(lambda a, b: a.__setitem__(slice(None), b)),
    "reversed assignment": written(lambda a, b: a.__setitem__(slice(None, None, -1), b)),
    "assignment by indices": written(lambda a, b: a.__setitem__([0, 1, 2], b[:3])),
    "assignment by a mask": written(lambda a, b: a.__setitem__(a > 3, b[0])),
    "putmask": written(lambda a, b: np.putmask(a, a > b, b)),
    "put": written(lambda a, b: np.put(a, [0, 1, 2], b)),
    "place": written(lambda a, b: np.place(a, a > b, b)),
    "copyto": written(lambda a, b: np.copyto(a, b, "unsafe")),
    "insert": lambda a, b: np.insert(a, 1, b),
    "select": lambda a, b: np.select([a > b, a < b], [a, b], 0),
    "choose": lambda a, b: np.choose(a > b, [a, b]),
    "dot": np.dot,
    "matmul": lambda a, b: np.matmul(a[:6].reshape(2, 3), b[:6].reshape(3, 2)),
    "vdot": np.vdot,
    "outer product": np.outer,
    "kron": np.kron,
    "cross": lambda a, b: np.cross(a[:3], b[:3]),
    "einsum": lambda a, b: np.einsum("i,j->ij", a, b),
    "convolve": np.convolve,
    "correlate": lambda a, b: np.correlate(a, b, "full"),
    "polyval": lambda a, b: np.polyval(a[:3], b),
    "searchsorted": lambda a, b: np.searchsorted(np.sort(a), b),
    "digitize": lambda a, b: np.digitize(a, np.sort(b)),
    "isin": np.isin,
    "union1d": np.union1d,
    "clip": lambda a, b: a.clip(b, b),
    "bincount": lambda a, b: np.bincount(a.astype(bool), weights=b),
    "average": lambda a, b: np.average(a, weights=b.astype(bool)),
    "take": lambda a, b: np.take(a, b, mode="clip"),
}  # fmt: skip


def check(call, *hosts):
    expected, error = outcome(lambda: call(*hosts))
    actual, raised = outcome(lambda: call(*[gpunp.asarray(a) for a in hosts]))
    if error is not None:
        assert isinstance(raised, type(error)), f"NumPy raises {error!r}, gpunp {raised!r}"
        return
    if raised is not None:
        raise AssertionError(f"gpunp raised for {[a.dtype for a in hosts]}") from raised
    where = f"of {[a.dtype for a in hosts]}"
    assert_same(actual, expected, exact=np.asarray(expected).dtype.kind not in "fc", where=where)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("char", CHARS)
def test_pairs(char, name, device):
    for other in CHARS:
        check(CALLS[name], upper(char), upper(other))


@pytest.mark.parametrize("to", CHARS + "dD")
@pytest.mark.parametrize("char", CHARS)
def test_reductions_and_scans_widen(char, to, device):
    # One row, many short rows, rows long enough for several blocks, and columns.
    for shape, axis in (((8,), 0), ((1500, 4), 1), ((3, 3000), 1), ((3000, 3), 0), ((40, 200), 0)):
        host = np.resize(upper(char), shape)
        for name in REDUCED if to in CHARS else ("add", "maximum"):
            ufunc = getattr(np, name)
            check(lambda a, f=ufunc: f.reduce(a, axis=axis, dtype=to), host)  # noqa: B023
            check(lambda a, f=ufunc: f.accumulate(a, axis=axis, dtype=to), host)  # noqa: B023
            check(lambda a, f=ufunc: f.reduceat(a, [0, 2, 1], axis=axis, dtype=to), host)  # noqa: B023


@pytest.mark.parametrize("char", CHARS)
@pytest.mark.parametrize(
    "name",
    ["cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod", "sum", "prod",
     "mean", "var", "median", "ptp", "argsort", "sort", "unique", "diff", "trace", "vander", "nansum"],
)  # fmt: skip
def test_one_array(name, char, device):
    host = upper(char)
    function = getattr(np, name)
    check(function, host.reshape(2, 4) if name == "trace" else host)


def test_the_running_sum_of_great_numbers():
    a = gpunp.asarray(np.array([3_000_000_000, 1], "u4"))
    assert np.cumsum(a).tolist() == [3_000_000_000, 3_000_000_001]
    assert np.cumprod(a, dtype="i8").tolist() == [3_000_000_000, 3_000_000_000]
