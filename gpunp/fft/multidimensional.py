"""Fourier transforms along several axes."""

import numpy

from gpunp.array.arguments import warn_user
from gpunp.dispatch.function_protocol import to_host
from gpunp.dispatch.registry import implements
from gpunp.fft.passes import operand, transform

_NO_AXES = "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0)."
_NO_LENGTH = "Passing an array containing `None` values to `s` is deprecated in NumPy 2.0."


def _lengths(a, s, axes, hermitian=False):
    """The lengths and axes that NumPy derives from these arguments."""
    s, axes = to_host(s), to_host(axes)
    default = s is None
    if default:
        # NumPy interprets anything that is not a plain sequence of axes.
        plain = isinstance(axes, (tuple, list)) and all(type(axis) is int for axis in axes)
        if axes is None:
            s = a.shape
        else:
            s = [a.shape[axis] for axis in axes] if plain else numpy.take(a.shape, axes)
    s = list(s)
    if axes is None:
        if not default:
            warn_user(_NO_AXES, DeprecationWarning)
        axes = list(range(-len(s), 0))
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if hermitian and default:
        s[-1] = (a.shape[axes[-1]] - 1) * 2
    if None in s:
        warn_user(_NO_LENGTH, DeprecationWarning)
    return [a.shape[axis] if n == -1 else n for n, axis in zip(s, axes, strict=True)], axes


def _need_axes(axes):
    if not len(axes):
        raise IndexError("list index out of range")


@implements("numpy.fft.fftn")
def fftn(a, s=None, axes=None, norm=None, out=None):
    """The discrete Fourier transform along several axes; see `numpy.fft.fftn`."""
    a = operand(a, out)
    s, axes = _lengths(a, s, axes)
    return transform(a, s, axes, "complex", norm, out, forward=True) if len(axes) else a


@implements("numpy.fft.ifftn")
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `fftn`; see `numpy.fft.ifftn`."""
    a = operand(a, out)
    s, axes = _lengths(a, s, axes)
    return transform(a, s, axes, "complex", norm, out, forward=False) if len(axes) else a


@implements("numpy.fft.fft2")
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The discrete Fourier transform along two axes; see `numpy.fft.fft2`."""
    return fftn(a, s, axes, norm, out)


@implements("numpy.fft.ifft2")
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `fft2`; see `numpy.fft.ifft2`."""
    return ifftn(a, s, axes, norm, out)


@implements("numpy.fft.rfftn")
def rfftn(a, s=None, axes=None, norm=None, out=None):
    """The half of `fftn` that determines it for real input; see `numpy.fft.rfftn`."""
    a = operand(a, out)
    s, axes = _lengths(a, s, axes)
    _need_axes(axes)
    return transform(a, s, axes, "real", norm, out, forward=True)


@implements("numpy.fft.rfft2")
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The half of `fft2` that determines it for real input; see `numpy.fft.rfft2`."""
    return rfftn(a, s, axes, norm, out)


@implements("numpy.fft.irfftn")
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `rfftn`; see `numpy.fft.irfftn`."""
    a = operand(a, out)
    s, axes = _lengths(a, s, axes, hermitian=True)
    _need_axes(axes)
    return transform(a, s, axes, "hermitian", norm, out, forward=False)


@implements("numpy.fft.irfft2")
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `rfft2`; see `numpy.fft.irfft2`."""
    return irfftn(a, s, axes, norm, out)
