import numpy as np
import pytest
from records import ALL, Record, assert_same, record_test

import gpunp

LINES = ((5,), (1,), (0,))
LAYOUTS = ("C", "negative", "steps")
RECORDS = (
    *(
        Record(name, call, dtypes=ALL, shapes=((5,), (1,), ()), layouts=LAYOUTS, exact=False)
        for name in ("polyadd", "polysub")
        for call in (
            lambda f, a: f(a, a),
            lambda f, a: f(a, [1, 2]),
            lambda f, a: f(2.5, a),
            lambda f, a: f(a, np.arange(7)),
        )
    ),
    Record(
        "polymul",
        lambda f, a: f(a, a),
        dtypes="bilfdFD",
        shapes=((5,), (1,), ()),
        layouts=LAYOUTS,
        exact=False,
    ),
    Record(
        "polymul", lambda f, a: f([0, 0, 1, 2], a), dtypes="ld", shapes=((5,),), layouts=LAYOUTS, exact=False
    ),
    Record("polymul", lambda f, a: f(a * 0, a), dtypes="ld", shapes=((5,),), layouts=LAYOUTS),
    Record("polymul", lambda f, a: f(a, a), dtypes="d", shapes=((2, 2),), raises=True),
    Record(
        "polydiv",
        lambda f, a: f(a, [2, 1]),
        dtypes="bilfdFD",
        shapes=((7,), (1,), ()),
        layouts=LAYOUTS,
        exact=False,
    ),
    Record(
        "polydiv",
        lambda f, a: f([1, 2, 3, 4, 5], a[:3] * 1 + 200),
        dtypes="ldD",
        shapes=((5,),),
        layouts=LAYOUTS,
        exact=False,
    ),
    Record("polydiv", lambda f, a: f(a, a), dtypes="ld", shapes=((5,),), layouts=LAYOUTS, exact=False),
    Record("polyval", lambda f, a: f([3, 0, 1], a), dtypes=ALL, exact=False),
    Record("polyval", lambda f, a: f(a, 2), dtypes=ALL, shapes=LINES, exact=False),
    Record("polyval", lambda f, a: f(a, [1.5, 2]), dtypes="?ilfD", shapes=LINES, exact=False),
    Record("polyval", lambda f, a: f(np.float32([2, 1]), a), dtypes="?bhefdF", exact=False),
    Record("polyval", lambda f, a: f([], a), dtypes=ALL),
    Record("polyval", lambda f, a: f([1], a), dtypes="?ld"),
    Record("polyval", lambda f, a: f(a, a), dtypes="d", shapes=((),), layouts=("C",), raises=True),
    *(
        Record(name, call, dtypes=ALL, shapes=LINES, layouts=LAYOUTS, exact=False)
        for name in ("polyder", "polyint")
        for call in (lambda f, a: f(a), lambda f, a: f(a, 2), lambda f, a: f(a, m=3), lambda f, a: f(a, 0))
    ),
    Record("polyint", lambda f, a: f(a, 1, 3), dtypes="ilfD", shapes=LINES, exact=False),
    Record("polyint", lambda f, a: f(a, 2, k=[1.5, 2]), dtypes="ilfD", shapes=LINES, exact=False),
    Record("polyint", lambda f, a: f(a, 2, k=7j), dtypes="ilfD", shapes=LINES, exact=False),
    Record("polyint", lambda f, a: f(a, 3, k=[1, 2]), dtypes="d", shapes=LINES, raises=True),
    *(
        Record(name, lambda f, a: f(a, -1), dtypes="d", shapes=LINES, raises=True)
        for name in ("polyder", "polyint")
    ),
    *(Record(name, dtypes="d", shapes=((),), layouts=("C",), raises=True) for name in ("polyder", "polyint")),
)
test_records = record_test(RECORDS)


def test_values_at_what_is_not_finite():
    x = np.array([np.inf, -np.inf, np.nan, 1.0])
    with np.errstate(invalid="ignore"):
        expected = np.polyval([1.0, 2.0], x)
    assert_same(np.polyval([1.0, 2.0], gpunp.asarray(x)), expected)


def test_coefficients_on_the_device_and_x_on_the_host():
    assert_same(np.polyval(gpunp.asarray([1, 2]), np.arange(3)), np.polyval([1, 2], np.arange(3)))


def test_polynomial_of_a_polynomial():
    inner = gpunp.poly1d([1, 1])
    expected = np.polyval([1, 2, 3], np.poly1d([1, 1]))
    assert_same(np.polyval(gpunp.asarray([1, 2, 3]), inner).coeffs, expected.coeffs)


def test_messages():
    for call in (
        lambda p: np.polyder(p, -1),
        lambda p: np.polyint(p, -1),
        lambda p: np.polyint(p, 3, [1, 2]),
    ):
        with pytest.raises(ValueError, match="must be") as expected:
            call(np.arange(3))
        with pytest.raises(ValueError, match="must be") as actual:
            call(gpunp.arange(3))
        assert str(actual.value) == str(expected.value)
