import numpy as np
import pytest
from records import ALL, Record, assert_same, record_test

import gpunp

MATRICES = ((3, 4), (2, 3, 4))
LAYOUTS = ("C", "transposed", "negative")
RECORDS = (
    Record(
        "apply_along_axis",
        lambda f, a: f(np.sum, 0, a),
        dtypes=ALL,
        shapes=((5,), *MATRICES),
        layouts=LAYOUTS,
        exact=False,
    ),
    Record(
        "apply_along_axis", lambda f, a: f(np.max, -1, a, keepdims=True), shapes=MATRICES, layouts=LAYOUTS
    ),
    Record("apply_along_axis", lambda f, a: f(lambda x: x[::-1], 1, a), shapes=MATRICES, layouts=LAYOUTS),
    Record(
        "apply_along_axis",
        lambda f, a: f(lambda x, k: x[:2, None] * x[None, :2] + k, 1, a, 1),
        dtypes="ld",
        shapes=MATRICES,
        layouts=LAYOUTS,
    ),
    Record("apply_along_axis", lambda f, a: f(lambda x: 7, 0, a), dtypes="d", shapes=MATRICES),
    Record("apply_along_axis", lambda f, a: f(lambda x: [x[0], x[1]], 0, a), dtypes="d", shapes=((4, 3),)),
    Record("apply_along_axis", lambda f, a: f(np.sum, 5, a), shapes=((), (3, 4)), raises=True),
    Record("apply_along_axis", lambda f, a: f(np.sum, 0, a), shapes=((3, 0),), layouts=("C",), raises=True),
    Record("apply_over_axes", lambda f, a: f(np.sum, a, [0, -1]), shapes=MATRICES, exact=False),
    Record("apply_over_axes", lambda f, a: f(np.max, a, 1), shapes=MATRICES),
    Record("apply_over_axes", lambda f, a: f(np.max, a, (1,)), shapes=MATRICES),
    Record("apply_over_axes", lambda f, a: f(lambda x, axis: x + axis, a, [0, 1]), shapes=MATRICES),
    Record(
        "apply_over_axes", lambda f, a: f(lambda x, axis: x[0, 0], a, 0), shapes=((2, 3, 4),), raises=True
    ),
    Record("piecewise", lambda f, a: f(a, [a > 1], [1]), dtypes="bilfd"),
    Record("piecewise", lambda f, a: f(a, [a > 1, a < 0], [1, 2]), dtypes="bilfd"),
    Record("piecewise", lambda f, a: f(a, [a > 1, a < 0], [1, 2, 3]), dtypes="bilfd"),
    Record("piecewise", lambda f, a: f(a, [a > 1, a < 0], [lambda x: x * 2, np.negative, 0]), dtypes="ilfd"),
    Record("piecewise", lambda f, a: f(a, [a > 1], [lambda x, k, m=0: x + k + m, 0], 3, m=4), dtypes="ld"),
    Record("piecewise", lambda f, a: f(a, a > 1, [lambda x: x, 5]), dtypes="ld", shapes=((5,), ())),
    Record("piecewise", lambda f, a: f(a, [True], [2]), dtypes="ld", shapes=((),)),
    Record("piecewise", lambda f, a: f(a, [a > 1, a < 0], [1]), dtypes="ld", raises=True),
    Record("piecewise", lambda f, a: f(a, [a > 1], [1, 2, 3]), dtypes="ld", raises=True),
)
test_records = record_test(RECORDS)


def test_slices_are_device_arrays():
    a = gpunp.arange(6.0).reshape(2, 3)
    seen = []
    assert_same(np.apply_along_axis(lambda x: seen.append(type(x)) or x.sum(), 1, a), np.array([3.0, 12.0]))
    assert seen == [gpunp.ndarray] * 2
    # A result on the host is uploaded.
    assert_same(np.apply_along_axis(lambda x: np.arange(2), 0, a), np.tile([[0], [1]], 3))


def test_piecewise_message():
    with pytest.raises(ValueError, match=r"with 1 condition\(s\), either 1 or 2 functions are expected"):
        np.piecewise(gpunp.arange(3), [gpunp.arange(3) > 1], [])


def test_a_class_of_numpy_has_no_place_on_a_device(device):
    x = gpunp.arange(6.0).reshape(2, 3)
    with pytest.raises(TypeError, match="MaskedArray"):
        np.apply_along_axis(lambda row: np.ma.masked_less(gpunp.asnumpy(row), 2), 1, x)
