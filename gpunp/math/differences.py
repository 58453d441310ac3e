"""Differences, integrals and phase unwrapping of sampled functions, by ufuncs on shifted views."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.arguments import strict_axis, strict_integer
from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements

_NoValue = numpy._NoValue


def _shifted(ndim, axis):
    """Indices of all but the first and of all but the last along an axis."""
    before = (slice(None),) * axis
    after = (slice(None),) * (ndim - axis - 1)
    return (*before, slice(1, None), *after), (*before, slice(None, -1), *after)


@implements(numpy.diff)
def diff(a, n=1, axis=-1, prepend=_NoValue, append=_NoValue):
    """The n-th differences of adjacent elements along an axis; see `numpy.diff`."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    # In the array API standard None means "not given".
    prepend, append = (_NoValue if part is None else part for part in (prepend, append))
    device = device_of(a, prepend, append)
    a = asarray(a, device=device)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    parts = [
        a if part is a else _edge(part, a, axis) for part in (prepend, a, append) if part is not _NoValue
    ]
    if len(parts) > 1:
        a = numpy.concatenate(parts, axis)
    later, earlier = _shifted(a.ndim, axis)
    function = numpy.not_equal if a.dtype.kind == "b" else numpy.subtract
    for _ in range(n):
        a = function(a[later], a[earlier])
    return a


def _edge(part, a, axis):
    """The array to put before or after the values; a scalar is broadcast over the other axes."""
    part = asarray(part, device=a.device)
    if part.ndim == 0:
        part = numpy.broadcast_to(part, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
    return part


@implements(numpy.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of adjacent elements of the flattened array; see `numpy.ediff1d`."""
    device = device_of(ary, to_end, to_begin)
    ary = asarray(ary, device=device).reshape(-1)
    if to_begin is None and to_end is None:
        return ary[1:] - ary[:-1]
    begin = _attached("to_begin", to_begin, ary)
    end = _attached("to_end", to_end, ary)
    length = max(ary.size - 1, 0)
    out = layout.empty((begin.size + length + end.size,), ary.dtype, device=ary.device)
    out[: begin.size] = begin
    out[begin.size + length :] = end
    numpy.subtract(ary[1:], ary[:-1], out[begin.size : begin.size + length])
    return out


def _attached(name, values, ary):
    dtype = ary.dtype if values is None else None
    values = asarray([] if values is None else values, dtype=dtype, device=ary.device)
    if not numpy.can_cast(values.dtype, ary.dtype, casting="same_kind"):
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule: it is "
            f"{values.dtype} and the input {ary.dtype}."
        )
    return values.reshape(-1)


@implements(numpy.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral by the trapezoidal rule along an axis; see `numpy.trapezoid`."""
    device = device_of(y, x, dx)
    y = asarray(y, device=device)
    if x is None:
        steps = dx
    else:
        x = asarray(x, device=device)
        if x.ndim == 1:
            steps = diff(x)
            shape = [1] * y.ndim
            shape[axis] = steps.shape[0]
            steps = steps.reshape(shape)
        else:
            steps = diff(x, axis=axis)
    later, earlier = _shifted(y.ndim, normalize_axis_index(axis, y.ndim))
    areas = steps * (y[later] + y[earlier])
    # In place unless halving changes the dtype.
    areas = numpy.divide(areas, 2.0, out=areas if areas.dtype.kind in "fc" else None)
    return areas.sum(strict_integer(axis))


@implements(numpy.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """Replace jumps beyond half a period by their periodic complement; see `numpy.unwrap`."""
    p = asarray(p)
    steps = diff(p, axis=axis)
    if discont is None:
        discont = period / 2
    dtype = numpy.result_type(steps.dtype, period)
    if dtype.kind in "iu":
        high, remainder = divmod(period, 2)
        ambiguous = remainder == 0
    else:
        high, ambiguous = period / 2, True
    wrapped = numpy.mod(steps - -high, period)
    wrapped += -high
    if ambiguous:
        # A step of half a period keeps its sign.
        numpy.copyto(wrapped, high, where=(wrapped == -high) & (steps > 0))
    wrapped -= steps
    numpy.copyto(wrapped, 0, where=numpy.abs(steps) < discont)
    out = p.astype(dtype)
    later, _ = _shifted(p.ndim, strict_axis(axis, p.ndim))
    out[later] = p[later] + wrapped.cumsum(axis)
    return out
