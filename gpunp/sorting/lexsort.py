"""Sorting by several keys."""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.sorting import engine
from gpunp.sorting.sort import _KERNELS, axis_back, axis_last, normalize_axis


@implements(numpy.lexsort, kernels=_KERNELS)
def lexsort(keys, axis=-1):
    """Return the indices that sort by several keys, the last key first.

    Parameters
    ----------
    keys : sequence of array_like, or ndarray
        Keys of equal shapes, or an array whose rows are the keys.
    axis : int, optional
        The axis to sort along, by default the last.

    Returns
    -------
    ndarray of int64
        The indices; elements with equal keys keep their order.
    """
    axis = operator.index(axis)
    if not getattr(keys, "ndim", 1) or not hasattr(keys, "__len__") or len(keys) == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    # Host keys are copied to the device of the others.
    keys = on_one_device(*keys)
    shape = keys[0].shape
    if any(key.shape != shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    ndim = len(shape)
    if ndim == 0 and axis in (0, -1):
        return layout.zeros((), numpy.dtype(numpy.intp), device=keys[0].device)._mark_scalar()
    axis = normalize_axis(axis, ndim)
    order = None
    for key in keys:
        order = engine.argsort_rows(axis_last(key, axis), order)
    order = axis_back(order, axis)
    return order if order.flags.c_contiguous else layout.converted(order, order="C")
