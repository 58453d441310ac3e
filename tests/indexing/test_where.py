import numpy as np
import pytest
from records import ALL, SHAPES, Record, assert_same, make_values, record_test

import gpunp

RECORDS = (
    Record(
        "where",
        lambda f, a, b: f(a > b if a.dtype.kind != "c" else a.real > 0, a, b),
        dtypes=ALL,
        shapes=SHAPES,
        arrays=2,
        layouts=("C", "F", "transposed", "negative"),
    ),
    Record("where", lambda f, a: f(a, 1, a), dtypes=ALL),
    Record("where", lambda f, a: f(a, a, 0.5), dtypes=ALL),
    Record("where", lambda f, a: f(a, a[..., :1], -1), shapes=((5,), (3, 4), (2, 3, 4))),
)
test_records = record_test(RECORDS)


def test_mixed_dtypes_and_broadcasting():
    condition, x, y = make_values("?", (3, 1)), make_values("h", (4,)), make_values("f", (2, 1, 1))
    expected = np.where(condition, x, y)
    assert_same(np.where(gpunp.asarray(condition), x, y), expected)
    assert_same(np.where(condition, gpunp.asarray(x), gpunp.asarray(y)), expected)
    with pytest.raises(ValueError, match="neither"):
        np.where(gpunp.asarray(condition), x)
    with pytest.raises(ValueError, match="broadcast"):
        np.where(gpunp.asarray(condition), gpunp.ones(4), gpunp.ones(5))
