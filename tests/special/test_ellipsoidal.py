"""Ellipsoidal harmonics and associated Laguerre polynomials, compared with SciPy."""

import numpy as np
import pytest
import scipy.special
from long_functions import plain

import gpunp

# SciPy is compared where its own polynomials, in a different order of operations, do not cancel.
PLACES = np.array([-9.0, -2.5, -0.5, 0.0, 0.5, 2.2, 2.5, 3.3, 12.0])


@pytest.mark.parametrize("n", range(8))
@pytest.mark.parametrize("char", "fd")
def test_all_orders(n, char, device):
    s = PLACES.astype(char)
    for p in range(1, 2 * n + 2):
        expected = plain("ellip_harm")(5.0, 8.0, n, p, s)
        actual = gpunp.special.ellip_harm(5.0, 8.0, n, p, gpunp.asarray(s))
        assert actual.dtype == expected.dtype
        scale = 3.0**n
        np.testing.assert_allclose(
            actual.get() / scale, expected / scale, rtol=2e-5 if char == "f" else 1e-11, atol=1e-12
        )


def test_arrays_of_parameters(device):
    h2, k2 = np.array([[1.0], [2.0], [0.0], [9.0]]), 8.0
    n, p = np.array([3, 4, 2, 5, -1, 2]), np.array([2, 7, 5, 11, 1, 6])
    for signs in ({}, {"signm": -1}, {"signm": np.array([1, -1, 1, -1, -1, -1]), "signn": -1}, {"signn": 2}):
        expected = plain("ellip_harm")(h2, k2, n, p, 1.7, *(signs.get(k, 1) for k in ("signm", "signn")))
        actual = scipy.special.ellip_harm(h2, k2, n, p, gpunp.asarray(1.7), **signs)
        assert isinstance(actual, gpunp.ndarray)
        np.testing.assert_allclose(actual.get(), expected, rtol=1e-11)


def test_integers_and_errors(device):
    s = gpunp.asarray([1, 2, 3])
    np.testing.assert_allclose(
        gpunp.special.ellip_harm(5, 8, 2, 1, s).get(), plain("ellip_harm")(5, 8, 2, 1, s.get())
    )
    with pytest.raises(TypeError, match=r"scipy\.special\.ellip_harm: h2 is a device array"):
        gpunp.special.ellip_harm(s, 8, 2, 1, s)
    with pytest.warns(RuntimeWarning, match="truncated to an integer"):
        assert gpunp.special.ellip_harm(5, 8, 2.5, 1, s).shape == (3,)


def test_associated_laguerre(device):
    x = np.linspace(-2, 9, 12)
    expected = plain("assoc_laguerre")(x, 3, 1.5)
    for function in (scipy.special.assoc_laguerre, gpunp.special.assoc_laguerre):
        np.testing.assert_allclose(function(gpunp.asarray(x), 3, 1.5).get(), expected, rtol=1e-12)
        np.testing.assert_allclose(function(gpunp.asarray(x), 3).get(), plain("assoc_laguerre")(x, 3))
