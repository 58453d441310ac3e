"""Functions of numbers that do not work on whole arrays are compiled."""

import functools
import math
import sys

import numpy as np
import pytest
from records import assert_same

import gpunp
from gpunp.dispatch import hooks

numba = pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def _compiler(device):
    if not device.is_cpu:
        pytest.importorskip("numba_cuda")


def branch(x):
    return x if x > 1 else -x


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def several(x, y):
    if x > y:
        return x, y > 0, 2.5
    return y, False, x / 2


def wave(x):
    return math.exp(x) if x < 0 else 1.0


def inverse(x):
    return 1 / x if x != 3 else 0.0


def turned(z):
    return z * 1j if abs(z) > 1 else z.conjugate()


def choice(x, flag):
    return x if flag else 0 * x


RECORDS = [
    *((branch, char) for char in "edfilqhbFD" if char not in "FD"),
    *((collatz, char) for char in "iBl"),
    *((wave, char) for char in "fd"),
    *((turned, char) for char in "FD"),
]


def values(char, size=40):
    host = np.linspace(-3, 5, size) if char not in "BHILQ" else np.arange(size)
    return (host * (1 + 0.5j) if char in "FD" else host).astype(char)


@pytest.mark.parametrize(("function", "char"), RECORDS)
def test_values_are_numpys(function, char):
    host = values(char)
    expected = np.vectorize(function)(host)
    a = gpunp.asarray(host)
    for vectorized in (gpunp.vectorize(function), np.vectorize(function)):
        actual = vectorized(a)
        assert isinstance(actual, gpunp.ndarray)
        if function is not wave:
            assert actual.dtype == expected.dtype
        tolerance = {"e": 1e-3, "f": 1e-6, "F": 1e-6}.get(char, 1e-14)
        np.testing.assert_allclose(gpunp.asnumpy(actual), expected, tolerance)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2, ::-1],
        lambda a: a.T,
        lambda a: a[:, :1],
        lambda a: a[0],
        lambda a: a[1, 1],
        lambda a: a[:, 1:],
        lambda a: np.broadcast_to(a[:1], (4, 6)),
    ],
)
def test_layouts(view):
    host = np.linspace(-3, 5, 24, dtype="f").reshape(4, 6)
    a = gpunp.asarray(host)
    assert_same(np.vectorize(branch)(view(a)), np.asarray(np.vectorize(branch)(view(host))))
    other = np.arange(6.0)
    expected = np.vectorize(several, otypes="d?f")(host, other)
    for actual, one in zip(np.vectorize(several, otypes="d?f")(a, other), expected, strict=True):
        assert_same(actual, one)


def test_result_dtypes():
    a = gpunp.asarray(np.float32([1, 2, 3]))
    assert [result.dtype.char for result in np.vectorize(several)(a, a)] == ["f", "?", "f"]
    for otypes, expected in (("d", "d"), ("e", "e"), ("i", "i"), ("?", "?"), ([complex], "D")):
        assert np.vectorize(branch, otypes=otypes)(a).dtype == np.dtype(expected)
    assert np.vectorize(branch, otypes="i")(a).tolist() == [-1, 2, 3]
    assert np.vectorize(branch, otypes="?")(a).tolist() == [True] * 3
    with pytest.raises(ValueError, match="returned 3 results, but otypes has 1"):
        np.vectorize(several, otypes="d")(a, a)


