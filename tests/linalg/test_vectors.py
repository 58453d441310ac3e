import numpy as np
import pytest
from records import ALL, CANCELLING, Record, assert_same, make_values, record_test

import gpunp

NUMBERS = ALL.replace("?", "")
SHAPES = ((3,), (4, 3), (2, 5, 3), (0, 3), (500, 3))
ROWS = ("C", "F", "offset", "broadcast")

RECORDS = (
    Record("cross", dtypes=NUMBERS, shapes=SHAPES, arrays=2, layouts=ROWS, exact=False, absolute=CANCELLING),
    Record(
        "cross",
        lambda f, a, b: f(a, b.ravel()[:3]),
        dtypes=NUMBERS,
        shapes=SHAPES[:3],
        arrays=2,
        layouts=ROWS,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "cross",
        lambda f, a, b: f(b[0], a),
        dtypes="ifD",
        shapes=((4, 3), (5, 4, 3)),
        arrays=2,
        layouts=ROWS,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "cross",
        lambda f, a: f(a, [1, 2, 3.5]),
        dtypes="bilfdD",
        shapes=SHAPES,
        layouts=ROWS,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "cross",
        lambda f, a: f([1, 2, 3], a),
        dtypes="bilfdD",
        shapes=SHAPES,
        layouts=ROWS,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "cross",
        lambda f, a, b: f(a, b, axis=0),
        dtypes="ifD",
        shapes=((3,), (3, 4), (3, 2, 5)),
        arrays=2,
        layouts=ROWS[:3],
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "cross",
        lambda f, a, b: f(a, b, 0, 0, 1),
        dtypes="ifD",
        shapes=((3, 4), (3, 2, 5)),
        arrays=2,
        layouts=ROWS[:3],
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "cross",
        lambda f, a, b: f(a[:, None], b[None]),
        dtypes="lfd",
        shapes=((4, 3),),
        arrays=2,
        exact=False,
        absolute=CANCELLING,
        layouts=ROWS[:3],
    ),
    Record("cross", dtypes="?", shapes=SHAPES, arrays=2, layouts=ROWS, raises=True),
    Record("cross", dtypes="ld", shapes=((), (4,), (2, 5)), arrays=2, layouts=ROWS[:3], raises=True),
    Record(
        "cross",
        lambda f, a, b: f(a, b, 3),
        dtypes="ld",
        shapes=SHAPES,
        arrays=2,
        layouts=ROWS[:3],
        raises=True,
    ),
    Record(
        "cross",
        lambda f, a, b: f(a, b, axisc=4),
        dtypes="ld",
        shapes=SHAPES,
        arrays=2,
        layouts=ROWS[:3],
        raises=True,
    ),
    Record(
        "cross", lambda f, a: f(a[:2], a[:3]), dtypes="ld", shapes=((4, 3),), layouts=ROWS[:3], raises=True
    ),
    Record(
        "linalg.cross", dtypes="ifdD", shapes=SHAPES, arrays=2, layouts=ROWS, exact=False, absolute=CANCELLING
    ),
    Record(
        "linalg.cross",
        lambda f, a, b: f(a, b, axis=0),
        dtypes="ifdD",
        shapes=((3, 4),),
        arrays=2,
        layouts=ROWS[:3],
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.cross", dtypes="ld", shapes=((4,), (2, 5)), arrays=2, raises=True, layouts=ROWS),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("chars", ["bB", "iI", "lf", "ed", "dF", "LB"])
def test_two_dtypes(chars):
    a, b = (make_values(char, (16, 3), seed) for seed, char in enumerate(chars))
    assert_same(np.cross(gpunp.asarray(a), gpunp.asarray(b)), np.cross(a, b), exact=False)
    assert_same(np.cross(a, gpunp.asarray(b)), np.cross(a, b), exact=False)
