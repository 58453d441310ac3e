"""Window functions, computed on the device."""

import math

import numpy

from gpunp.array.convert import asarray
from gpunp.creation.filled import ones
from gpunp.creation.ranges import arange
from gpunp.dispatch.registry import implements
from gpunp.math.other_special import i0


def _places(M, device):
    """The array 1 - M, 3 - M, ..., M - 1, and M as float64."""
    M = numpy.float64(M)
    return arange(1 - M, M if M >= 1 else 1 - M, 2, device=device), M


def _cosines(M, device, *weights):
    """A weighted sum of cosines of multiples of the phase, which is zero in the middle of the window."""
    n, M = _places(M, device)
    if M == 1:
        return ones(1, device=device)
    result = weights[1] * numpy.cos(math.pi * n / (M - 1))
    result += weights[0]
    if len(weights) > 2:
        result += weights[2] * numpy.cos(2.0 * math.pi * n / (M - 1))
    return result


@implements(name="bartlett")
def bartlett(M, *, device=None):
    """Triangular window that is zero at its ends; see `numpy.bartlett`.

    Parameters
    ----------
    M : int
        Number of points; less than 1 gives an empty array.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    ndarray
        The window, of dtype float64.
    """
    n, M = _places(M, device)
    if M == 1:
        return ones(1, device=device)
    numpy.abs(n, out=n)
    n /= M - 1
    return numpy.subtract(1, n, out=n)


@implements(name="blackman")
def blackman(M, *, device=None):
    """Blackman window; see `numpy.blackman`.

    Parameters
    ----------
    M : int
        Number of points; less than 1 gives an empty array.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    ndarray
        The window, of dtype float64.
    """
    return _cosines(M, device, 0.42, 0.5, 0.08)


@implements(name="hamming")
def hamming(M, *, device=None):
    """Hamming window; see `numpy.hamming`.

    Parameters
    ----------
    M : int
        Number of points; less than 1 gives an empty array.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    ndarray
        The window, of dtype float64.
    """
    return _cosines(M, device, 0.54, 0.46)


@implements(name="hanning")
def hanning(M, *, device=None):
    """Hann window; see `numpy.hanning`.

    Parameters
    ----------
    M : int
        Number of points; less than 1 gives an empty array.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    ndarray
        The window, of dtype float64.
    """
    return _cosines(M, device, 0.5, 0.5)


@implements(name="kaiser")
def kaiser(M, beta, *, device=None):
    """Kaiser window; see `numpy.kaiser`.

    Parameters
    ----------
    M : int
        Number of points; less than 1 gives an empty array.
    beta : float
        Shape parameter: 0 gives a rectangular window, 14 nearly a Gaussian one.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    ndarray
        The window, of dtype float64.
    """
    M, beta = numpy.float64(M), numpy.float64(beta)
    if M == 1:
        return ones(1, device=device)
    alpha = (M - 1) / 2.0
    x = arange(0, M, device=device)
    x -= alpha
    x /= alpha
    numpy.square(x, out=x)
    numpy.subtract(1, x, out=x)
    numpy.sqrt(x, out=x)
    x *= beta
    return i0(x) / i0(asarray(beta, device=device))
