"""Spherical Bessel functions and derivatives of Bessel functions, compared with mpmath and SciPy."""

import mpmath
import numpy as np
import pytest
import scipy.special
from long_functions import plain
from values import assert_same_class

import gpunp

ORDERS = np.array([0, 1, 2, 5, 20])
REAL = np.array([-7.3, -0.4, 1e-3, 0.7, 3.3, 19.0, 60.0])
PLANE = np.array([0.3 + 0.2j, -2.2 + 1j, 5.5 - 7j, -13 - 4j, 25 + 0.1j, 2.5j])
SPHERICAL = {
    "spherical_jn": mpmath.besselj,
    "spherical_yn": mpmath.bessely,
    "spherical_in": mpmath.besseli,
    "spherical_kn": mpmath.besselk,
}


def value_of(name, n, z):
    return mpmath.sqrt(mpmath.pi / 2) / mpmath.sqrt(z) * SPHERICAL[name](n + mpmath.mpf(1) / 2, z)


def slope_of(name, n, z):
    """Return the derivative (DLMF 10.51.2, 10.51.5)."""
    if name == "spherical_in":
        return value_of(name, n + 1, z) + n * value_of(name, n, z) / z
    return n * value_of(name, n, z) / z - value_of(name, n + 1, z)


@pytest.mark.parametrize("derivative", [False, True])
@pytest.mark.parametrize("points", [REAL, PLANE], ids=["real", "complex"])
@pytest.mark.parametrize("name", SPHERICAL)
def test_spherical(name, points, derivative, device):
    n, z = (grid.ravel() for grid in np.meshgrid(ORDERS, points))
    if name == "spherical_kn" and points is REAL:
        # Near roots on the negative axis only the modulus of the terms counts.
        n, z = n[z > 0], z[z > 0]
    with mpmath.workdps(40):
        function = slope_of if derivative else value_of
        exact = [function(name, int(a), mpmath.mpmathify(complex(b))) for a, b in zip(n, z, strict=True)]
    wanted = np.array([complex(x) for x in exact])
    wanted = wanted if points is PLANE else wanted.real
    for function in (getattr(scipy.special, name), getattr(gpunp.special, name)):
        actual = function(gpunp.asarray(n), gpunp.asarray(z), derivative)
        assert actual.dtype == wanted.dtype
        np.testing.assert_allclose(actual.get(), wanted, rtol=2e-11)


@pytest.mark.parametrize("name", SPHERICAL)
@pytest.mark.parametrize("char", "fdFD")
def test_spherical_dtypes_and_edges(name, char, device):
    function = plain(name)
    x = np.array([0.0, 0.5, 2.0, np.inf, np.nan]).astype(char)
    for n in (0, 1, 2, -1):
        with np.errstate(all="ignore"):
            wanted = np.asarray(function(n, x))
        actual = getattr(gpunp.special, name)(n, gpunp.asarray(x))
        # SciPy's reflection, which `plain` leaves out, makes float64 of float32.
        assert actual.dtype == ("d" if char == "f" and name != "spherical_kn" else wanted.dtype)
        assert getattr(gpunp.special, name)(n, gpunp.asarray(x), derivative=True).dtype == actual.dtype
        assert_same_class(actual.get().real, wanted.real, signed_zero=False)
        finite = np.isfinite(wanted)
        rtol = 1e-12 if char in "dD" else 1e-5
        np.testing.assert_allclose(actual.get()[finite], wanted[finite], rtol=rtol)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"])
def test_derivatives(name, n, device):
    v, x = (grid.ravel() for grid in np.meshgrid([0.0, 1.0, 2.0, 3.5], [0.3, 2.2, 9.0]))
    z = x + 0.5j
    for operand in (z,) if name[0] == "h" else (x, z):
        wanted = plain(name)(v, operand, n)
        for function in (getattr(scipy.special, name), getattr(gpunp.special, name)):
            actual = function(gpunp.asarray(v), gpunp.asarray(operand), n)
            assert actual.dtype == wanted.dtype
            np.testing.assert_allclose(actual.get(), wanted, rtol=1e-11)
    with pytest.raises(ValueError, match="non-negative integer"):
        getattr(gpunp.special, name)(v, gpunp.asarray(x), -1)


def test_jn_is_jv(device):
    x = np.linspace(0.1, 20, 50)
    np.testing.assert_allclose(
        gpunp.special.jn(2, gpunp.asarray(x)).get(), scipy.special.jv(2, x), rtol=1e-12
    )
