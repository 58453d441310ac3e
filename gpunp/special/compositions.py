"""Functions of scipy.special that are composed of ufuncs."""

import math

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import on_one_device
from gpunp.math.other_special import sinc
from gpunp.special import bessel, legendre
from gpunp.ufunc.engine import UFUNCS

_digamma = UFUNCS["scipy.special", "digamma"]
_gamma = UFUNCS["scipy.special", "gamma"]
_genlaguerre = UFUNCS["scipy.special", "eval_genlaguerre"]
_gammaln = UFUNCS["scipy.special", "gammaln"]
_lambertw = UFUNCS["scipy.special._ufuncs", "_lambertw"]
_hurwitz_zeta = UFUNCS["scipy.special._ufuncs", "_zeta"]
_riemann_zeta = UFUNCS["scipy.special._ufuncs", "_riemann_zeta"]


def lambertw(z, k=0, tol=1e-8):
    """Lambert's W function, the inverse of ``w * exp(w)``; see `scipy.special.lambertw`.

    Parameters
    ----------
    z : array_like
        Numbers.
    k : array_like of int, default 0
        The branch.
    tol : float, default 1e-8
        The relative change of the last step.

    Returns
    -------
    ndarray
        Complex numbers.
    """
    return _lambertw(z, numpy.asarray(k, dtype=numpy.int64) if numpy.isscalar(k) else k, tol)


def multigammaln(a, d):
    """The logarithm of the multivariate gamma function; see `scipy.special.multigammaln`.

    Waits for the device once, to check for values that are too small.

    Parameters
    ----------
    a : array_like
        Real numbers greater than ``(d - 1) / 2``.
    d : int
        The dimension.

    Returns
    -------
    ndarray
    """
    if d != int(d) or d < 1:
        raise ValueError(f"multigammaln: the dimension d must be a positive integer, not {d!r}")
    a, d = asarray(a), int(d)
    if bool((a <= 0.5 * (d - 1)).any()):
        raise ValueError(f"multigammaln: a must be greater than (d - 1) / 2 = {0.5 * (d - 1)}")
    result = _gammaln(a)
    for j in range(1, d):
        result += _gammaln(a - 0.5 * j)
    # SciPy adds a NumPy scalar, whose dtype takes part in promotion: the result is float64 for any `a`.
    return result + numpy.float64(d * (d - 1) * 0.25 * math.log(math.pi))


def zeta(x, q=None, out=None):
    """The Riemann zeta function, or with q the Hurwitz zeta function; see `scipy.special.zeta`.

    Parameters
    ----------
    x : array_like
        Real numbers.
    q : array_like, optional
        The offset of the Hurwitz zeta function. By default Riemann's, 1, which is continued below ``x = 1``.
    out : ndarray, optional

    Returns
    -------
    ndarray
    """
    return _riemann_zeta(x, out=out) if q is None else _hurwitz_zeta(x, q, out=out)


def polygamma(n, x):
    """The n-th derivative of the digamma function; see `scipy.special.polygamma`.

    Parameters
    ----------
    n : array_like of int
        Non-negative orders.
    x : array_like
        Real numbers.

    Returns
    -------
    ndarray
    """
    n, x = on_one_device(n, x)
    order = n + 1.0
    derivative = (1 - 2 * (order % 2)) * _gamma(order) * _hurwitz_zeta(order, x)
    return numpy.where(n == 0, _digamma(x), derivative)


def assoc_laguerre(x, n, k=0.0):
    """The associated Laguerre polynomial of degree n; see `scipy.special.assoc_laguerre`.

    Parameters
    ----------
    x : array_like
        Real or complex numbers.
    n, k : array_like
        Degree and order.

    Returns
    -------
    ndarray
    """
    return _genlaguerre(n, k, x)


FUNCTIONS = {
    "assoc_laguerre": assoc_laguerre,
    "lambertw": lambertw,
    "multigammaln": multigammaln,
    "polygamma": polygamma,
    "psi": _digamma,
    "sinc": sinc,
    "zeta": zeta,
    **bessel.FUNCTIONS,
    **legendre.FUNCTIONS,
}
