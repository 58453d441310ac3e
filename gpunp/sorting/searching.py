"""Positions of extremes, and counting of nonzero elements."""

import numpy

from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.reduction.engine import find_place, fold_array, reduce_array

_KERNELS = ("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py")
_INTP = numpy.dtype(numpy.intp)


@implements(numpy.argmax, kernels=_KERNELS)
def argmax(a, axis=None, out=None, *, keepdims=numpy._NoValue, dtype=None):
    """Index of the first greatest element, or of the first NaN; see `numpy.argmax`.

    Parameters
    ----------
    dtype : dtype_like, optional
        The dtype of the indices; by default int64.
    """
    places = find_place("argmax", asarray(a), axis, out, keepdims)
    return places if dtype is None else places.astype(dtype)


@implements(numpy.argmin, kernels=_KERNELS)
def argmin(a, axis=None, out=None, *, keepdims=numpy._NoValue, dtype=None):
    """Index of the first least element, or of the first NaN; see `numpy.argmin`.

    Parameters
    ----------
    dtype : dtype_like, optional
        The dtype of the indices; by default int64.
    """
    places = find_place("argmin", asarray(a), axis, out, keepdims)
    return places if dtype is None else places.astype(dtype)


@implements(numpy.nanargmax, kernels=_KERNELS)
def nanargmax(a, axis=None, out=None, *, keepdims=numpy._NoValue):
    """Index of the first greatest number; see `numpy.nanargmax`. Waits for the result."""
    return _place_of_number("argmax", a, axis, out, keepdims)


@implements(numpy.nanargmin, kernels=_KERNELS)
def nanargmin(a, axis=None, out=None, *, keepdims=numpy._NoValue):
    """Index of the first least number; see `numpy.nanargmin`. Waits for the result."""
    return _place_of_number("argmin", a, axis, out, keepdims)


def _place_of_number(name, a, axis, out, keepdims):
    a = asarray(a)
    if a.dtype.kind not in "fc":
        return find_place(name, a, axis, out, keepdims)
    places = find_place(name, a, axis, keepdims=keepdims, skip_nan=True)
    if places.size and int(reduce_array("minimum", places)) < 0:
        raise ValueError("All-NaN slice encountered")
    return places if out is None else find_place(name, a, axis, out, keepdims, skip_nan=True)


@implements(numpy.count_nonzero, kernels=_KERNELS)
def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of nonzero elements along axes; see `numpy.count_nonzero`."""
    keepdims = bool(keepdims) if axis is None else keepdims
    return fold_array("count_nonzero", asarray(a), axis, _INTP, None, keepdims)
