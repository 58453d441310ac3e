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
