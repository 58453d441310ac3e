import numpy as np
import pytest
from records import REAL, Record, assert_same, record_test

import gpunp

SHAPES = ((), (7,), (0,), (3, 4), (33, 65))
BINS = (0.0, 1.0, 1.0, 2.5, 4.0)
RECORDS = (
    Record("digitize", lambda f, x: f(x, BINS), dtypes=REAL, shapes=SHAPES),
    Record("digitize", lambda f, x: f(x, BINS, right=True), dtypes=REAL, shapes=SHAPES),
    Record("digitize", lambda f, x: f(x, BINS[::-1]), dtypes=REAL, shapes=SHAPES),
    Record("digitize", lambda f, x: f(x, BINS[::-1], True), dtypes=REAL, shapes=SHAPES),
    Record("digitize", lambda f, x: f(x, [2, 2]), dtypes="if", shapes=SHAPES),
    Record("digitize", lambda f, x: f(x, []), dtypes="if", shapes=SHAPES),
    Record("digitize", lambda f, x: f(x, BINS), dtypes="FD", raises=True),
    Record("digitize", lambda f, x: f(x, [1, 2j]), dtypes="f", raises=True),
    Record("digitize", lambda f, x: f(x, [1, 3, 2]), dtypes="if", raises=True),
    Record("digitize", lambda f, x: f(x, [[1, 2]]), dtypes="if", raises=True),
    Record("digitize", lambda f, x: f(x, 3), dtypes="if", raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("char", "bHlefd")
def test_bins_on_the_device(char):
    rng = np.random.default_rng(5)
    x = (100 * rng.random(3000)).astype(char)
    for size in (0, 1, 2, 40, 2000):
        bins = np.sort((100 * rng.random(size)).astype(char))
        for right in (False, True):
            for order in (bins, bins[::-1]):
                assert_same(
                    np.digitize(gpunp.asarray(x), gpunp.asarray(order), right), np.digitize(x, order, right)
                )


def test_bins_out_of_order_on_the_device():
    for bins in ([1.0, 3.0, 2.0], [5.0, 1.0, 2.0], [*range(3000), 5]):
        with pytest.raises(ValueError, match="monotonically"):
            np.digitize(gpunp.asarray([1.0]), gpunp.asarray(bins)).tolist()
    with pytest.raises(ValueError, match="too deep"):
        np.digitize(gpunp.asarray([1.0]), gpunp.ones((2, 2)))
    with pytest.raises(TypeError, match="Cannot cast"):
        np.digitize(gpunp.asarray([1.0]), gpunp.asarray([1j, 2]))


def test_nan():
    x = np.array([np.nan, 0.5, np.inf])
    for bins in ([0, 1], [1, 0]):
        for right in (False, True):
            assert_same(np.digitize(gpunp.asarray(x), bins, right), np.digitize(x, bins, right))
