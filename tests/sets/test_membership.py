import itertools

import numpy as np
import pytest
from records import ALL, Record, assert_same, record_test

import gpunp

SHAPES = ((), (7,), (0,), (3, 4), (33, 65))
AMONG = (1, 2, 3, 50, -4)
RECORDS = (
    Record("isin", lambda f, a: f(a, AMONG), dtypes=ALL, shapes=SHAPES),
    Record("isin", lambda f, a: f(a, AMONG, invert=True), dtypes=ALL, shapes=SHAPES),
    Record(
        "isin", lambda f, a: f(a, np.array(AMONG, "h"), assume_unique=True), dtypes="b", shapes=((), (0,))
    ),
    Record("isin", lambda f, a: f(a, AMONG, kind="sort"), dtypes="?bild", shapes=SHAPES),
    Record("isin", lambda f, a: f(a, AMONG, kind="table"), dtypes="?bil", shapes=SHAPES),
    Record("isin", lambda f, a: f([[1, 2, 9], [3, 60, 5]], a), dtypes="?bild", shapes=SHAPES),
    Record("isin", lambda f, a: f(a, []), dtypes="?ifD", shapes=SHAPES),
    Record("isin", lambda f, a: f(a, 3), dtypes="?ifD", shapes=SHAPES),
    Record("isin", lambda f, a: f(a, 3, kind="table"), dtypes="fdD", raises=True),
    Record("isin", lambda f, a: f(a, 3, kind="hash"), raises=True),
)
test_records = record_test(RECORDS)


def few(char, size, seed):
    rng = np.random.default_rng([seed, size])
    dtype = np.dtype(char)
    if dtype.kind in "iub":
        return rng.integers(-30 if dtype.kind == "i" else 0, 2 if char == "?" else 90, size).astype(dtype)
    values = np.empty(size, dtype)
    values.real = rng.choice([0.0, -0.0, 1.0, np.nan, np.inf, 2.5, 7.0, 30.0], size)
    if dtype.kind == "c":
        values.imag = rng.choice([0.0, -0.0, 1.0, np.nan], size)
    return values


@pytest.mark.parametrize(("one", "other"), [*itertools.product("?bHilLefD", "?BhlLfdF")])
def test_pairs_of_dtypes(one, other):
    a, b = few(one, 3000, 1), few(other, 40, 2)
    for invert in (False, True):
        assert_same(np.isin(gpunp.asarray(a), gpunp.asarray(b), invert=invert), np.isin(a, b, invert=invert))


def test_integers_of_both_signs_are_exact():
    a = np.array([2**63, 2**63 + 1, 2**62, 5, 2**64 - 1], np.uint64)
    b = np.array([-1, 5, 2**62, 2**63 - 1, -(2**63)], np.int64)
    assert np.isin(gpunp.asarray(a), gpunp.asarray(b)).tolist() == [False, False, True, True, False]
    assert np.isin(gpunp.asarray(b), gpunp.asarray(a)).tolist() == [False, True, True, False, False]


def test_nan_is_never_there():
    a = np.array([np.nan, 1.0, -0.0])
    assert np.isin(gpunp.asarray(a), gpunp.asarray([np.nan, 0.0])).tolist() == [False, False, True]
    assert np.isin(gpunp.asarray(a), gpunp.asarray([np.nan, 0.0]), invert=True).tolist() == [
        True,
        True,
        False,
    ]
