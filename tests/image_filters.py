"""Comparison of filters of images with SciPy's on host copies: values, dtypes and exceptions."""

import numpy as np
import pytest
import scipy.ndimage

import gpunp
import gpunp_scipy.ndimage

MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap")
DTYPES = "?bBhHiIlLfd"
# One and more tiles and runs, odd and even, axes with a single sample, few adjacent samples, up to four axes.
SHAPES = ((23,), (300,), (37, 150), (5, 9), (1, 4), (40, 3), (3, 17, 6), (2, 3, 4, 5))
# Sums in float64 may be added in another order; float32 results are rounded once from such sums.
TOLERANCES = {"e": 2e-3, "f": 2e-7, "F": 2e-7, "d": 1e-13, "D": 1e-13}


def image(rng, shape, char):
    """Values of both signs, in a range that all dtypes have."""
    a = rng.normal(size=shape) * 40
    if char in "FD":
        a = a + 1j * rng.normal(size=shape) * 40
    if char == "?":
        return a > 0
    return np.abs(a).astype(char) if char in "BHIL" else a.astype(char)


RANKS = ("median_filter", "percentile_filter", "rank_filter")


def expect(name, a, *args, **kwargs):
    """SciPy's result; of ranks along one line that of an image, as SciPy reads beyond short lines."""
    if name in RANKS and a.ndim == 1 and a.size < 10:
        return getattr(scipy.ndimage, name)(a[None], *args, **{**kwargs, "axes": (1,)})[0]
    return getattr(scipy.ndimage, name)(a, *args, **kwargs)


def compare(name, a, *args, atol=None, **kwargs):
    """Assert the result of SciPy's function, or an error of its type; the input does not change."""
    device = gpunp.asarray(a)
    try:
        expected = expect(name, a, *args, **kwargs)
    except Exception as error:
        with pytest.raises(type(error)):
            getattr(gpunp_scipy.ndimage, name)(device, *args, **kwargs)
        return
    actual = getattr(gpunp_scipy.ndimage, name)(device, *args, **kwargs)
    assert isinstance(actual, gpunp.ndarray)
    assert actual.dtype == expected.dtype
    same(actual, expected, atol)
    np.testing.assert_array_equal(gpunp.asnumpy(device), a)


def same(actual, expected, atol=None):
    """Assert equal integers, and floating-point numbers that differ by rounding."""
    tolerance = TOLERANCES.get(expected.dtype.char)
    if tolerance is None:
        np.testing.assert_array_equal(gpunp.asnumpy(actual), expected)
        return
    scale = np.max(np.abs(expected[np.isfinite(expected)]), initial=1.0)
    atol = tolerance * scale if atol is None else atol
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=tolerance, atol=atol)
