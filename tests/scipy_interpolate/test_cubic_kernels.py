"""The kernels of cubic interpolants: slopes and coefficients agree with the formulas and with SciPy."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

import gpunp
from gpunp_scipy.interpolate import cubic_kernels

RNG = np.random.default_rng(8)


def _places(n):
    return np.cumsum(RNG.uniform(0.1, 2, n))


@pytest.mark.parametrize("n", [2, 3, 4, 50, 1000])
@pytest.mark.parametrize("inner", [(), (3,), (2, 5)])
def test_monotone_interpolants(n, inner):
    x, y = _places(n), RNG.normal(size=(n, *inner))
    # Equal neighbors, and ends where slopes are limited.
    y[n // 2 : n // 2 + 2] = 1
    expected = PchipInterpolator(x, y)
    h, values = gpunp.asarray(np.diff(x)), gpunp.asarray(y)
    slopes = cubic_kernels.monotone_slopes(h, values)
    c = cubic_kernels.pieces(h, values, slopes)
    tiny = 1e-13 * np.abs(expected.c).max()
    np.testing.assert_allclose(gpunp.asnumpy(c), expected.c, rtol=1e-11, atol=tiny)
    found = PchipInterpolator(gpunp.asarray(x), values)
    np.testing.assert_array_equal(gpunp.asnumpy(found.c), gpunp.asnumpy(c))


@pytest.mark.parametrize(("shape", "axis"), [((6,), 0), ((6, 2), 0), ((3, 6, 2), 1), ((6, 0), 0)])
@pytest.mark.parametrize("char", "dD")
def test_values_and_slopes(shape, axis, char):
    x, y, slopes = _places(6), RNG.normal(size=shape).astype(char), RNG.normal(size=shape).astype(char)
    if char == "D":
        y, slopes = y * (1 + 2j), slopes * (3 - 1j)
    expected = CubicHermiteSpline(x, y, slopes, axis=axis)
    found = CubicHermiteSpline(*map(gpunp.asarray, (x, y, slopes)), axis=axis)
    assert found.c.dtype == expected.c.dtype
    np.testing.assert_allclose(gpunp.asnumpy(found.c), expected.c, rtol=1e-12, atol=1e-12)


def test_other_dtypes():
    h, y = gpunp.ones(3), gpunp.ones((4, 2), dtype="f4")
    with pytest.raises(ValueError, match="y is C-contiguous float64"):
        cubic_kernels.monotone_slopes(h, y)
