"""Fast Hankel transforms of logarithmically spaced arrays.

The coefficients, half as many as the array has elements, do not depend on the data and are computed on the
host with SciPy.
"""

import math
import warnings

import numpy

import gpunp
from gpunp.array.convert import fetched
from gpunp.fft.passes import transform
from gpunp_scipy.fft.arguments import operand


def _number(value):
    """Return a parameter on the host; a device array is copied there."""
    return fetched(value)[()] if isinstance(value, gpunp.ndarray) else value


def _coefficients(n, dln, mu, offset, bias, inverse):
    """The coefficients that multiply or divide the spectrum (A. J. S. Hamilton, 2000)."""
    from scipy.special import loggamma, poch

    plus, minus = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = numpy.linspace(0, math.pi * (n // 2) / (n * dln), n // 2 + 1)
    upper, lower = loggamma(plus + 1j * y), loggamma(minus + 1j * y)
    angle = upper.imag + lower.imag + 2 * (math.log(2) - offset) * y
    u = numpy.exp(upper.real - lower.real + math.log(2) * bias + 1j * angle)
    if n % 2 == 0:
        u.imag[-1] = 0
    if not numpy.isfinite(u[0]):
        u[0] = 2**bias * poch(minus, plus - minus)
    if numpy.isinf(u[0]) and not inverse:
        warnings.warn("singular transform; consider changing the bias", stacklevel=3)
        u[0] = 0
    elif u[0] == 0 and inverse:
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=3)
        u[0] = numpy.inf
    return u


def _bias(n, dln, bias, offset, device):
    steps = gpunp.arange(n, dtype=float, device=device) - (n - 1) / 2
    return numpy.exp(steps * (-bias * dln) - bias * offset)


def _hankel(a, u, divide):
    n = a.shape[-1]
    last = [a.ndim - 1]
    spectrum = transform(a, [n], last, "real", forward=True)
    u = gpunp.asarray(u, device=a.device)
    # In place, so that the coefficients do not change the dtype.
    if divide:
        spectrum /= numpy.conjugate(u)
    else:
        spectrum *= u
    return transform(spectrum, [n], last, "hermitian", forward=False, overwrite=True)[..., ::-1]


def fht(a, dln, mu, offset=0.0, bias=0.0):
    """The fast Hankel transform; see `scipy.fft.fht`."""
    a = operand(a)
    dln, mu, offset, bias = map(_number, (dln, mu, offset, bias))
    n = a.shape[-1]
    if bias != 0:
        a = a * _bias(n, dln, bias, 0.0, a.device)
    result = _hankel(a, _coefficients(n, dln, mu, offset, bias, inverse=False), divide=False)
    return result * _bias(n, dln, bias, offset, a.device) if bias != 0 else result


def ifht(A, dln, mu, offset=0.0, bias=0.0):
    """The inverse of `fht`; see `scipy.fft.ifht`."""
    a = operand(A)
    dln, mu, offset, bias = map(_number, (dln, mu, offset, bias))
    n = a.shape[-1]
    if bias != 0:
        a = a * _bias(n, dln, -bias, offset, a.device)
    result = _hankel(a, _coefficients(n, dln, mu, offset, bias, inverse=True), divide=True)
    return result / _bias(n, dln, bias, 0.0, a.device) if bias != 0 else result


def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    """The offset for `fht` with low ringing; see `scipy.fft.fhtoffset`."""
    import scipy.fft

    return scipy.fft.fhtoffset(*map(_number, (dln, mu, initial, bias)))