def test_arithmetic_does_not_raise():
    """As in array code, and as on a GPU."""
    a = gpunp.asarray(np.float64([0, 1, 3]))
    assert np.vectorize(inverse)(a).tolist() == [np.inf, 1, 0]
    whole = np.vectorize(lambda x: 1 // x if x < 3 else 7)(gpunp.asarray(np.array([0, 1, 3])))
    assert whole.tolist()[1:] == [1, 7]


def test_keywords_excluded_and_bound_arguments():
    def power(x, coefficients, *, scale=1):
        total = 0
        for k in range(len(coefficients)):
            total += coefficients[k] * x**k
        return total * scale if x > 0 else scale

    host = np.arange(-3.0, 4)
    a = gpunp.asarray(host)
    expected = np.vectorize(power, excluded={1})(host, [1, 2], scale=3.0)
    assert_same(np.vectorize(power, excluded={1})(a, [1, 2], scale=3.0), expected, False)
    assert_same(np.vectorize(power, excluded={1, "scale"})(a, np.array([1, 2]), scale=3), expected, False)
    assert_same(gpunp.vectorize(functools.partial(power, coefficients=(1, 2), scale=3.0))(a), expected, False)
    assert np.vectorize(choice, excluded={"flag"})(a, flag=True).tolist() == host.tolist()
    with pytest.raises(TypeError, match="an excluded argument is a device array"):
        np.vectorize(lambda x, table: table[int(x)] if x > 0 else x, excluded={1})(a, gpunp.arange(9))


def test_functions_of_other_kinds():
    a = gpunp.asarray(np.linspace(0.5, 1, 5))
    host = gpunp.asnumpy(a)
    for function in (math.exp, numba.njit(lambda x: x if x > 0.7 else -x), np.sin, lambda x, *rest: x):
        python = getattr(function, "py_func", function)
        assert_same(np.vectorize(function)(a), np.vectorize(python)(host), False)
    assert_same(
        np.vectorize(lambda x, *y: x if x > y[0] else y[1])(a, 0.7, 2.0), np.where(host > 0.7, host, 2.0)
    )


def test_code_is_compiled_at_the_second_call_without_a_try():
    calls = []

    def counted(x):
        calls.append(1)
        return x if x > 1 else -x

    a = gpunp.arange(5.0)
    with pytest.raises(TypeError, match="cannot be compiled"):
        np.vectorize(counted)(a)
    assert len(calls) == 1
    tries = []

    class Noted(gpunp.vectorize):
        def _whole(self, *args):
            tries.append(args)
            return super()._whole(*args)

    for _ in range(2):
        assert Noted(branch)(a).tolist() == [0, -1, 2, 3, 4]
    assert Noted(lambda x: x + 1)(a).tolist() == [1, 2, 3, 4, 5]
    assert len(tries) == 1


def test_a_changed_global_compiles_anew():
    scope = {"limit": 2.0}
    exec("def above(x):\n    return x if x > limit else -x\n", scope)
    a = gpunp.arange(5.0)
    assert np.vectorize(scope["above"])(a).tolist() == [0, -1, -2, 3, 4]
    scope["limit"] = 0.0
    assert np.vectorize(scope["above"])(a).tolist() == [0, 1, 2, 3, 4]


def uncompilable(x):
    return {} if x > 1 else -x


def test_errors_say_both_reasons():
    a = gpunp.arange(4.0)
    with pytest.raises(
        TypeError,
        match=r"(?s)uncompilable does not work on whole arrays \(The truth.*uncompilable "
        r"\(test_compiled.py:\d+\) cannot be compiled: .*gpunp\.where",
    ):
        np.vectorize(uncompilable)(a)
    with gpunp.config.using(fallback="warn"), pytest.warns(gpunp.FallbackWarning, match="uncompilable_on"):
        result = np.vectorize(uncompilable_on_a_device, otypes="d")(a)
    assert result.tolist() == [0, -1, 2, 3]


def uncompilable_on_a_device(x):
    return float(str(x)) if x > 1 else {0: -x}[0]


def test_without_numba(monkeypatch):
    from gpunp.jit import toolchain

    def fresh(x):
        return x if x > 1 else x - 1

    toolchain.load_numba.cache_clear()
    toolchain.load_numba_cuda.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    a = gpunp.arange(4.0)
    with pytest.raises(TypeError, match=r"pip install gpunp\[jit\]"):
        np.vectorize(fresh)(a)
    monkeypatch.undo()
    assert np.vectorize(fresh)(a).tolist() == [-1, 0, 2, 3]


def test_raise_statements(device):
    def checked(x):
        if x > 3:
            raise ValueError("too large")
        return x

    if device.is_cpu:
        assert np.vectorize(checked)(gpunp.arange(3.0)).tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match="too large"):
            np.vectorize(checked)(gpunp.arange(9.0))
    else:
        with pytest.raises(TypeError, match=r"line .* raises an exception, which"):
            np.vectorize(checked)(gpunp.arange(3.0))


