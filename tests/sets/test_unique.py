import itertools

import numpy as np
import pytest
from records import ALL, INEXACT, SHAPES, Record, assert_same, record_test

import gpunp

ROWS = ((3, 4), (2, 3, 4), (4, 0, 2), (33, 65), (0, 3))
VECTORS = ("C", "negative", "steps", "offset")
EVERYTHING = {"return_index": True, "return_inverse": True, "return_counts": True}
# Either of two equal zeros may be returned, so bits are not compared.
ANY_ZERO = False
RECORDS = (
    Record("unique", dtypes=ALL, shapes=SHAPES, exact=ANY_ZERO),
    Record("unique", lambda f, a: f(a, **EVERYTHING), dtypes="?bBhHiIlLefd", shapes=SHAPES),
    Record("unique", lambda f, a: f(a, True), dtypes="?ld", shapes=SHAPES),
    Record("unique", lambda f, a: f(a, return_counts=True), dtypes="?ldD", shapes=SHAPES, exact=ANY_ZERO),
    Record("unique", lambda f, a: f(a, equal_nan=False), dtypes=INEXACT, shapes=SHAPES, exact=ANY_ZERO),
    Record("unique", lambda f, a: f(a, sorted=True), dtypes="ld", shapes=SHAPES, exact=ANY_ZERO),
    Record("unique", lambda f, a: f(a, axis=0), dtypes="?bBhHiIlLfdFD", shapes=ROWS, exact=ANY_ZERO),
    Record("unique", lambda f, a: f(a, axis=0, **EVERYTHING), dtypes="?hlL", shapes=ROWS),
    Record("unique", lambda f, a: f(a, axis=-1, **EVERYTHING), dtypes="?il", shapes=ROWS),
    Record("unique", lambda f, a: f(a, axis=1, return_inverse=True), dtypes="?i", shapes=((2, 3, 4),)),
    Record(
        "unique", lambda f, a: f(a, axis=0, **EVERYTHING), dtypes="if", shapes=((7,), (0,)), layouts=VECTORS
    ),
    Record("unique", lambda f, a: f(a, axis=5), raises=True),
    Record("unique", lambda f, a: f(a, axis=1.5), shapes=((3, 4),), raises=True),
    Record("unique_all", lambda f, a: tuple(f(a)), dtypes="?bHilefd", shapes=SHAPES[:-1]),
    Record("unique_counts", lambda f, a: tuple(f(a)), dtypes="?bHilefd", shapes=SHAPES, exact=ANY_ZERO),
    Record("unique_inverse", lambda f, a: tuple(f(a)), dtypes="?bHilefd", shapes=SHAPES[:-1]),
    # NumPy does not specify the order.
    Record("unique_values", lambda f, a: np.sort(f(a)), dtypes="?bHilefd", shapes=SHAPES, exact=ANY_ZERO),
)
test_records = record_test(RECORDS)


def few_values(char, size, seed=0):
    """Draw from few distinct values, including NaN, both zeros and infinities."""
    rng = np.random.default_rng([seed, size])
    dtype = np.dtype(char)
    if dtype.kind in "iub":
        return rng.integers(-60 if dtype.kind == "i" else 0, 2 if char == "?" else 60, size).astype(dtype)
    pool = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.5, 1e-4])
    values = np.empty(size, dtype)
    values.real = rng.choice(pool, size)
    if dtype.kind == "c":
        values.imag = rng.choice(pool, size)
    return values


