"""Frequencies of a transform, and shifts of the zero frequency."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.creation.ranges import arange
from gpunp.dispatch.registry import implements


def _shifts(x, axes, direction):
    """The axes of a shift, and the roll along each: half its length, forward or backward."""
    if axes is None:
        axes = tuple(range(x.ndim))
    elif layout.is_integer(axes):
        return axes, direction * (x.shape[axes] // 2)
    return axes, [direction * (x.shape[axis] // 2) for axis in axes]


@implements("numpy.fft.fftshift")
def fftshift(x, axes=None):
    """Move the zero frequency to the middle; see `numpy.fft.fftshift`."""
    x = asarray(x)
    axes, shifts = _shifts(x, axes, 1)
    return numpy.roll(x, shifts, axes)


@implements("numpy.fft.ifftshift")
def ifftshift(x, axes=None):
    """The reverse of `fftshift`; see `numpy.fft.ifftshift`."""
    x = asarray(x)
    axes, shifts = _shifts(x, axes, -1)
    return numpy.roll(x, shifts, axes)


def _length(n):
    if not isinstance(n, int | numpy.integer):
        raise ValueError("n should be an integer")
    return n


@implements(name="fft.fftfreq")
def fftfreq(n, d=1.0, device=None):
    """The frequencies of the elements of a transform of length `n`.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : scalar, optional
        Sample spacing.
    device : Device or str, optional
        By default the current device.

    Returns
    -------
    ndarray
        In cycles per unit of `d`: zero, the positive ones, the negative ones.
    """
    n = _length(n)
    scale = 1.0 / (n * d)
    positive = (n - 1) // 2 + 1
    out = layout.empty((n,), numpy.dtype(int), "C", device)
    out[:positive] = arange(0, positive, dtype=int, device=out.device)
    out[positive:] = arange(-(n // 2), 0, dtype=int, device=out.device)
    return out * scale


@implements(name="fft.rfftfreq")
def rfftfreq(n, d=1.0, device=None):
    """The frequencies of the elements of a real transform of length `n`.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : scalar, optional
        Sample spacing.
    device : Device or str, optional
        By default the current device.

    Returns
    -------
    ndarray
        In cycles per unit of `d`, ascending from zero.
    """
    n = _length(n)
    return arange(0, n // 2 + 1, dtype=int, device=device) * (1.0 / (n * d))
