"""Derivatives and related operators of periodic sequences: multiplications of their spectra.

SciPy keeps the multipliers in `_cache`. Here they are computed anew, which takes less time than the
transforms, and the parameter has no effect.
"""

import math
import operator

import numpy

import gpunp
from gpunp_scipy import fft


def _applied(x, multiplier, zero, unit=1, zero_nyquist=False, nyquist=None):
    """Multiply the spectrum of a sequence.

    Parameters
    ----------
    x : ndarray
        Of one dimension; the real and the imaginary part of a complex one are transformed one by one.
    multiplier : callable
        Gives the real factors of frequencies 1, 2, ...
    zero : float
        The factor of the frequency 0.
    unit : {1, 1j, -1, -1j}
        Multiplies the other factors.
    zero_nyquist : bool
        The highest frequency of an even number of elements gets the factor 0.
    nyquist : callable, optional
        The factor of the highest frequency of an even number of elements, instead of that of `multiplier`.
    """
    if x.ndim != 1:
        raise ValueError(f"x must have one dimension, not {x.ndim}")
    n = x.shape[0]
    if n == 0:
        raise ZeroDivisionError("x has no elements")
    factors = gpunp.empty(n // 2 + 1, complex, device=x.device)
    factors[0] = zero
    factors[1:] = unit * multiplier(gpunp.arange(1.0, n // 2 + 1, device=x.device))
    if n % 2 == 0 and (zero_nyquist or nyquist):
        factors[-1] = 0 if zero_nyquist else nyquist(n // 2)

    def part(values):
        return fft.irfft(fft.rfft(values.astype(float)) * factors, n)

    return part(x.real) + 1j * part(x.imag) if x.dtype.kind == "c" else part(x)


def _scaled(period, *values):
    """The parameters for the period 2 pi."""
    return values if period is None else [value * 2 * math.pi / period for value in values]


def diff(x, order=1, period=None, _cache=None):
    """The derivative of a periodic sequence; for a negative order its integral; see `scipy.fftpack.diff`."""
    x = gpunp.asarray(x)
    if order == 0:
        return x
    order = operator.index(order)
    c = 1.0 if period is None else 2 * math.pi / period
    return _applied(x, lambda k: (c * k) ** order, 0, (1, 1j, -1, -1j)[order % 4], zero_nyquist=True)


def tilbert(x, h, period=None, _cache=None):
    """The h-Tilbert transform of a periodic sequence; see `scipy.fftpack.tilbert`."""
    (h,) = _scaled(period, h)
    return _applied(gpunp.asarray(x), lambda k: 1 / numpy.tanh(h * k), 0, 1j, zero_nyquist=True)


def itilbert(x, h, period=None, _cache=None):
    """The inverse of `tilbert`; see `scipy.fftpack.itilbert`."""
    (h,) = _scaled(period, h)
    return _applied(gpunp.asarray(x), lambda k: numpy.tanh(h * k), 0, -1j, zero_nyquist=True)


def hilbert(x, _cache=None):
    """The Hilbert transform of a periodic sequence; see `scipy.fftpack.hilbert`."""
    return _applied(gpunp.asarray(x), numpy.ones_like, 0, 1j, zero_nyquist=True)


def ihilbert(x, _cache=None):
    """The inverse of `hilbert`; see `scipy.fftpack.ihilbert`."""
    return -hilbert(x)


def cs_diff(x, a, b, period=None, _cache=None):
    """The cosh/sinh pseudo-derivative of a periodic sequence; see `scipy.fftpack.cs_diff`."""
    a, b = _scaled(period, a, b)
    return _applied(
        gpunp.asarray(x), lambda k: numpy.cosh(a * k) / numpy.sinh(b * k), 0, -1j, zero_nyquist=True
    )


def sc_diff(x, a, b, period=None, _cache=None):
    """The sinh/cosh pseudo-derivative of a periodic sequence; see `scipy.fftpack.sc_diff`."""
    a, b = _scaled(period, a, b)
    return _applied(
        gpunp.asarray(x), lambda k: numpy.sinh(a * k) / numpy.cosh(b * k), 0, 1j, zero_nyquist=True
    )


def ss_diff(x, a, b, period=None, _cache=None):
    """The sinh/sinh pseudo-derivative of a periodic sequence; see `scipy.fftpack.ss_diff`."""
    a, b = _scaled(period, a, b)
    return _applied(gpunp.asarray(x), lambda k: numpy.sinh(a * k) / numpy.sinh(b * k), float(a) / b)


def cc_diff(x, a, b, period=None, _cache=None):
    """The cosh/cosh pseudo-derivative of a periodic sequence; see `scipy.fftpack.cc_diff`."""
    a, b = _scaled(period, a, b)
    return _applied(gpunp.asarray(x), lambda k: numpy.cosh(a * k) / numpy.cosh(b * k), 1)


def shift(x, a, period=None, _cache=None):
    """Shift a periodic sequence: ``y(u) = x(u + a)``; see `scipy.fftpack.shift`."""
    (a,) = _scaled(period, a)
    # SciPy adds the real and the imaginary part at the highest frequency.
    return _applied(
        gpunp.asarray(x),
        lambda k: numpy.exp(1j * a * k),
        1,
        nyquist=lambda k: math.cos(a * k) + math.sin(a * k),
    )