@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize("size", [1, 33, 5000, 40_000])
def test_every_return(char, size):
    host = few_values(char, size)
    ours = gpunp.asarray(host)
    # NumPy 2.4 sorts long float16 arrays incorrectly.
    plain = host.astype("f") if char == "e" else host
    for index, inverse, counts in itertools.product((False, True), repeat=3):
        expected = np.unique(plain, index, inverse, counts)
        actual = np.unique(ours, index, inverse, counts)
        if not (index or inverse or counts):
            expected, actual = (expected,), (actual,)
        values, first = gpunp.asnumpy(actual[0]), expected[0]
        if char in "FD":
            # Which NaN represents all of them differs between NumPy's own algorithms.
            assert np.isnan(values).sum() == np.isnan(first).sum()
            values, first = values[~np.isnan(values)], first[~np.isnan(first)]
        np.testing.assert_array_equal(values, first)
        for one, other in zip(actual[1:], expected[1:], strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("char", "bHiIlL")
@pytest.mark.parametrize("spread", [1, 1000, 10**6])
def test_integers_by_bitmap_and_by_sort(char, spread):
    """Ranges that fit a bitmap and ranges that do not, at both ends of the dtype."""
    info = np.iinfo(char)
    drawn = np.random.default_rng(spread).integers(0, 300, 20_000) * spread
    for start in (info.min, 0, info.max - 299 * spread):
        if not info.min <= start <= info.max - 299 * spread:
            continue
        host = np.array([start + int(d) for d in drawn], char)
        for one, other in zip(
            np.unique(gpunp.asarray(host), **EVERYTHING), np.unique(host, **EVERYTHING), strict=True
        ):
            assert_same(one, other)
        assert_same(np.unique(gpunp.asarray(host)), np.unique(host))
        # A view that does not begin at a vector boundary.
        assert_same(np.unique(gpunp.asarray(host)[1:]), np.unique(host[1:]))


@pytest.mark.parametrize("char", "il")
def test_both_ends_of_the_dtype(char):
    info = np.iinfo(char)
    host = np.tile(np.array([info.min, 0, info.max, -1], char), 5000)
    for one, other in zip(
        np.unique(gpunp.asarray(host), **EVERYTHING), np.unique(host, **EVERYTHING), strict=True
    ):
        assert_same(one, other)


@pytest.mark.parametrize("char", INEXACT)
def test_nan_that_differ(char):
    host = few_values(char, 200)
    values, index, inverse, counts = np.unique(gpunp.asarray(host), **EVERYTHING, equal_nan=False)
    expected = np.unique(host, **EVERYTHING, equal_nan=False)
    assert_same(values, expected[0])
    assert_same(counts, expected[3])
    np.testing.assert_array_equal(gpunp.asnumpy(values)[gpunp.asnumpy(inverse)], host)
    np.testing.assert_array_equal(host[gpunp.asnumpy(index)], gpunp.asnumpy(values))
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        result = getattr(np, name)(gpunp.asarray(host))
        assert type(result).__name__ == type(getattr(np, name)(host)).__name__
        assert result._fields == type(getattr(np, name)(host))._fields
        assert_same(result.values, expected[0])


@pytest.mark.parametrize("char", "?bHlfdFD")
def test_slices(char):
    """Rows with equal first elements, and rows with NaN, which are never equal."""
    rng = np.random.default_rng(3)
    host = few_values(char, 6)[rng.integers(0, 2, (500, 6))]
    for axis in (0, 1, -1):
        values, index, inverse, counts = np.unique(gpunp.asarray(host), **EVERYTHING, axis=axis)
        expected = np.unique(host, **EVERYTHING, axis=axis)
        assert_same(values, expected[0])
        assert_same(counts, expected[3])
        assert inverse.shape == expected[2].shape
        at = gpunp.asnumpy(inverse), gpunp.asnumpy(index)
        np.testing.assert_array_equal(np.take(gpunp.asnumpy(values), at[0], axis), host)
        np.testing.assert_array_equal(np.take(host, at[1], axis), gpunp.asnumpy(values))


def test_first_of_equal_slices():
    host = np.random.default_rng(1).integers(0, 3, (3000, 3)).astype("h")
    for axis, a in ((0, host), (1, host.T)):
        for one, other in zip(
            np.unique(gpunp.asarray(a), **EVERYTHING, axis=axis),
            np.unique(a, **EVERYTHING, axis=axis),
            strict=True,
        ):
            assert_same(one, other)


def test_half_nan_in_slices_is_last():
    host = np.array([[np.nan], [-1], [3]], "e")
    assert np.unique(gpunp.asarray(host), axis=0).tolist()[:2] == [[-1.0], [3.0]]


def test_slices_of_no_elements():
    for shape, axis in (((3, 0), 0), ((0, 3), 0), ((0, 3), 1), ((2, 0, 4), 1)):
        host = np.zeros(shape)
        for one, other in zip(
            np.unique(gpunp.asarray(host), **EVERYTHING, axis=axis),
            np.unique(host, **EVERYTHING, axis=axis),
            strict=True,
        ):
            assert_same(one, other)


def same_slices(host, **options):
    for one, other in zip(
        np.unique(gpunp.asarray(host), **EVERYTHING, axis=0),
        np.unique(host, **EVERYTHING, axis=0),
        strict=True,
    ):
        assert_same(one, other, **options)


@pytest.mark.parametrize("char", "?bBhHiIlLefd")
@pytest.mark.parametrize("columns", [1, 2, 3, 11])
@pytest.mark.parametrize("count", [255, 256, 1000, 5000])
def test_many_slices(char, columns, count):
    """Narrow keys that fit a word, and wide keys whose first words are equal."""
    rng = np.random.default_rng([columns, count])
    dtype = np.dtype(char)
    same_slices(rng.integers(0, 2, (count, columns)).astype(dtype))
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wide = rng.choice(np.array([info.min, info.max, 0, 1], dtype), (count, columns))
    elif dtype.kind == "f":
        pool = [0.5, 1.0, np.inf, -np.inf, -3.0, float(np.finfo(dtype).max)]
        wide = rng.choice(np.array(pool, dtype), (count, columns))
    else:
        return
    same_slices(wide)
    # Few distinct slices, whose first columns are equal.
    wide[:, : columns // 2] = 1
    same_slices(wide[rng.integers(0, 20, count)])


@pytest.mark.parametrize("columns", [40, 300, 4097])
def test_long_slices(columns):
    rng = np.random.default_rng(columns)
    wide = rng.integers(-(2**31), 2**31 - 1, (300, columns)).astype("i")
    same_slices(wide)
    # Slices that differ in the last element only, beyond the words that the rounds compare.
    wide[:] = wide[rng.integers(0, 2, 300)]
    wide[:, -1] = rng.integers(0, 3, 300)
    same_slices(wide)


def test_many_slices_with_nan():
    rng = np.random.default_rng(2)
    host = rng.choice(np.array([np.nan, 1.0, -0.0, 0.0]), (600, 3))
    values, _, inverse, counts = np.unique(gpunp.asarray(host), **EVERYTHING, axis=0)
    expected = np.unique(host, **EVERYTHING, axis=0)
    np.testing.assert_array_equal(gpunp.asnumpy(values), expected[0])
    assert_same(counts, expected[3])
    np.testing.assert_array_equal(gpunp.asnumpy(values)[gpunp.asnumpy(inverse)], host)
