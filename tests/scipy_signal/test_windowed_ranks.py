"""Filters by ranks, against SciPy."""

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal
from signal_calls import compare, values

import gpunp
from gpunp_scipy import ndimage, signal


@pytest.fixture(autouse=True)
def _rank_filter(monkeypatch):
    """SciPy's rank filter where gpunp_scipy.ndimage has none yet."""

    def rank_filter(a, *args, **kwargs):
        return gpunp.asarray(scipy.ndimage.rank_filter(a.get(), *args, **kwargs))

    if "rank_filter" not in ndimage.__all__:
        monkeypatch.setattr(ndimage, "rank_filter", rank_filter, raising=False)


@pytest.mark.parametrize("char", "fdBhi")
def test_medians(char, rng):
    for shape, sizes in (((50,), (None, 5, [7])), ((20, 30), (None, 5, [3, 7])), ((6, 7, 8), (3,))):
        x = values(rng, shape, char)
        for size in sizes:
            compare(signal.medfilt, scipy.signal.medfilt, x, size)
            if x.ndim == 2:
                compare(signal.medfilt2d, scipy.signal.medfilt2d, x, 3 if size is None else size)


def test_orders(rng):
    x = values(rng, (20, 30), "d")
    for rank in (0, 2, 4):
        compare(signal.order_filter, scipy.signal.order_filter, x, np.eye(5), rank)


def test_bad_input(rng):
    x = values(rng, (5, 6), "d")
    compare(signal.medfilt, scipy.signal.medfilt, x, 4)
    compare(signal.medfilt, scipy.signal.medfilt, x.astype("D"))
    compare(signal.medfilt2d, scipy.signal.medfilt2d, x[0])
    compare(signal.medfilt2d, scipy.signal.medfilt2d, x, 2)
    compare(signal.order_filter, scipy.signal.order_filter, x, np.ones((2, 3)), 1)
    compare(signal.order_filter, scipy.signal.order_filter, x.astype("D"), np.ones((3, 3)), 1)
    with pytest.warns(UserWarning, match="exceeds"):
        signal.medfilt(gpunp.ones(3), 5)
    # Only medfilt warns.
    compare(signal.medfilt2d, scipy.signal.medfilt2d, x, 7)
