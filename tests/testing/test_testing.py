import inspect
import unittest

import numpy as np
import pytest

import gpunp
from gpunp import testing

EQUAL = gpunp.asarray([1.0, 2.0])


NUMPYS = [name for name in testing.__all__ if hasattr(np.testing, name)]


@pytest.mark.parametrize("name", NUMPYS)
def test_signatures_and_results(name):
    function = getattr(testing, name)
    assert function.__name__ == getattr(np.testing, name).__name__
    if name.startswith("assert_raises"):
        return
    if name == "assert_approx_equal":
        function(EQUAL[0], 1.0)
        with pytest.raises(AssertionError):
            function(EQUAL[0], EQUAL[1])
        return
    if name == "assert_array_compare":
        function(np.less, EQUAL, EQUAL + 1)
        with pytest.raises(AssertionError):
            function(np.less, EQUAL, EQUAL)
        return
    wrong = gpunp.asarray([3.0, 1.0])
    if name == "assert_array_less":
        function(EQUAL, wrong + 3)
    else:
        for expected in (EQUAL, np.asarray([1.0, 2.0])):
            function(EQUAL, expected)
            function(expected, EQUAL)
    with pytest.raises(AssertionError):
        function(EQUAL, wrong)


def test_nested_values_and_exceptions():
    testing.assert_equal({"a": [EQUAL, (EQUAL, 1)]}, {"a": [np.asarray([1.0, 2.0]), (EQUAL, 1)]})
    with pytest.raises(AssertionError):
        testing.assert_equal([EQUAL, 1], [EQUAL, 2])
    with testing.assert_raises(ValueError):
        EQUAL.reshape(3)
    with testing.assert_raises(gpunp.linalg.LinAlgError):
        gpunp.linalg.inv(gpunp.ones((2, 3)))


def test_lists():
    testing.assert_array_list_equal([EQUAL, EQUAL[0]], [np.asarray([1.0, 2.0]), 1.0])
    for other in ([EQUAL], [EQUAL, EQUAL + 1]):
        with pytest.raises(AssertionError):
            testing.assert_array_list_equal([EQUAL, EQUAL], other)
    with pytest.raises(TypeError, match="xlist must be a list or tuple"):
        testing.assert_array_list_equal(EQUAL, [EQUAL])


