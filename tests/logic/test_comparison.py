import itertools

import numpy as np
import pytest
from records import ALL, Record, record_test

import gpunp

SHAPES = ((), (5,), (0,), (9, 8))
RECORDS = (
    Record("isclose", lambda f, a: f(a, a), dtypes=ALL, shapes=SHAPES),
    Record("isclose", lambda f, a: f(a, a, equal_nan=True), dtypes="fdFD", shapes=SHAPES),
    Record("isclose", lambda f, a: f(a, a + a.dtype.type(1), rtol=0.1), dtypes="bBilfdD", shapes=SHAPES),
    Record("isclose", lambda f, a: f(a, 1), dtypes="bBilfdD", shapes=SHAPES),
    Record("isclose", lambda f, a: f(1.0, a, atol=3), dtypes="ilfd", shapes=SHAPES),
    Record("allclose", lambda f, a: f(a, a), dtypes=ALL, shapes=SHAPES),
    Record("allclose", lambda f, a: f(a, a, equal_nan=True), dtypes="fd", shapes=SHAPES),
    Record("array_equal", lambda f, a: f(a, a), dtypes=ALL, shapes=SHAPES),
    Record("array_equal", lambda f, a: f(a, a, equal_nan=True), dtypes=ALL, shapes=SHAPES),
    Record("array_equal", lambda f, a, b: f(a, b), arrays=2),
    Record("array_equal", lambda f, a: f(a, a[None])),
    Record("array_equiv", lambda f, a: f(a, a[None])),
    Record("array_equiv", lambda f, a: f(a, [1, 2, 3])),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize(
    "pair", [(1e10, 1.00001e10), (1e-8, 1e-9), (np.inf, np.inf), (np.inf, -np.inf), (0.0, -0.0)]
)
def test_isclose_at_the_edges(pair):
    a, b = map(np.array, pair)
    assert bool(np.isclose(gpunp.asarray(a), b)) == bool(np.isclose(a, b))
    assert np.allclose(a, gpunp.asarray(b)) == np.allclose(a, b)


def test_array_equal_with_what_is_no_array():
    assert not np.array_equal(gpunp.arange(2), "ab")
    assert not np.array_equiv(gpunp.arange(2), [None])


def test_tolerances_of_python_numbers_are_weak():
    below_one = float(1.0 - np.finfo("f8").eps)
    for xp in (np, gpunp):
        one = xp.asarray(below_one, dtype="f4")
        assert np.isclose(one, 2, atol=0, rtol=below_one / 2)
        assert np.isclose(one, 0, atol=below_one, rtol=0)


def special_values(char, shape, rng):
    """Draw from few distinct values, including close and special ones."""
    dtype = np.dtype(char)
    if dtype.kind in "biu":
        values = rng.integers(0, 2 if char == "?" else 4, shape).astype(dtype)
        if char != "?" and values.size:
            values.flat[0] = rng.choice([np.iinfo(dtype).min, np.iinfo(dtype).max])
        return values
    values = rng.integers(0, 3, shape) + rng.choice([0, 1e-9, 1e-6, 1e-5, 2e-3], shape)
    if dtype.kind == "c":
        values = values + 1j * rng.integers(0, 3, shape)
    values = values.astype(dtype)
    for special in (np.nan, np.inf, -np.inf, -0.0, float(np.finfo(dtype).max)):
        if values.size and rng.random() < 0.3:
            values.flat[rng.integers(values.size)] = special
    return values


BROADCASTS = (((), ()), ((33,), (1,)), ((7, 1), (1, 9)), ((300,), (300,)), ((2, 3, 4), (3, 1)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("char", ALL)
def test_pairs_of_dtypes(char, rng):
    for other, (left, right), equal_nan in itertools.product(ALL, BROADCASTS, (False, True)):
        a, b = special_values(char, left, rng), special_values(other, right, rng)
        if left == right and rng.random() < 0.5:
            b = a.astype(other)
        x, y = gpunp.asarray(a), gpunp.asarray(b)
        for tolerances in ({}, {"rtol": 0.5, "atol": 1}):
            expected = np.isclose(a, b, equal_nan=equal_nan, **tolerances)
            np.testing.assert_array_equal(
                gpunp.asnumpy(np.isclose(x, y, equal_nan=equal_nan, **tolerances)), expected
            )
            assert np.allclose(x, y, equal_nan=equal_nan, **tolerances) is bool(expected.all())
        assert np.array_equal(x, y, equal_nan) is np.array_equal(a, b, equal_nan)
        assert np.array_equiv(x, y) is np.array_equiv(a, b)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize("number", [True, 1, -1, 300, 2.0, 1 + 1j, np.inf, np.nan, 1e300])
def test_numbers(char, number, rng):
    a = special_values(char, (9,), rng)
    x = gpunp.asarray(a)
    for tolerances in ({}, {"rtol": 1e-3, "atol": 0}, {"equal_nan": True}, {"rtol": np.float64(0.5)}):
        for one, other, mine in ((a, number, (x, number)), (number, a, (number, x))):
            expected = np.isclose(one, other, **tolerances)
            np.testing.assert_array_equal(gpunp.asnumpy(np.isclose(*mine, **tolerances)), expected)
            assert np.allclose(*mine, **tolerances) == expected.all()


def test_tolerances_that_are_arrays(rng):
    a = special_values("f", (9,), rng)
    x, rtol = gpunp.asarray(a), rng.random(9)
    expected = np.isclose(a, a[::-1], rtol, np.float32(0.1))
    np.testing.assert_array_equal(
        gpunp.asnumpy(np.isclose(x, x[::-1], gpunp.asarray(rtol), np.float32(0.1))), expected
    )
    assert np.allclose(x, x[::-1], gpunp.asarray(rtol), np.float32(0.1)) == expected.all()


@pytest.mark.parametrize("char", "?bHilefdFD")
@pytest.mark.parametrize("size", [1, 15, 257, 4096, 4097, 300_007])
def test_one_difference(char, size):
    """A difference at the ends and in the middle; also in unaligned and in non-contiguous views."""
    host = (np.arange(2 * size + 2) % 2).astype(char)
    for part in (slice(0, size), slice(1, size + 1), slice(None, None, 2)):
        for place in (0, size // 2, size - 1):
            x, y = gpunp.asarray(host), gpunp.asarray(host)
            x, y = x[part], y[part]
            assert np.allclose(x, y)
            assert np.array_equal(x, y)
            y[place] = 1 - y[place] if char != "?" else ~y[place]
            assert not np.allclose(x, y)
            assert not np.array_equal(x, y)
            assert not np.array_equiv(x, y)
            assert int(np.isclose(x, y).sum()) == len(x) - 1


@pytest.mark.parametrize("axes", [(1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_orders_of_memory(axes, rng):
    host = rng.random((5, 6, 7)).astype("f")
    x, y = gpunp.asarray(host), gpunp.asarray(np.asfortranarray(host))
    for a in (x, y):
        assert np.allclose(x.transpose(axes), a.transpose(axes))
        assert np.array_equal(x[::2, ::-1], a[::2, ::-1])
    y[2, 3, 4] += 1
    assert not np.allclose(x.transpose(axes), y.transpose(axes))
    assert int(np.isclose(x.transpose(axes), y.transpose(axes)).sum()) == x.size - 1
    c, f, part = x.transpose(axes), y.transpose(axes), x[::2, ::-1]
    for operands in ((c, c), (c, 1.0), (f, f), (f, 1.0), (c, f), (f, c), (part, part), (f, f[:1]), (f[0], f)):
        # The order that results of ufuncs have.
        close = np.isclose(*operands)
        assert close.strides == np.less(*operands).strides
        np.testing.assert_array_equal(
            close.get(), np.isclose(*(o.get() if isinstance(o, gpunp.ndarray) else o for o in operands))
        )


def test_many_dimensions_that_do_not_merge():
    host = np.arange(3**10).reshape((3,) * 10)[(slice(None, None, 2),) * 10]
    x = gpunp.asarray(np.arange(3**10)).reshape((3,) * 10)[(slice(None, None, 2),) * 10]
    assert np.allclose(x, x.copy())
    assert np.array_equal(x, host)
    assert bool(np.isclose(x, host).all())
