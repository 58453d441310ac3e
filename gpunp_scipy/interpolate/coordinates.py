"""Points in several dimensions, as the interpolators of scipy.interpolate take them."""

import numpy
from gpunp.device import get_device

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of


def coordinates(points, ndim=None, device=None):
    """Points whose last axis has the coordinates.

    Parameters
    ----------
    points : array_like or tuple of array_like
        Points, or coordinates by axis that broadcast against each other.
    ndim : int, optional
        How many coordinates a one-dimensional array has for each point; by default 1.
    device : Device, optional
        By default that of the points.
    """
    device = device or device_of(points, nested=True) or get_device()
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        arrays = numpy.broadcast_arrays(*(asarray(each, device=device) for each in points))
        return numpy.stack(arrays, axis=-1)
    points = asarray(points, device=device)
    if points.ndim == 1:
        return points.reshape(-1, 1 if ndim is None else ndim)
    return points
