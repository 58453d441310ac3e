"""Helpers of ``scipy.fftpack``: frequencies, shifts, lengths, and the check of shapes."""

import operator

import numpy

import gpunp
from gpunp_scipy import fft
from gpunp_scipy.fft.arguments import integers


def fftfreq(n, d=1.0, device=None):
    """The sample frequencies of `fft`; see `scipy.fftpack.fftfreq`."""
    return fft.fftfreq(n, d, device=device)


def fftshift(x, axes=None):
    """Move the zero frequency to the middle; see `scipy.fftpack.fftshift`."""
    return fft.fftshift(x, axes)


def ifftshift(x, axes=None):
    """Undo `fftshift`; see `scipy.fftpack.ifftshift`."""
    return fft.ifftshift(x, axes)


def rfftfreq(n, d=1.0):
    """The sample frequencies of `rfft`, one for each element of its result; see `scipy.fftpack.rfftfreq`."""
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"n = {n} is not valid. n must be a nonnegative integer.")
    return gpunp.arange(1, n + 1) // 2 / float(n * d)


def next_fast_len(target):
    """The next length at which transforms are fast; see `scipy.fftpack.next_fast_len`."""
    return fft.next_fast_len(target, real=True)


def good_shape(x, shape, axes):
    """Check a shape without axes: it must have a length for each axis."""
    if shape is not None and axes is None:
        shape = integers(shape, "shape")
        if len(shape) != numpy.ndim(x):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
    return shape
