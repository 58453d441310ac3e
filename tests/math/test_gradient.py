import numpy as np
import pytest
from records import ALL, Record, assert_same, make_values, record_test

import gpunp

CHARS = ALL.replace("?", "")
SHAPES = ((5,), (3, 4), (4, 3, 5), (33, 65))
PLAIN = ("C", "F", "negative", "offset", "transposed")


def coordinates(n):
    return np.cumsum(np.linspace(1, 2, n) ** 2)


RECORDS = (
    Record("gradient", dtypes=CHARS, shapes=SHAPES, exact=False),
    Record("gradient", lambda f, a: f(a, 0.5), dtypes=CHARS, shapes=SHAPES, layouts=PLAIN, exact=False),
    Record("gradient", lambda f, a: f(a, axis=0), dtypes=CHARS, shapes=SHAPES, layouts=PLAIN, exact=False),
    Record(
        "gradient",
        lambda f, a: f(a, 2, axis=-1, edge_order=2),
        dtypes=CHARS,
        shapes=SHAPES,
        layouts=PLAIN,
        exact=False,
    ),
    Record(
        "gradient",
        lambda f, a: f(a, np.float64(3), edge_order=2),
        dtypes="efdF",
        shapes=SHAPES,
        layouts=PLAIN,
        exact=False,
    ),
    Record(
        "gradient", lambda f, a: f(a, 2, 0.5), dtypes="lfdD", shapes=((3, 4),), exact=False, layouts=PLAIN
    ),
    Record(
        "gradient",
        lambda f, a: f(a, 2.0, 3, axis=(1, 0)),
        dtypes="lfdD",
        shapes=((3, 4),),
        exact=False,
        layouts=PLAIN,
    ),
    *(
        Record(
            "gradient",
            lambda f, a, order=order: f(a, coordinates(a.shape[0]), axis=0, edge_order=order),
            dtypes="blefdD",
            shapes=SHAPES,
            layouts=PLAIN,
            exact=False,
        )
        for order in (1, 2)
    ),
    Record(
        "gradient",
        lambda f, a: f(a, coordinates(a.shape[0]), 0.5 * np.arange(a.shape[1])),
        dtypes="lfdD",
        shapes=((3, 4), (33, 65)),
        layouts=PLAIN,
        exact=False,
    ),
    Record(
        "gradient",
        lambda f, a: f(a, [1, 2, 4, 7, 9]),
        dtypes="lfd",
        shapes=((5,),),
        layouts=PLAIN,
        exact=False,
    ),
    Record("gradient", lambda f, a: f(a, edge_order=3), dtypes="d", raises=True, shapes=SHAPES),
    Record("gradient", lambda f, a: f(a, 1, 2, 3, 4), dtypes="d", raises=True, shapes=SHAPES, layouts=PLAIN),
    Record("gradient", lambda f, a: f(a, [1, 2]), dtypes="d", raises=True, shapes=((5,),)),
    Record("gradient", lambda f, a: f(a, [[1, 2]]), dtypes="d", raises=True, shapes=((5,),)),
    Record("gradient", dtypes="d", raises=True, shapes=((1,), (0,)), layouts=PLAIN),
    Record("gradient", lambda f, a: f(a, axis=3), dtypes="d", raises=True, shapes=SHAPES[:2]),
    Record("gradient", dtypes="?", raises=True, shapes=((5,),)),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("char", "lfd")
def test_coordinates_of_the_device(char, order):
    host = make_values(char, (9, 7))
    for xs in (coordinates(9), np.arange(9), np.arange(9.0, dtype="f")):
        assert_same(
            np.gradient(gpunp.asarray(host), gpunp.asarray(xs), axis=0, edge_order=order),
            np.gradient(host, xs, axis=0, edge_order=order),
            exact=False,
        )


def test_spacing_of_the_device():
    host = make_values("d", (9,))
    assert_same(np.gradient(gpunp.asarray(host), gpunp.asarray(0.25)), np.gradient(host, 0.25), exact=False)
    assert_same(np.gradient(host, gpunp.asarray(0.25)), np.gradient(host, 0.25), exact=False)
