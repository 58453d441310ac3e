"""Fourier transforms along several axes."""

from numpy.exceptions import AxisError

from gpunp.dispatch.registry import implements
from gpunp.fft.passes import operand, transform


def _lengths(a, s, axes, hermitian=False):
    """The lengths and the axes that NumPy takes for these arguments."""
    default = s is None
    if default:
        s = a.shape if axes is None else [_extent(a, axis) for axis in axes]
    s = list(s)
    axes = list(range(-len(s), 0)) if axes is None else list(axes)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if hermitian and (default or s[-1] is None):
        s[-1] = (_extent(a, axes[-1]) - 1) * 2
    return [_extent(a, axis) if n is None or n == -1 else n for n, axis in zip(s, axes, strict=True)], axes


def _extent(a, axis):
    if not -a.ndim <= axis < a.ndim:
        raise AxisError(axis, a.ndim)
    return a.shape[axis]


def _need_axes(axes):
    if not axes:
        raise IndexError("list index out of range")


@implements("numpy.fft.fftn")
def fftn(a, s=None, axes=None, norm=None, out=None):
    """The discrete Fourier transform along several axes; see `numpy.fft.fftn`."""
    a = operand(a, out)
    s, axes = _lengths(a, s, axes)
    return transform(a, s, axes, "complex", True, norm, out) if axes else a


@implements("numpy.fft.ifftn")
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `fftn`; see `numpy.fft.ifftn`."""
    a = operand(a, out)
    s, axes = _lengths(a, s, axes)
    return transform(a, s, axes, "complex", False, norm, out) if axes else a


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
    """The half of `fftn` that real input has; see `numpy.fft.rfftn`."""
    a = operand(a, out)
    s, axes = _lengths(a, s, axes)
    _need_axes(axes)
    return transform(a, s, axes, "real", True, norm, out)


@implements("numpy.fft.rfft2")
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The half of `fft2` that real input has; see `numpy.fft.rfft2`."""
    return rfftn(a, s, axes, norm, out)


@implements("numpy.fft.irfftn")
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `rfftn`; see `numpy.fft.irfftn`."""
    a = operand(a, out)
    if axes is not None:
        _need_axes(list(axes))
    elif a.ndim == 0 and s is None:
        _need_axes(())
    s, axes = _lengths(a, s, axes, hermitian=True)
    _need_axes(axes)
    return transform(a, s, axes, "hermitian", False, norm, out)


@implements("numpy.fft.irfft2")
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `rfft2`; see `numpy.fft.irfft2`."""
    return irfftn(a, s, axes, norm, out)
