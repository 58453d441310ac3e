import itertools

import numpy as np
import pytest
from calls import call_test
from records import ALL, Record, assert_same, record_test

import gpunp

SHAPES = ((), (7,), (0,), (3, 4), (33, 65))
OTHERS = (3, 1, 1, 50, 2, -4)
NAMES = ("intersect1d", "union1d", "setdiff1d", "setxor1d")
# Either of two equal zeros may be returned, so bits are not compared.
ANY_ZERO = False
RECORDS = (
    *(Record(name, lambda f, a: f(a, OTHERS), dtypes="?bBhHiIlL", shapes=SHAPES) for name in NAMES),
    *(Record(name, lambda f, a: f(a, OTHERS), dtypes="efd", shapes=SHAPES, exact=ANY_ZERO) for name in NAMES),
    *(Record(name, lambda f, a: f(OTHERS, a), dtypes="?bil", shapes=SHAPES) for name in NAMES),
    *(Record(name, lambda f, a: f([], a), dtypes="?d", shapes=SHAPES, exact=ANY_ZERO) for name in NAMES),
    Record("intersect1d", lambda f, a: f(a, OTHERS, return_indices=True), dtypes="?bHil", shapes=SHAPES),
    Record(
        "intersect1d", lambda f, a: f(a[:3], [5, 3, 2], True, return_indices=True), dtypes="l", shapes=((0,),)
    ),
)
test_records = record_test(RECORDS)


def few(char, size, seed):
    rng = np.random.default_rng([seed, size])
    dtype = np.dtype(char)
    if dtype.kind in "iub":
        return rng.integers(-30 if dtype.kind == "i" else 0, 2 if char == "?" else 90, size).astype(dtype)
    values = np.empty(size, dtype)
    values.real = rng.choice([0.0, 1.0, np.nan, np.inf, 2.5, 7.0, 30.0, 31.0], size)
    if dtype.kind == "c":
        values.imag = rng.choice([0.0, 1.0], size)
    return values


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("one", "other"), [*itertools.product(ALL[::2] + "FD", "bLfD")])
def test_pairs_of_dtypes(name, one, other):
    a, b = few(one, 60, 1), few(other, 40, 2)
    function = getattr(np, name)
    expected, actual = function(a, b), function(gpunp.asarray(a), gpunp.asarray(b))
    if expected.dtype.kind == "c":
        # Which NaN represents all of them differs between NumPy's own algorithms.
        actual = gpunp.asnumpy(actual)
        assert actual.shape == expected.shape
        np.testing.assert_array_equal(actual[~np.isnan(actual)], expected[~np.isnan(expected)])
    else:
        assert_same(actual, expected)


@pytest.mark.parametrize("char", "bHldD")
def test_assume_unique(char):
    rng = np.random.default_rng(8)
    a, b = (rng.permutation(100)[:60].astype(char) for _ in range(2))
    ours = gpunp.asarray(a), gpunp.asarray(b)
    for name in ("intersect1d", "setdiff1d", "setxor1d"):
        function = getattr(np, name)
        assert_same(function(*ours, assume_unique=True), function(a, b, assume_unique=True))
    for unique in (False, True):
        for one, other in zip(
            np.intersect1d(*ours, unique, return_indices=True),
            np.intersect1d(a, b, unique, return_indices=True),
            strict=True,
        ):
            assert_same(one, other)


def test_first_indices():
    a, b = np.array([[3, 1], [3, 2], [1, 3]]), np.array([9, 3, 3, 1])
    for one, other in zip(
        np.intersect1d(gpunp.asarray(a), gpunp.asarray(b), return_indices=True),
        np.intersect1d(a, b, return_indices=True),
        strict=True,
    ):
        assert_same(one, other)


# Repeated elements despite assume_unique=True: NumPy compares neighbors after sorting.
test_repeated_elements = call_test(
    """
    xp.intersect1d(A([1, 2, 2, 3]), A([2, 2, 3]), assume_unique=True)
    xp.intersect1d(A([1, 2, 2, 3]), A([2, 2, 3]), assume_unique=True, return_indices=True)
    xp.intersect1d(A([5, 5]), A([2, 3]), True)
    xp.intersect1d(A([5, 5]), A([2, 3]), True, True)
    xp.intersect1d(A([5., nan, nan]), A([nan, 3]), True, True)
    xp.intersect1d(A([5]), A([]), True, True)
    xp.intersect1d(A([], 'i'), A([], 'b'), True, True)
    xp.setdiff1d(A([1, 2, 2, 3]), A([3]), True)
    xp.setxor1d(A([1, 2, 2, 3, 3, 3]), A([3, 4]), True)
    xp.isin(A([1, 2, 2, 3]), A([2, 2]), assume_unique=True, invert=True)
    """
)

# A number of Python takes the dtype of the other array.
test_numbers_of_python = call_test(
    """
    xp.setxor1d(5, A([1, 5, 7], 'B'), assume_unique=True)
    xp.setxor1d(A([1, 5, 7], 'f'), 5, assume_unique=True)
    xp.setxor1d(A([[1, 5], [7, 8]], 'Q'), 4, assume_unique=True)
    xp.setxor1d(2.5, A([1, 5, 7], 'i'), assume_unique=True)
    xp.setxor1d(True, A([2, 1], 'F'), assume_unique=True)
    xp.setxor1d(5, A([1, 5, 7], 'B'))
    """
)
