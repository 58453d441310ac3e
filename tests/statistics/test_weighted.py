import numpy as np
import pytest
from records import ALL, CANCELLING, Record, assert_same, record_test

import gpunp

SHAPES = ((), (1,), (7,), (3, 4), (2, 3, 4))
CHARS = ALL.replace("e", "")


def both(result):
    """Convert the pair of average and sum of weights to a list, for comparison by parts."""
    return list(result)


def positive(b):
    """Make finite, positive weights."""
    return abs(np.nan_to_num(b, posinf=1, neginf=1)) + 1 if b.dtype.kind in "fc" else b % 5 + 1


RECORDS = (
    Record("average", dtypes=CHARS, shapes=SHAPES, exact=False, absolute=CANCELLING),
    Record(
        "average",
        lambda f, a: f(a, axis=0),
        dtypes=CHARS,
        shapes=SHAPES[1:],
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "average",
        lambda f, a: f(a, axis=-1, keepdims=True),
        dtypes="?ld",
        shapes=SHAPES[1:],
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "average",
        lambda f, a: both(f(a, returned=True)),
        dtypes="ldF",
        shapes=SHAPES,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "average",
        lambda f, a: both(f(a, axis=(0, 1), returned=True)),
        shapes=((2, 3, 4),),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "average",
        lambda f, a, b: f(a, weights=positive(b)),
        dtypes="?Hlfd",
        arrays=2,
        shapes=SHAPES,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "average",
        lambda f, a, b: both(f(a, axis=-1, weights=positive(b), returned=True, keepdims=True)),
        dtypes="ild",
        arrays=2,
        shapes=SHAPES[1:],
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "average",
        lambda f, a: f(a, 0, [1, 2.5, 3]),
        dtypes="ldD",
        shapes=((3,), (3, 4)),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "average",
        lambda f, a: f(a, axis=(2, 0), weights=np.arange(8.0).reshape(4, 2)),
        shapes=((2, 3, 4),),
        layouts=("C", "F"),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("average", lambda f, a: f(a, weights=[1, 2]), shapes=((3,), (3, 4)), layouts=("C",), raises=True),
    Record(
        "average",
        lambda f, a: f(a, axis=0, weights=[1, 2]),
        shapes=((3,), (3, 4)),
        layouts=("C",),
        raises=True,
    ),
    Record("average", lambda f, a: f(a, axis=5), shapes=((3,),), layouts=("C",), raises=True),
    Record(
        "average",
        lambda f, a: f(a, axis=0, weights=[1, -1, 0]),
        shapes=((3,), (3, 4)),
        layouts=("C",),
        raises=True,
    ),
)
test_records = record_test(RECORDS)


def test_messages():
    for a in (np.ones((2, 3)), gpunp.ones((2, 3))):
        with pytest.raises(TypeError, match="Axis must be specified when shapes of a and weights differ"):
            np.average(a, weights=[1, 2])
        with pytest.raises(ValueError, match="Shape of weights must be consistent"):
            np.average(a, axis=0, weights=[1, 2, 3])
        with pytest.raises(ZeroDivisionError, match="Weights sum to zero"):
            np.average(a, axis=0, weights=[0, 0])


def test_weights_alone_on_the_device(rng):
    values, weights = rng.normal(size=(5, 4)), rng.random((5, 4))
    expected = np.average(values, weights=weights)
    for a, w in ((values, gpunp.asarray(weights)), (gpunp.asarray(values), weights)):
        assert_same(np.average(a, weights=w), expected, exact=False)


def test_half_precision(rng):
    host = rng.normal(size=(4, 5)).astype("f2")
    weights = rng.integers(1, 5, (4, 5))
    assert_same(
        np.average(gpunp.asarray(host), weights=weights), np.average(host, weights=weights), exact=False
    )