def test_size_zero_and_host_calls():
    with pytest.raises(ValueError, match="size 0"):
        np.vectorize(branch)(gpunp.zeros(0))
    assert np.vectorize(branch, otypes="f")(gpunp.zeros((0, 2))).shape == (0, 2)
    assert type(np.vectorize(branch)(np.arange(3))) is np.ndarray
    assert np.vectorize(signature="(n)->()", pyfunc=lambda x: x.sum())(gpunp.ones((2, 3))).tolist() == [3, 3]


def test_hook_is_reversible():
    handlers = {"vectorize.__call__": "gpunp.interop.numpy_vectorize:call"}
    hooks.remove("numpy", handlers)
    try:
        assert not hooks.is_hooked(np.vectorize.__call__)
        assert np.vectorize(branch)(np.arange(3)).tolist() == [0, -1, 2]
    finally:
        hooks.install("numpy", handlers)
    assert hooks.is_hooked(np.vectorize.__call__)
    assert isinstance(np.vectorize(branch)(gpunp.arange(3)), gpunp.ndarray)


def test_fromfunction():
    def lower(i, j):
        return 1.0 if i > j else 0.5 if i == j else 0.0

    like = gpunp.zeros(1)
    expected = np.vectorize(lower)(*np.indices((3, 4)))
    assert_same(np.fromfunction(lower, (3, 4), like=like), expected)
    assert_same(
        np.fromfunction(lambda i, j, k: i if i > k else j, (3, 4), like=like, dtype=int, k=1),
        np.fromfunction(lambda i, j, k: np.where(i > k, i, j), (3, 4), dtype=int, k=1),
    )
    pair = np.fromfunction(lambda i: (i, 1.0) if i > 1 else (-i, 0.0), (4,), like=like)
    assert [one.tolist() for one in pair] == [[0, -1, 2, 3], [0, 0, 1, 1]]
    with pytest.raises(ValueError, match="truth value") as info:
        np.fromfunction(uncompilable, (3,), like=like)
    assert any("cannot be compiled" in note for note in info.value.__notes__)


def longest_run(row, limit, scale=1):
    best = run = 0
    for value in row:
        run = run + 1 if value > limit else 0
        best = max(best, run)
    return best * scale


def extremes(row):
    low = high = row[0]
    for i in range(1, row.size):
        low, high = min(low, row[i]), max(high, row[i])
    return low, high


def rooted(row):
    total = 0
    for _, value in enumerate(row):
        total += value * value
    return total**0.5


def mean_of_loop(row):
    total = 0
    for value in row:
        total += value
    return total / np.mean(row)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("char", "fdi")
@pytest.mark.parametrize(
    ("function", "args"),
    [(longest_run, (0.5,)), (longest_run, (0.5, 2)), (extremes, ()), (rooted, ()), (mean_of_loop, ())],
)
def test_apply_along_axis(function, args, axis, char):
    host = (np.random.default_rng(3).random((3, 4, 5)) * (10 if char == "i" else 1)).astype(char)
    a = gpunp.asarray(host)
    expected = np.apply_along_axis(function, axis, host, *args)
    actual = np.apply_along_axis(function, axis, a, *args)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, 1e-6 if char == "f" else 1e-14)


def test_apply_along_axis_compiles_only_loops():
    from gpunp.functional.compiled import compiled_slices, has_loop

    rows = gpunp.ones((4, 5))
    assert has_loop(extremes)
    assert not has_loop(lambda row: row.sum())
    assert not has_loop(np.sum)
    assert compiled_slices(mean_of_loop, rows, (), {}) is None
    assert compiled_slices(extremes, rows, (), {}).shape == (4, 2)
    assert compiled_slices(longest_run, rows, (), {"limit": 0.5}).tolist() == [5] * 4
    with pytest.raises(TypeError, match="missing"):
        np.apply_along_axis(longest_run, 0, rows)
