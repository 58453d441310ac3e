"""Spherical Bessel functions, and derivatives of Bessel functions."""

import operator

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.ufunc.engine import UFUNCS

_ORDERED = {name: UFUNCS["scipy.special", name] for name in ("jv", "yv", "iv", "kv", "hankel1", "hankel2")}
_SPHERICAL = {
    name: UFUNCS["scipy.special._ufuncs", f"_spherical_{name}"]
    for kind in ("jn", "yn", "in", "kn")
    for name in (kind, f"{kind}_d")
}
_SHORT = (numpy.dtype(numpy.float32), numpy.dtype(numpy.float16))


def _spherical(kind, n, z, derivative):
    # Like SciPy's, the orders are cut to integers.
    n = (n if isinstance(n, ndarray) else numpy.asarray(n)).astype(numpy.int64)
    # SciPy multiplies all but kn by a sign that is an integer, which makes float64 of float32.
    if kind != "kn" and getattr(z, "dtype", None) in _SHORT:
        z = z.astype(numpy.float64)
    return _SPHERICAL[f"{kind}_d" if derivative else kind](n, z)


def spherical_jn(n, z, derivative=False):
    """Spherical Bessel function of the first kind or its derivative; see `scipy.special.spherical_jn`.

    Parameters
    ----------
    n : array_like of int
        Orders; NaN for negative ones.
    z : array_like
        Real or complex numbers.
    derivative : bool, default False
        Whether to return the derivative.

    Returns
    -------
    ndarray
    """
    return _spherical("jn", n, z, derivative)


def spherical_yn(n, z, derivative=False):
    """Spherical Bessel function of the second kind or its derivative; see `scipy.special.spherical_yn`.

    Parameters
    ----------
    n : array_like of int
        Orders; NaN for negative ones.
    z : array_like
        Real or complex numbers.
    derivative : bool, default False
        Whether to return the derivative.

    Returns
    -------
    ndarray
    """
    return _spherical("yn", n, z, derivative)


def spherical_in(n, z, derivative=False):
    """Modified spherical Bessel function of the first kind; see `scipy.special.spherical_in`.

    Parameters
    ----------
    n : array_like of int
        Orders; NaN for negative ones.
    z : array_like
        Real or complex numbers.
    derivative : bool, default False
        Whether to return the derivative.

    Returns
    -------
    ndarray
    """
    return _spherical("in", n, z, derivative)


def spherical_kn(n, z, derivative=False):
    """Modified spherical Bessel function of the second kind; see `scipy.special.spherical_kn`.

    Parameters
    ----------
    n : array_like of int
        Orders; NaN for negative ones.
    z : array_like
        Real or complex numbers.
    derivative : bool, default False
        Whether to return the derivative.

    Returns
    -------
    ndarray
    """
    return _spherical("kn", n, z, derivative)


def _derivative(name, v, z, n, sign):
    """Return the n-th derivative, a sum of functions of neighbouring orders (DLMF 10.6.7, 10.29.5)."""
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError(f"n must be a non-negative integer, not {n!r}") from error
    if n < 0:
        raise ValueError(f"n must be a non-negative integer, not {n}")
    function = _ORDERED[name]
    if n == 0:
        return function(v, z)
    if not isinstance(v, ndarray):
        v = numpy.asarray(v)
    factor = 1.0
    result = function(v - n, z)
    for k in range(1, n + 1):
        factor = sign * factor * (n - k + 1) / k
        result = result + factor * function(v - n + 2 * k, z)
    return result / 2.0**n


def jvp(v, z, n=1):
    """The n-th derivative of the Bessel function of the first kind; see `scipy.special.jvp`.

    Parameters
    ----------
    v : array_like
        Orders.
    z : array_like
        Real or complex numbers.
    n : int, default 1

    Returns
    -------
    ndarray
    """
    return _derivative("jv", v, z, n, -1)


def yvp(v, z, n=1):
    """The n-th derivative of the Bessel function of the second kind; see `scipy.special.yvp`.

    Parameters
    ----------
    v : array_like
        Orders.
    z : array_like
        Real or complex numbers.
    n : int, default 1

    Returns
    -------
    ndarray
    """
    return _derivative("yv", v, z, n, -1)


def ivp(v, z, n=1):
    """The n-th derivative of the modified Bessel function of the first kind; see `scipy.special.ivp`.

    Parameters
    ----------
    v : array_like
        Orders.
    z : array_like
        Real or complex numbers.
    n : int, default 1

    Returns
    -------
    ndarray
    """
    return _derivative("iv", v, z, n, 1)


def kvp(v, z, n=1):
    """The n-th derivative of the modified Bessel function of the second kind; see `scipy.special.kvp`.

    Parameters
    ----------
    v : array_like
        Orders.
    z : array_like
        Real or complex numbers.
    n : int, default 1

    Returns
    -------
    ndarray
    """
    result = _derivative("kv", v, z, n, 1)
    return -result if n % 2 else result


def h1vp(v, z, n=1):
    """The n-th derivative of the Hankel function of the first kind; see `scipy.special.h1vp`.

    Parameters
    ----------
    v : array_like
        Orders.
    z : array_like
        Complex numbers.
    n : int, default 1

    Returns
    -------
    ndarray
    """
    return _derivative("hankel1", v, z, n, -1)


def h2vp(v, z, n=1):
    """The n-th derivative of the Hankel function of the second kind; see `scipy.special.h2vp`.

    Parameters
    ----------
    v : array_like
        Orders.
    z : array_like
        Complex numbers.
    n : int, default 1

    Returns
    -------
    ndarray
    """
    return _derivative("hankel2", v, z, n, -1)


FUNCTIONS = {
    "h1vp": h1vp,
    "h2vp": h2vp,
    "ivp": ivp,
    "jn": _ORDERED["jv"],
    "jvp": jvp,
    "kvp": kvp,
    "spherical_in": spherical_in,
    "spherical_jn": spherical_jn,
    "spherical_kn": spherical_kn,
    "spherical_yn": spherical_yn,
    "yvp": yvp,
}
