"""Results of compiled functions have the dtypes of NumPy's rules, and are computed in them."""

import math

import numpy as np
import pytest

from gpunp import Device
from gpunp.compiler import compile_source
from gpunp.custom.source import elementwise_source
from gpunp.jit.functions import Constant
from gpunp.jit.scalars import compile_scalar
from gpunp.jit.toolchain import NotCompiled
from gpunp.jit.ufuncs import ALIKE

pytest.importorskip("numba")

CPU = Device("cpu")
# The role of an operand with aligned vectors in the plan of an elementwise kernel.
ALIGNED = 2


class Cuda:
    """Stands for a CUDA device to compile for."""

    is_cpu = False

    def __init__(self, major, minor):
        self.compute_capability = major, minor


HOPPER = Cuda(9, 0)
LIMIT = 3


def leaky(x):
    return x if x > 0 else 0.1 * x


def relu(x):
    return 0 if x < 0 else x


def escapes(c):
    z = 0.0
    for i in range(20):
        if z * z > 4.0:
            return i
        z = z * z + c
    return 20


def accumulated(x):
    s = 0
    for i in range(4):
        s += x * i
    return s


def halves(x, y=2):
    if x > y:
        return x // 2, x / 2
    return x, 0.0


def clipped(x):
    return max(0.0, min(x, LIMIT))


def previous(x):
    return x - 1 if x > 0 else x


def wave(x):
    return math.sin(x) if x > 0 else 1.0


def times_wave(x):
    return math.sin(x) * x


def helper(a):
    return a * 2 if a > 1 else a


def calls_helper(x):
    return helper(x) + 1


def turned(z):
    return z * 2 if abs(z) > 1 else z.real * 1j


def between(x):
    return x > 1 and x < 3


def numpy_functions(x):
    return np.maximum(x, 0.5) if x > 0 else np.sqrt(-x)


def converted(x):
    return np.float32(x) if x > 1 else np.float32(0)


def swapped(x, y):
    for _ in range(1):
        x, y = y, x
    return x + 0 * y


RECORDS = [
    (leaky, "f", "f"),
    (leaky, "d", "d"),
    (leaky, "e", "e"),
    (leaky, "i", "d"),
    (relu, "f", "f"),
    (relu, "B", "B"),
    (relu, "?", "l"),
    (escapes, "f", "l"),
    (accumulated, "f", "f"),
    (accumulated, "b", "b"),
    (halves, "h", "ld"),
    (clipped, "f", "f"),
    (clipped, "i", "d"),
    (previous, "L", "L"),
    (previous, "B", "B"),
    (wave, "f", "d"),
    (times_wave, "f", "f"),
    (calls_helper, "f", "f"),
    (turned, "F", "F"),
    (turned, "D", "D"),
    (between, "f", "?"),
    (numpy_functions, "f", "f"),
    (converted, "d", "f"),
]


@pytest.mark.parametrize(("function", "char", "results"), RECORDS)
def test_dtypes(function, char, results):
    compiled = compile_scalar(function, [np.dtype(char)], {}, CPU)
    # Python's integers are int64, which is "q" or "l".
    assert compiled.dtypes == [np.dtype("int64" if each == "l" else each) for each in results]
    assert compiled.is_tuple == (len(results) > 1)


@pytest.mark.parametrize(("function", "char", "results"), RECORDS)
def test_dtypes_on_cuda(function, char, results):
    pytest.importorskip("numba_cuda")
    compiled = compile_scalar(function, [np.dtype(char)], {}, HOPPER)
    assert compiled.dtypes == [np.dtype("int64" if each == "l" else each) for each in results]


@pytest.mark.parametrize("target", [Cuda(7, 5), HOPPER], ids=["7.5", "9.0"])
@pytest.mark.parametrize(
    ("function", "char"),
    [(leaky, "f"), (escapes, "f"), (halves, "h"), (turned, "F"), (between, "e"), (relu, "?")],
)
def test_code_links_into_elementwise_kernels(function, char, target):
    """Without a GPU: the source that a launch on aligned arrays would compile."""
    pytest.importorskip("numba_cuda")
    kernel = compile_scalar(function, [np.dtype(char)], {}, target).kernel
    codes = tuple(parameter.code for parameter in kernel.params)
    forms = [("array", ALIGNED)] * len(codes)
    source = elementwise_source(kernel, codes, forms, (1, 4, 4, False), 256, None)
    major, minor = target.compute_capability
    assert compile_source(str(source), 10 * major + minor, link=kernel.link).image[:4] == b"\x7fELF"


