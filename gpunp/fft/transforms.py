"""Fourier transforms along one axis."""

import numpy

from gpunp.dispatch.registry import implements
from gpunp.fft.passes import last_axis, operand, swap, transform


@implements("numpy.fft.fft")
def fft(a, n=None, axis=-1, norm=None, out=None):
    """The discrete Fourier transform along one axis; see `numpy.fft.fft`."""
    if n is None and out is None and axis == -1:
        quick = last_axis(a, norm, real=False, forward=True)
        if quick is not None:
            return quick
    a = operand(a, out)
    return transform(a, [n], [axis], "complex", norm, out, forward=True)


@implements("numpy.fft.ifft")
def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `fft`; see `numpy.fft.ifft`."""
    if n is None and out is None and axis == -1:
        quick = last_axis(a, norm, real=False, forward=False)
        if quick is not None:
            return quick
    a = operand(a, out)
    return transform(a, [n], [axis], "complex", norm, out, forward=False)


@implements("numpy.fft.rfft")
def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The non-negative frequencies of `fft` for real input; see `numpy.fft.rfft`."""
    if n is None and out is None and axis == -1:
        quick = last_axis(a, norm, real=True, forward=True)
        if quick is not None:
            return quick
    a = operand(a, out)
    return transform(a, [n], [axis], "real", norm, out, forward=True)


@implements("numpy.fft.irfft")
def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `rfft`; see `numpy.fft.irfft`."""
    a = operand(a, out)
    return transform(a, [n], [axis], "hermitian", norm, out, forward=False)


@implements("numpy.fft.hfft")
def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The real transform of Hermitian input, given by one half; see `numpy.fft.hfft`."""
    a = operand(a, out)
    n = (a.shape[axis] - 1) * 2 if n is None else n
    # Real input is its own conjugate and must not be overwritten.
    conjugate = numpy.conjugate(a) if a.dtype.kind == "c" else a
    return transform(
        conjugate, [n], [axis], "hermitian", swap(norm), out, forward=False, overwrite=conjugate is not a
    )


@implements("numpy.fft.ihfft")
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `hfft`; see `numpy.fft.ihfft`."""
    a = operand(a, out)
    n = a.shape[axis] if n is None else n
    result = transform(a, [n], [axis], "real", swap(norm), out, forward=True)
    return numpy.conjugate(result, out=result)
