"""Lengths and angles in the plane, which the CPU device computes in blocks."""

import numpy as np
import pytest

import gpunp

# The function of two real numbers, and its greatest error on the CPU device in units of the last place.
FUNCTIONS = {"arctan2": (np.arctan2, 0.8), "hypot": (np.hypot, 0.6), "absolute": (np.hypot, 0.9)}
VALUES = (
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 3.0, -3.0, 1e-40, -1e-40, 5e-324, -5e-324, 1e-310),
    *(
        1e300,
        -1e300,
        1.7e308,
        1e-160,
        1e-150,
        3e-136,
        -3e-136,
        2e135,
        4e135,
        1e152,
        0.41421356,
        2.41421356,
        1e-20,
    ),
)


def _complex(x, y):
    # Sums with 1j would make NaN of infinities.
    out = np.empty(x.shape, np.result_type(x, np.complex64))
    out.real, out.imag = x, y
    return out


def _found(device, name, x, y):
    f = FUNCTIONS[name][0]
    if name == "absolute":
        return gpunp.asnumpy(np.absolute(gpunp.asarray(_complex(x, y), device=device)))
    return gpunp.asnumpy(f(gpunp.asarray(x, device=device), gpunp.asarray(y, device=device)))


def _points(rng, dtype, kind):
    n = 4099
    if kind == "near":
        x, y = rng.uniform(-2, 2, (2, n))
    elif kind == "wide":
        x, y = rng.choice([-1, 1], (2, n)) * 10.0 ** rng.uniform(-30, 30, (2, n))
    elif kind == "far":
        limit = 300 if np.dtype(dtype) == np.float64 else 37
        x, y = rng.choice([-1, 1], (2, n)) * 10.0 ** rng.uniform(-limit, limit, (2, n))
    else:
        # Near multiples of pi / 8, where the formulas change.
        angle = np.arange(-8, 9)[:, None] * np.pi / 8 + rng.uniform(-1, 1, (17, 241)) * 1e-7
        x, y = np.sin(angle).ravel(), np.cos(angle).ravel()
    return x.astype(dtype), y.astype(dtype)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", ["near", "wide", "far", "edges"])
def test_accuracy(device, rng, dtype, name, kind):
    if np.finfo(np.longdouble).eps >= np.finfo("d").eps:
        pytest.skip("long double has no more digits here")
    x, y = _points(rng, dtype, kind)
    f, most = FUNCTIONS[name]
    exact = f(x.astype(np.longdouble), y.astype(np.longdouble))
    found = _found(device, name, x, y)
    assert found.dtype == np.dtype(dtype)
    info = np.finfo(dtype)
    inside = (np.abs(exact) < info.max) & (np.abs(exact) > info.tiny)
    error = np.abs(found - exact)[inside] / np.spacing(np.abs(exact[inside].astype(dtype)))
    # CUDA's functions are its own: theirs err by up to two units.
    assert error.max() < (most if device.is_cpu else 2.5)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(device, dtype, name):
    with np.errstate(all="ignore"):
        values = np.array(VALUES).astype(dtype)
        x, y = (each.ravel() for each in np.meshgrid(values, values))
        expected = FUNCTIONS[name][0](x, y)
    found = _found(device, name, x, y)
    info = np.finfo(dtype)
    np.testing.assert_allclose(found, expected, rtol=2 * info.eps, atol=info.smallest_subnormal)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", ["arctan2", "hypot"])
def test_layouts_have_the_same_bits(device, rng, dtype, name):
    f = FUNCTIONS[name][0]
    x, y = _points(rng, dtype, "wide")
    x[::97], y[5::101] = 0, np.inf
    a, b = gpunp.asarray(x, device=device), gpunp.asarray(y, device=device)
    expected = gpunp.asnumpy(f(a, b))
    np.testing.assert_array_equal(gpunp.asnumpy(f(a[::3], b[::3])), expected[::3])
    np.testing.assert_array_equal(gpunp.asnumpy(f(a[:5], b[:5])), expected[:5])
    chosen = gpunp.asarray(x > 0, device=device)
    out = gpunp.asarray(np.zeros_like(x), device=device)
    f(a, b, out=out, where=chosen)
    np.testing.assert_array_equal(gpunp.asnumpy(out), np.where(x > 0, expected, 0))
    f(a, b, out=a)
    np.testing.assert_array_equal(gpunp.asnumpy(a), expected)


def test_absolute_of_strided_numbers(device, rng):
    host = rng.standard_normal(2000) + 1j * rng.standard_normal(2000)
    host[::31] = np.nan
    a = gpunp.asarray(host, device=device)
    whole = gpunp.asnumpy(np.absolute(a))
    np.testing.assert_array_equal(gpunp.asnumpy(np.absolute(a[::-3])), whole[::-3])
    np.testing.assert_allclose(whole, np.abs(host), rtol=1e-15)