PARAMETERS = {
    "for_dtypes": (("i", np.float32), {np.int32, np.float32}),
    "for_float_dtypes": ((), {np.float16, np.float32, np.float64}),
    "for_complex_dtypes": ((), {np.complex64, np.complex128}),
    "for_signed_dtypes": ((), {np.int8, np.int16, np.int32, np.int64, np.longlong}),
    "for_unsigned_dtypes": ((), {np.uint8, np.uint16, np.uint32, np.uint64, np.ulonglong}),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_dtypes(name):
    args, expected = PARAMETERS[name]
    seen = []

    @getattr(testing, name)(*([args] if args else []))
    def test(dtype):
        seen.append(dtype)

    assert not inspect.signature(test).parameters
    test()
    assert set(seen) == expected


def test_kinds_of_dtypes():
    def kinds(decorator):
        seen = set()
        decorator(lambda dtype: seen.add(np.dtype(dtype).char))()
        return seen

    everything = kinds(testing.for_all_dtypes())
    assert everything == set("bhilqBHILQdfe?FD")
    assert kinds(testing.for_all_dtypes(no_float16=True, no_bool=True, no_complex=True)) == everything - set(
        "e?FD"
    )
    assert kinds(testing.for_int_dtypes()) == kinds(testing.for_int_dtypes(no_bool=True)) | {"?"}
    assert kinds(testing.for_float_dtypes(no_float16=True)) == {"d", "f"}


def test_combinations():
    names = ("a", "b", "c")
    for decorator, types in (
        (testing.for_int_dtypes_combination(names, no_bool=True), "bhilqBHILQ"),
        (testing.for_signed_dtypes_combination(names), "bhilq"),
        (testing.for_unsigned_dtypes_combination(names), "BHILQ"),
        (testing.for_all_dtypes_combination(names, no_complex=True), "bhilqBHILQdfe?"),
    ):
        seen = []
        decorator(lambda a, b, c, seen=seen: seen.append((a, b, c)))()
        for column in zip(*seen, strict=True):
            assert {np.dtype(each).char for each in column} == set(types)
        assert len({(a, b) for a, b, _ in seen}) > len(types)
        assert len(set(seen)) == len(seen) < len(types) ** 2
    seen = []
    testing.for_dtypes_combination("fd", ("a", "b"), full=True)(lambda a, b: seen.append((a, b)))()
    assert len(seen) == 4


def test_orders_and_failing_cases():
    seen = []
    testing.for_CF_orders()(lambda order: None)()
    testing.for_orders("CF", "o")(lambda o: seen.append(o))()
    assert seen == ["C", "F"]

    @testing.for_float_dtypes("t")
    def test(t):
        assert t is not np.float32

    with pytest.raises(AssertionError) as caught:
        test()
    assert "t=" in caught.value.__notes__[0]


COMPARISONS = {
    "numpy_cupy_allclose": (1.0, 1 + 1e-9, 1.1),
    "numpy_cupy_array_almost_equal": (1.0, 1 + 1e-8, 1.1),
    "numpy_cupy_array_almost_equal_nulp": (1.0, np.nextafter(1.0, 2.0), 1.1),
    "numpy_cupy_array_equal": (1.0, 1.0, 1.1),
    "numpy_cupy_array_less": (2.0, 1.0, 3.0),
    "numpy_cupy_array_list_equal": (1.0, 1.0, 1.1),
    "numpy_cupy_array_max_ulp": (1.0, np.nextafter(1.0, 2.0), 1.1),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name, device):
    numpys, close, far = COMPARISONS[name]
    decorator = getattr(testing, name)

    def result(xp, ours):
        value = xp.asarray([ours if xp is gpunp else numpys])
        return [value, value] if name.endswith("list_equal") else value

    decorator()(lambda xp: result(xp, close))()
    decorator(name="module")(lambda module: result(module, close))()
    with pytest.raises(AssertionError):
        decorator()(lambda xp: result(xp, far))()


def test_what_is_compared(device):
    with pytest.raises(AssertionError, match="dtypes differ"):
        testing.numpy_cupy_allclose()(lambda xp: xp.ones(2, "f" if xp is np else "d"))()
    testing.numpy_cupy_allclose(type_check=False)(lambda xp: xp.ones(2, "f" if xp is np else "d"))()
    strided = lambda xp: xp.ones((2, 4))[:, :: 1 if xp is np else 2][:, :2]  # noqa: E731
    with pytest.raises(AssertionError, match="c_contiguous"):
        testing.numpy_cupy_allclose()(lambda xp: strided(xp).copy() if xp is np else strided(xp))()
    with pytest.raises(AssertionError, match="strides differ"):
        testing.numpy_cupy_array_equal(strides_check=True)(
            lambda xp: xp.ones((2, 3), order="C" if xp is np else "F")
        )()
    testing.numpy_cupy_allclose(rtol={np.float32: 1e-3, "default": 1e-9})(
        lambda xp: xp.asarray([1.0 + (xp is np) * 1e-4], "f")
    )()
    with pytest.raises(AssertionError, match="2 results"):
        testing.numpy_cupy_allclose()(lambda xp: (1.0, 2.0) if xp is np else (1.0,))()


def test_errors_that_are_compared(device):
    def fails(xp, ours=ValueError, numpys=ValueError):
        raise (ours if xp is gpunp else numpys)("no")

    testing.numpy_cupy_allclose(accept_error=True)(lambda xp: fails(xp))()
    testing.numpy_cupy_allclose(accept_error=(TypeError, ValueError))(lambda xp: fails(xp))()
    for accepted in (False, TypeError):
        with pytest.raises(AssertionError, match="accept_error"):
            testing.numpy_cupy_allclose(accept_error=accepted)(lambda xp: fails(xp))()
    with pytest.raises(AssertionError, match="NumPy raises ValueError"):
        testing.numpy_cupy_allclose(accept_error=True)(lambda xp: fails(xp, TypeError))()
    with pytest.raises(AssertionError, match="only NumPy raises"):
        testing.numpy_cupy_allclose(accept_error=True)(lambda xp: fails(xp) if xp is np else 1)()


def test_scipy_is_passed(device):
    pytest.importorskip("scipy.special")

    @testing.for_float_dtypes(no_float16=True)
    @testing.numpy_cupy_allclose(rtol=1e-5, scipy_name="scp")
    def test(xp, scp, dtype):
        return scp.special.expit(xp.arange(3, dtype=dtype))

    assert not inspect.signature(test).parameters
    test()


def test_methods_of_test_cases(device):
    class Case(unittest.TestCase):
        def setUp(self):
            self.calls = 0

        @testing.for_dtypes("fd")
        @testing.numpy_cupy_array_equal()
        def test(self, xp, dtype):
            self.calls += 1
            assert self.calls == 1
            return xp.zeros(3, dtype)

    result = unittest.TestResult()
    Case("test").run(result)
    assert result.wasSuccessful(), result.failures + result.errors