@pytest.mark.parametrize("char", "fdD")
@pytest.mark.parametrize("ufunc", ALIKE, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_that_numba_cuda_lacks(ufunc, char):
    pytest.importorskip("numba_cuda")
    x = np.dtype(char)
    if char == "D" and ufunc not in (np.exp, np.sqrt, np.absolute, np.add, np.multiply):
        pytest.skip("of real numbers")
    expected = ufunc.resolve_dtypes((x,) * ufunc.nin + (None,))[-1]
    function = (lambda x: ufunc(x)) if ufunc.nin == 1 else (lambda x, y: ufunc(x, y))
    assert compile_scalar(function, [x] * ufunc.nin, {}, HOPPER).dtypes == [expected]


def test_raise_is_refused_on_cuda():
    pytest.importorskip("numba_cuda")

    def checked(x):
        assert x > 0
        return x

    with pytest.raises(NotCompiled, match=r"line \d+ raises an exception"):
        compile_scalar(checked, [np.dtype("f")], {}, HOPPER)


def test_numpy_computes_the_same_dtypes():
    """Where both branches have the same dtype, NumPy's own scalars are the reference."""
    for function, char, results in RECORDS:
        if function in (relu, wave, turned, halves, clipped, accumulated) or (function, char) == (leaky, "i"):
            continue
        expected = np.asarray(function(np.dtype(char).type(2))).dtype
        assert expected == np.dtype("int64" if results == "l" else results), (function, char)


@pytest.mark.parametrize("char", "fFL")
def test_code_computes_in_the_dtype(char):
    """No number of the function has a wider dtype than NumPy would compute in."""
    kinds = {"f": "float64", "F": "complex128", "L": "float64"}
    ufunc = compile_scalar(accumulated if char != "L" else previous, [np.dtype(char)], {}, CPU).ufunc
    assert ufunc.types == [f"{char}->{char}"]
    assert kinds[char] not in str(ufunc.ufunc.signature)


def test_weak_arguments_and_constants():
    def power(coefficients, x, *, scale=1):
        total = 0
        for k in range(len(coefficients)):
            total += coefficients[k] * x**k
        return total * scale

    x = np.dtype("f")
    assert compile_scalar(power, [Constant([1, 2]), x], {"scale": float}, CPU).dtypes == [x]
    assert compile_scalar(power, [Constant([1, 2]), x], {"scale": np.dtype("d")}, CPU).dtypes == ["d"]
    assert compile_scalar(swapped, [x, int], {}, CPU).dtypes == [x]


def test_variables_that_change_their_dtype():
    def rounded(x):
        if x > 2:
            x = int(x)
            return x // 2
        return 0

    compiled = compile_scalar(rounded, [np.dtype("f")], {}, CPU)
    assert compiled.dtypes == ["int64"]
    assert compiled.ufunc(np.float32([1, 7.5])).tolist() == [0, 3]


def returns_none(x):
    if x > 0:
        return x


def returns_text(x):
    return "a" if x > 0 else "b"


def names_nothing(x):
    return nothing_here(x)  # noqa: F821


def takes_any(**values):
    return values["x"]


def yields(x):
    yield x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (returns_none, "returns float64 or None"),
        (returns_text, "not a number"),
        (names_nothing, "nothing_here"),
        (takes_any, "keywords"),
        (yields, "generator"),
    ],
)
def test_reasons(function, reason):
    arguments = ([], {"x": np.dtype("d")}) if function is takes_any else ([np.dtype("d")], {})
    for _ in range(2):
        # The second time the reason is remembered.
        with pytest.raises(NotCompiled, match=rf"{function.__name__} \(test_dtype_rules.py:\d+\).*{reason}"):
            compile_scalar(function, *arguments, CPU)
    with pytest.raises(NotCompiled, match="not a plain Python function"):
        compile_scalar(dict, [np.dtype("d")], {}, CPU)


def test_compiled_once_for_the_same_code(monkeypatch):
    def made():
        return lambda x: x if x > LIMIT else -x

    x = [np.dtype("d")]
    first = compile_scalar(made(), x, {}, CPU)
    assert compile_scalar(made(), x, {}, CPU) is first
    monkeypatch.setitem(made.__globals__, "LIMIT", 4)
    assert compile_scalar(made(), x, {}, CPU) is not first

    def closing(limit):
        return lambda x: 1 if x > limit else 0

    found = [compile_scalar(closing(limit), x, {}, CPU) for limit in (1, 1.0, np.array([1, 2])[0], 1)]
    assert found[0] is found[3]
    assert len(set(found)) == 3
