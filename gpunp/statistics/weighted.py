"""Weighted averages."""

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements

_NoValue = numpy._NoValue


def weights_along(weights, a, axis):
    """Reshape weights, on the host or a device, so that they broadcast to the shape of ``a``."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axis_tuple(axis, a.ndim, argname="axis")
    if weights.shape != tuple(a.shape[i] for i in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    order = sorted(range(len(axes)), key=axes.__getitem__)
    return weights.transpose(order).reshape(tuple(n if i in axes else 1 for i, n in enumerate(a.shape)))


@implements(numpy.average, kernels=("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py"))
def average(a, axis=None, weights=None, returned=False, *, keepdims=_NoValue):
    """Average over axes, optionally weighted; see `numpy.average`."""
    device = weights.device if isinstance(weights, ndarray) and not isinstance(a, ndarray) else None
    a = asarray(a, device=device)
    if axis is not None:
        axis = normalize_axis_tuple(axis, a.ndim, argname="axis")
    if weights is None:
        result = numpy.mean(a, axis, keepdims=keepdims)
        if result.size == 0:
            raise ZeroDivisionError(
                "average: the result is empty, so the number of elements per result is undefined"
            )
        total = result.dtype.type(a.size / result.size) if returned else None
    else:
        result, total = _weighted(a, axis, weights, keepdims)
    if not returned:
        return result
    if not isinstance(total, ndarray):
        total = asarray(total, device=a.device)
    if total.shape != result.shape:
        total = numpy.broadcast_to(total, result.shape).copy()
    if result.ndim == 0:
        total = numpy.copy(total)._mark_scalar()
    return result, total


def _weighted(a, axis, weights, keepdims):
    """The average and the sum of the weights."""
    weights = joined(weights)
    on_host = not isinstance(weights, ndarray)
    weights = weights_along(numpy.asanyarray(weights) if on_host else weights, a, axis)
    dtypes = [a.dtype, weights.dtype]
    if a.dtype.kind in "biu":
        dtypes.append(numpy.dtype("f8"))
    dtype = numpy.result_type(*dtypes)
    if on_host and numpy.any(weights.sum(axis=axis, dtype=dtype) == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    weights = asarray(weights, device=a.device)
    total = numpy.sum(weights, axis=axis, dtype=dtype, keepdims=keepdims)
    # Weights on a GPU are not checked, since that would synchronize: a zero sum gives NaN or infinity there.
    if not on_host and a.device.is_cpu and bool((total == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    product = numpy.multiply(a, weights, dtype=dtype)
    return numpy.sum(product, axis=axis, keepdims=keepdims) / total, total
