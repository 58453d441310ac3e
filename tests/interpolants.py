"""Comparisons of the interpolants of ``scipy.interpolate`` on the device with those on the host."""

import pickle

import numpy as np
import pytest
import scipy

import gpunp

# Messages are those of SciPy 1.18.
NEWEST = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"


def on_device(value):
    """The value with arrays on the device, also in tuples and lists."""
    if isinstance(value, tuple | list):
        return type(value)(map(on_device, value))
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def agree(actual, expected, rtol=1e-10):
    """Assert a device array of the same shape and dtype, with values near those expected."""
    expected = np.asarray(expected)
    assert isinstance(actual, gpunp.ndarray)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    scale = np.max(np.abs(expected[np.isfinite(expected)]), initial=1)
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=rtol, atol=rtol * scale)


def pair(make, *args, **kwargs):
    """What a constructor makes on the host and on the device, which has the same type for `isinstance`."""
    host, device = make(*args, **kwargs), make(*on_device(args), **kwargs)
    assert isinstance(device, type(host))
    return host, device


def agree_at(made, points, rtol=1e-10, **kwargs):
    """Assert that a pair agrees at points: all of them, a scalar, and for the host's one on the device."""
    host, device = made
    agree(device(on_device(points), **kwargs), host(points, **kwargs), rtol)
    agree(host(on_device(points), **kwargs), host(points, **kwargs), rtol)
    agree(pickle.loads(pickle.dumps(device))(points, **kwargs), host(points, **kwargs), rtol)


def fails_alike(call, *args, **kwargs):
    """Assert that a call fails with device arrays as with those of the host."""
    with pytest.raises(Exception) as expected:  # noqa: PT011
        call(*args, **kwargs)
    with pytest.raises(expected.type) as actual:
        call(*on_device(args), **kwargs)
    if NEWEST:
        assert str(actual.value) == str(expected.value)


def normal(*shape, seed=0):
    """Normal random numbers, the same in each run."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def ascending(n, stop=10.0, seed=0):
    """Ascending points from about 0 to about ``stop``, not evenly spaced."""
    return np.linspace(0, stop, n) + np.random.default_rng([seed, n]).uniform(-0.3, 0.3, n) * stop / n


def probes(x, *shape, beyond=2.0):
    """Points within and outside of breakpoints, at some of them, and NaN."""
    low, high = np.min(x) - beyond, np.max(x) + beyond
    points = np.random.default_rng(5).uniform(low, high, shape or (4, 6))
    points.flat[:5] = np.nan, x[0], x[-1], x[len(x) // 2], x[1]
    return points
