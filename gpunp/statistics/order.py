"""Extrema over axes."""

import numpy

from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.reduction.engine import reduce_array

_KERNELS = ("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py")


@implements(numpy.max, numpy.amax, kernels=_KERNELS)
def max(a, axis=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue):
    """Maximum over axes, NaN if an element is NaN; see `numpy.max`."""
    return reduce_array("maximum", a, axis, None, out, keepdims, initial, where)


@implements(numpy.min, numpy.amin, kernels=_KERNELS)
def min(a, axis=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue):
    """Minimum over axes, NaN if an element is NaN; see `numpy.min`."""
    return reduce_array("minimum", a, axis, None, out, keepdims, initial, where)


@implements(numpy.nanmax, kernels=_KERNELS)
def nanmax(a, axis=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue):
    """Maximum over axes, ignoring NaN; see `numpy.nanmax`."""
    return reduce_array("fmax", a, axis, None, out, keepdims, initial, where)


@implements(numpy.nanmin, kernels=_KERNELS)
def nanmin(a, axis=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue):
    """Minimum over axes, ignoring NaN; see `numpy.nanmin`."""
    return reduce_array("fmin", a, axis, None, out, keepdims, initial, where)


@implements(numpy.ptp, kernels=_KERNELS)
def ptp(a, axis=None, out=None, keepdims=numpy._NoValue):
    """Range of values (maximum - minimum) over axes; see `numpy.ptp`."""
    a = asarray(a)
    highest = reduce_array("maximum", a, axis, None, out, keepdims)
    lowest = reduce_array("minimum", a, axis, keepdims=keepdims)
    return numpy.subtract(highest, lowest, out=out)
