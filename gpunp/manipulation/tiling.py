"""Repeating whole arrays or single elements."""

import operator
from math import prod

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_axis
from gpunp.array.convert import asarray, asnumpy, joined
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.manipulation import moves
from gpunp.manipulation.axis_maps import STRAIGHT, cycle, divide, map_axes
from gpunp.manipulation.repeats import repeated

_INTP = numpy.dtype(numpy.intp)


@implements(
    numpy.tile, kernels=("include/gpunp/manipulation/copies.h", "include/gpunp/manipulation/axis_maps.h")
)
def tile(A, reps):
    """The array repeated along its axes; see `numpy.tile`."""
    if isinstance(reps, ndarray):
        reps = asnumpy(reps)
    try:
        reps = tuple(reps)
    except TypeError:
        reps = (reps,)
    reps = tuple(operator.index(times) for times in reps)
    if any(times < 0 for times in reps):
        raise ValueError(f"tile: reps must not be negative, got {reps}")
    a = asarray(A)
    if a.ndim < len(reps):
        a = a.reshape((1,) * (len(reps) - a.ndim) + a.shape)
    reps = (1,) * (a.ndim - len(reps)) + reps
    if all(times == 1 for times in reps):
        return layout.converted(a)
    shape = tuple(extent * times for extent, times in zip(a.shape, reps, strict=True))
    size = prod(shape)
    if max(shape) == size and (length := moves.stretch_length(a, size)):
        # First repeat a short pattern to a stretch of whole vectors, then copy that like a long pattern.
        stretch = map_axes(a.reshape(-1), (length,), [cycle(0)])
        return map_axes(stretch, (size,), [cycle(0)]).reshape(shape)
    return map_axes(a, shape, [STRAIGHT if times == 1 else cycle(0) for times in reps])


@implements(
    numpy.repeat, kernels=("include/gpunp/manipulation/repeat.h", "include/gpunp/manipulation/copies.h")
)
def repeat(a, repeats, axis=None):
    """Repeat each element, by one count or one count per element; see `numpy.repeat`."""
    a = asarray(a, device=repeats.device if isinstance(repeats, ndarray) else None)
    if axis is None:
        a, axis = a.reshape(-1), 0
    elif a.ndim == 0 and axis in (0, -1):
        a, axis = a.reshape(1), 0
    else:
        axis = strict_axis(axis, a.ndim)
    length = a.shape[axis]
    if isinstance(counts := joined(repeats), ndarray):
        # Numbers in a sequence are truncated to integers, also if they are on the device.
        counts = counts if counts is repeats else counts.astype(_INTP)
    else:
        counts = _host_counts(repeats)
    if not numpy.can_cast(counts.dtype, _INTP, "safe"):
        raise TypeError(
            f"Cannot cast array data from {counts.dtype!r} to {_INTP!r} according to the rule 'safe'"
        )
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    if counts.size == 1:
        times = int(counts.reshape(()))
        if length:
            _refuse_negative(times)
        rules = [divide(max(times, 1)) if d == axis else STRAIGHT for d in range(a.ndim)]
        return map_axes(a, (*a.shape[:axis], length * max(times, 0), *a.shape[axis + 1 :]), rules)
    if counts.size != length:
        raise ValueError(f"operands could not be broadcast together with shape ({length},) ({counts.size},)")
    if isinstance(counts, ndarray):
        ends, total = _run_ends(counts)
    else:
        _refuse_negative(counts.min(initial=0))
        host = numpy.cumsum(counts, dtype=_INTP)
        ends, total = asarray(host, device=a.device), int(host[-1]) if length else 0
    return repeated(asarray(a, order="C"), axis, ends, total)


def _host_counts(repeats):
    # Python numbers are truncated to integers; arrays must have an integer dtype.
    return repeats if isinstance(repeats, numpy.ndarray) else numpy.asarray(repeats, dtype=_INTP)


def _refuse_negative(count):
    if count < 0:
        raise ValueError("repeats may not contain negative values.")


def _run_ends(counts):
    """The end of each element's run, and the length of the result; waits once."""
    if counts.size == 0:
        return counts.astype(_INTP), 0
    ends = numpy.cumsum(counts, dtype=_INTP)
    known = layout.empty((2,), _INTP, "C", counts.device)
    known[0] = ends[-1]
    known[1] = numpy.min(counts)
    total, least = asnumpy(known).tolist()
    _refuse_negative(least)
    return ends, total
