import numpy as np
import pytest
from records import ALL, INEXACT, SHAPES, Record, record_test

import gpunp

FULL = ((1,), (7,), (3, 4), (2, 3, 4), (33, 65))
NAMES = ("argmax", "argmin", "nanargmax", "nanargmin")
RECORDS = (
    *(Record(name, dtypes=ALL, shapes=((), *FULL)) for name in NAMES),
    *(Record(name, lambda f, a: f(a, axis=0), dtypes=ALL, shapes=FULL) for name in NAMES),
    *(Record(name, lambda f, a: f(a, axis=-1, keepdims=True), dtypes=ALL, shapes=FULL) for name in NAMES),
    *(Record(name, lambda f, a: f(a, axis=1), dtypes="?ifD", shapes=((2, 3, 4),)) for name in NAMES),
    *(Record(name, shapes=((0,), (4, 0, 2)), raises=True) for name in NAMES),
    *(Record(name, lambda f, a: f(a, axis=5), raises=True) for name in NAMES),
    Record("count_nonzero", dtypes=ALL, shapes=SHAPES),
    Record("count_nonzero", lambda f, a: gpunp_or_int(f(a)), dtypes="?d", shapes=SHAPES),
    Record("count_nonzero", lambda f, a: f(a, axis=0), dtypes=ALL, shapes=SHAPES[1:]),
    Record("count_nonzero", lambda f, a: f(a, axis=-1, keepdims=True), dtypes=ALL, shapes=SHAPES[1:]),
    Record(
        "count_nonzero", lambda f, a: f(a, axis=(0, 1)), dtypes="?ifD", shapes=((3, 4), (2, 3, 4), (4, 0, 2))
    ),
)


def gpunp_or_int(count):
    """Convert the count of a whole array, which NumPy returns as a Python int."""
    return int(count)


test_records = record_test(RECORDS)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("char", ALL)
def test_first_of_equal_ones(name, char):
    """The first of equal extrema is found, also at the boundaries of threads and blocks."""
    for size in (2, 31, 33, 257, 4097, 70_000):
        host = np.ones(size, char)
        for value in (0, 1):
            host[size // 2 :] = value
            ours = getattr(np, name)(gpunp.asarray(host))
            assert int(ours) == getattr(np, name)(host), (size, value)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("char", INEXACT)
def test_first_nan_wins(name, char):
    for place in (0, 3, 255, 1024, 69_998):
        host = np.linspace(-1, 1, 70_000).astype(char)
        host[[place, -1]] = np.nan
        assert int(getattr(np, name)(gpunp.asarray(host))) == place


def test_extremes_of_the_dtype():
    for char in "bBhHiIlL":
        info = np.iinfo(char)
        host = np.array([info.max, info.min, info.min, info.max], char)
        a = gpunp.asarray(host)
        assert (int(np.argmax(a)), int(np.argmin(a))) == (0, 1)
    a = gpunp.asarray(np.array([-np.inf, -np.inf]))
    assert int(np.argmax(a)) == int(np.argmin(-a)) == 0


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_nothing_but_nan(name):
    function = getattr(np, name)
    host = np.array([[1, np.nan], [np.nan, np.nan]])
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        function(gpunp.asarray(host), axis=1)
    infinite = np.array([[np.nan, np.inf, -np.inf], [-np.inf, np.nan, np.inf]])
    np.testing.assert_array_equal(
        gpunp.asnumpy(function(gpunp.asarray(infinite), axis=1)), function(infinite, axis=1)
    )


def test_out():
    a = gpunp.asarray([[3, 1], [2, 5]])
    for char in "lib":
        out = gpunp.zeros(2, char)
        assert np.argmax(a, axis=0, out=out) is out
        assert out.tolist() == [0, 1]
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        np.argmax(a, axis=0, out=gpunp.zeros(2))
    with pytest.raises(ValueError, match="out"):
        np.argmax(a, axis=0, out=gpunp.zeros(3, int))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_dtype_of_places(name, device):
    a = np.array([[3.0, 1.0, 7.0], [0.5, 9.0, 2.0]])
    expected = getattr(np, name)(a, axis=1)
    for dtype in ("i", np.uint8, np.float64):
        actual = getattr(gpunp, name)(gpunp.asarray(a), 1, dtype=dtype)
        assert actual.dtype == dtype
        np.testing.assert_array_equal(actual, expected)
