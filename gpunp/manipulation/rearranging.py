"""Rolling elements along axes."""

import numpy

from gpunp.array.convert import asarray, fetched
from gpunp.array.views import transposed
from gpunp.dispatch.registry import implements
from gpunp.manipulation.axis_maps import STRAIGHT, cycle, in_memory_order, map_axes


@implements(numpy.roll, kernels=("include/gpunp/manipulation/axis_maps.h",))
def roll(a, shift, axis=None):
    """Elements shifted cyclically along axes; see `numpy.roll`."""
    a = asarray(a)
    if type(shift) is int and a.flags.c_contiguous and (axis is None or type(axis) is int):
        return _roll_contiguous(a, shift, axis)
    if not isinstance(shift, int):
        shift = fetched(shift)
    if axis is None:
        return roll(a.reshape(-1), shift, 0).reshape(a.shape)
    axes = numpy.lib.array_utils.normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    pairs = numpy.broadcast(shift, axes)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = [0] * a.ndim
    for places, one in pairs:
        shifts[one] += int(places)
    order, inverse = in_memory_order(a)
    a = transposed(a, order)
    rules = [
        cycle(-shifts[one] % a.shape[d]) if shifts[one] and a.shape[d] else STRAIGHT
        for d, one in enumerate(order)
    ]
    return transposed(map_axes(a, a.shape, rules), inverse)


def _roll_contiguous(a, shift, axis):
    """One shift of a C-contiguous array, the usual case."""
    if axis is None:
        return map_axes(a.reshape(-1), (a.size,), [cycle(-shift % max(a.size, 1))]).reshape(a.shape)
    if not -a.ndim <= axis < a.ndim:
        raise numpy.exceptions.AxisError(axis, a.ndim)
    rules = [STRAIGHT] * a.ndim
    rules[axis] = cycle(-shift % max(a.shape[axis], 1))
    return map_axes(a, a.shape, rules)
