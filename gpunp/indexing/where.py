"""Choosing by a condition."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.indexing import select

_NUMBERS = (bool, int, float, complex)


@implements(numpy.where)
def where(condition, x=None, y=None, /):
    """Elements of ``x`` where the condition holds, of ``y`` elsewhere; see `numpy.where`."""
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    if x is None:
        return numpy.nonzero(condition)
    device = next((v.device for v in (condition, x, y) if isinstance(v, ndarray)), None)
    condition = asarray(condition, device=device)
    if condition.dtype != numpy.bool_:
        condition = condition != 0
    x, y = (v if type(v) in _NUMBERS else asarray(v, device=condition.device) for v in (x, y))
    dtype = as_dtype(numpy.result_type(*(v if type(v) in _NUMBERS else v.dtype for v in (x, y))))
    shape = numpy.broadcast_shapes(*(v.shape for v in (condition, x, y) if isinstance(v, ndarray)))
    out = layout.empty(shape, dtype, "C", condition.device)
    x, y = (layout.converted(v, dtype) if isinstance(v, ndarray) and v.dtype != dtype else v for v in (x, y))
    select.choose(condition, x, y, out)
    return out


def write_where(target, mask, value):
    """``target[mask] = value`` where both broadcast to the target."""
    mask = asarray(mask, device=target.device)
    if isinstance(value, ndarray):
        if value.dtype != target.dtype:
            value = layout.converted(value, target.dtype)
        value = _droppable(value, target.ndim)
        if numpy.broadcast_shapes(value.shape, target.shape) != target.shape:
            raise ValueError(
                f"could not broadcast input array from shape {value.shape} into shape {target.shape}"
            )
    if numpy.broadcast_shapes(mask.shape, target.shape) != target.shape:
        raise ValueError(f"could not broadcast where mask from shape {mask.shape} into shape {target.shape}")
    select.write_masked(target, value, mask)


def _droppable(value, ndim):
    while value.ndim > ndim and value.shape[0] == 1:
        value = value[0]
    return value
