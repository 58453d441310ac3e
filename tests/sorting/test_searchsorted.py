import numpy as np
import pytest
from records import ALL, INEXACT, Record, assert_same, record_test

import gpunp

SEARCHED = ((), (1,), (7,), (0,), (3, 4), (33, 65))


def searched_values(char, size, seed=0):
    rng = np.random.default_rng([seed, size])
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(-40 if dtype.kind == "i" else 0, 60, size).astype(dtype)
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.5])

    def part():
        return np.where(rng.random(size) < 0.5, rng.choice(special, size), rng.normal(0, 3, size).round(1))

    if dtype.kind == "f":
        return part().astype(dtype)
    values = np.empty(size, dtype)
    values.real, values.imag = part(), part()
    return values


RECORDS = (
    Record("searchsorted", lambda f, v: f(np.linspace(-6, 6, 25), v), dtypes=ALL, shapes=SEARCHED),
    Record(
        "searchsorted",
        lambda f, v: f(np.linspace(-6, 6, 25), v, side="right"),
        dtypes=ALL,
        shapes=SEARCHED,
    ),
    Record("searchsorted", lambda f, v: f(np.array([], "f"), v), dtypes="?ifD", shapes=SEARCHED),
    Record("searchsorted", lambda f, a: f(a, 2), dtypes="bifd", shapes=((0,), (1,))),
    Record("searchsorted", lambda f, a: f(a, [1, 2]), shapes=((), (3, 4)), layouts=("C",), raises=True),
    Record("searchsorted", lambda f, a: f(a, 1, side="middle"), shapes=((7,),), layouts=("C",), raises=True),
    Record("searchsorted", lambda f, a: f(a, 1, side=None), shapes=((7,),), layouts=("C",), raises=True),
    Record(
        "searchsorted", lambda f, a: f(a, 1, sorter=[0.0] * 7), shapes=((7,),), layouts=("C",), raises=True
    ),
    Record("searchsorted", lambda f, a: f(a, 1, sorter=[0, 1]), shapes=((7,),), layouts=("C",), raises=True),
    Record("searchsorted", lambda f, a: f(a, 1, sorter=[[0]]), shapes=((7,),), layouts=("C",), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("char", ALL)
def test_every_dtype_and_size(char):
    """NaN is last, -0 equals 0, complex numbers are in NumPy's order; sizes are around those of the tree."""
    v = searched_values(char, 600)
    ours = gpunp.asarray(v)
    for size in (0, 1, 2, 31, 32, 33, 1023, 1024, 5000):
        a = np.sort(searched_values(char, size, 1))
        for side in ("left", "right"):
            assert_same(
                np.searchsorted(gpunp.asarray(a), ours, side), np.searchsorted(a, v, side), True, size
            )


@pytest.mark.parametrize("char", "bHifdD")
def test_sorter(char):
    a, v = searched_values(char, 300, 2), searched_values(char, 50)
    order = np.argsort(a, kind="stable")
    for side in ("left", "right"):
        for sorter in (order, order.astype("i"), gpunp.asarray(order)):
            expected = np.searchsorted(a, v, side, order)
            assert_same(np.searchsorted(gpunp.asarray(a), v, side, sorter), expected)
            assert_same(gpunp.asarray(a).searchsorted(v, side, sorter), expected)


def test_sorter_out_of_range():
    with pytest.raises(IndexError, match="out of bounds"):
        np.searchsorted(gpunp.asarray([1, 2, 3]), 2, sorter=gpunp.asarray([0, 7, 2])).item()
    for sorter in ([0, 7, 2], np.array([0, 1, -1])):
        with pytest.raises(ValueError, match="Sorter index out of range"):
            np.searchsorted(gpunp.asarray([1, 2, 3]), 2, sorter=sorter)


@pytest.mark.parametrize("left", "?bILefD")
@pytest.mark.parametrize("right", "hQfdF")
def test_mixed_dtypes(left, right):
    a, v = np.sort(searched_values(left, 99, 3)), searched_values(right, 200)
    assert_same(np.searchsorted(gpunp.asarray(a), gpunp.asarray(v)), np.searchsorted(a, v))


@pytest.mark.parametrize("char", "bfD")
def test_strided_and_many_queries(char):
    a = np.sort(searched_values(char, 400, 4))
    v = searched_values(char, 40_000)
    ours, queries = gpunp.asarray(a), gpunp.asarray(v)
    assert_same(np.searchsorted(ours[::2], queries[::-3]), np.searchsorted(a[::2], v[::-3]))
    assert_same(
        np.searchsorted(gpunp.asarray(a[::-1].copy())[::-1], queries.reshape(200, 200).T),
        np.searchsorted(a, v.reshape(200, 200).T),
    )


@pytest.mark.parametrize("char", "ifdD")
def test_every_number_of_queries(char):
    """The CPU device searches for sixteen queries at once, and for the rest one by one."""
    a = np.sort(searched_values(char, 37, 6))
    v = searched_values(char, 70, 7)
    for count in range(1, 70):
        for side in ("left", "right"):
            found = np.searchsorted(gpunp.asarray(a), gpunp.asarray(v[:count]), side)
            assert_same(found, np.searchsorted(a, v[:count], side))


def test_extremes_of_integers():
    for char in "bBhHiIlL":
        info = np.iinfo(char)
        a = np.array([info.min, info.min + 1, info.max - 1, info.max], char)
        for side in ("left", "right"):
            assert_same(np.searchsorted(gpunp.asarray(a), a, side), np.searchsorted(a, a, side))


def test_nan_is_last():
    for char in INEXACT:
        a = np.array([1, 2, np.nan, np.nan], char)
        v = np.array([np.nan, np.inf], char)
        for side in ("left", "right"):
            assert_same(np.searchsorted(gpunp.asarray(a), v, side), np.searchsorted(a, v, side))
