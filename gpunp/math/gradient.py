"""Gradients by finite differences."""

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from gpunp.array import layout
from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements


@implements(numpy.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, one-sided differences at the ends; see `numpy.gradient`.

    The spacing of coordinates on the device is not inspected: even spacing uses the formula for uneven
    spacing, so the last digits may differ from NumPy's.
    """
    f = asarray(f, device=device_of(f, *varargs))
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    spacings = _spacings(varargs, f, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    dtype = f.dtype
    if dtype.kind not in "fc":
        # Differences of integers must not wrap around.
        if dtype.kind in "iu":
            f = f.astype(numpy.float64)
        dtype = numpy.dtype(numpy.float64)
    found = []
    for along, spacing in zip(axes, spacings, strict=True):
        if f.shape[along] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
                "elements are required."
            )
        found.append(_along(f, along, spacing, dtype, edge_order))
    return found[0] if len(axes) == 1 else tuple(found)


def _spacings(varargs, f, axes):
    """Per axis a scalar spacing, or the differences of its coordinates."""
    if not varargs:
        return [1.0] * len(axes)
    varargs = [joined(given) for given in varargs]
    if len(varargs) == 1 and numpy.ndim(varargs[0]) == 0:
        return list(varargs) * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    return [_spacing(given, f, axis) for given, axis in zip(varargs, axes, strict=True)]


def _spacing(given, f, axis):
    if numpy.ndim(given) == 0:
        return given
    xs = given if isinstance(given, ndarray) else numpy.asarray(given)
    if xs.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(xs) != f.shape[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if xs.dtype.kind in "iu":
        xs = xs.astype(numpy.float64)
    steps = numpy.diff(xs)
    if isinstance(steps, ndarray):
        return steps
    return steps[0] if (steps == steps[0]).all() else steps


def _at(f, axis, index):
    return f[(slice(None),) * axis + (index,)]


def _along(f, axis, spacing, dtype, edge_order):
    """The gradient along one axis."""
    out = layout.empty_like(f, dtype)
    inside = _at(out, axis, slice(1, -1))
    before, middle, after = (_at(f, axis, slice(i, f.shape[axis] - 2 + i)) for i in range(3))
    even = numpy.ndim(spacing) == 0
    if even:
        if f.dtype == dtype:
            numpy.subtract(after, before, out=inside)
            numpy.divide(inside, 2.0 * spacing, out=inside, casting="unsafe")
        else:
            inside[...] = (after - before) / (2.0 * spacing)
    else:
        _weighted(inside, (before, middle, after), spacing, axis)
    first, second, third = (_at(f, axis, min(i, f.shape[axis] - 1)) for i in range(3))
    last, next_to_last, before_that = (_at(f, axis, max(-1 - i, -f.shape[axis])) for i in range(3))
    if edge_order == 1:
        _at(out, axis, slice(0, 1))[...] = _expanded((second - first) / _end(spacing, 0, even), axis)
        _at(out, axis, slice(-1, None))[...] = _expanded(
            (last - next_to_last) / _end(spacing, -1, even), axis
        )
        return out
    a, b, c = _end_weights(spacing, 0, 1, even)
    _at(out, axis, slice(0, 1))[...] = _expanded(a * first + b * second + c * third, axis)
    c, b, a = (-weight for weight in _end_weights(spacing, -1, -2, even))
    _at(out, axis, slice(-1, None))[...] = _expanded(a * before_that + b * next_to_last + c * last, axis)
    return out


def _expanded(values, axis):
    return numpy.expand_dims(values, axis)


def _end(spacing, index, even):
    return spacing if even else spacing[index]


def _inner_weights(steps):
    """Weights of the values before, at and after an inner point with uneven steps."""
    left, right = steps[:-1], steps[1:]
    both = left + right
    return -right / (left * both), (right - left) / (left * right), left / (right * both)


def _end_weights(spacing, near, far, even):
    """Weights of the values at an end and the next two, for the derivative at the end, directed inwards."""
    if even:
        return -1.5 / spacing, 2.0 / spacing, -0.5 / spacing
    near, far = spacing[near], spacing[far]
    both = near + far
    return -(2.0 * near + far) / (near * both), both / (near * far), -near / (far * both)


def _weighted(target, values, steps, axis):
    """Compute target = the sum of the three weighted values, with two temporaries."""
    shape = [1] * target.ndim
    shape[axis] = -1
    a, b, c = (asarray(weight, device=target.device).reshape(shape) for weight in _inner_weights(steps))
    total = numpy.multiply(a, values[0])
    term = numpy.multiply(b, values[1])
    if isinstance(steps, ndarray):
        # With even steps the weight of the point itself is zero: drop the term, since the value may be NaN.
        numpy.copyto(term, 0, where=(steps == steps[:1]).all())
    total += term
    numpy.multiply(c, values[2], out=term)
    if total.dtype == target.dtype:
        numpy.add(total, term, out=target)
    else:
        total += term
        target[...] = total
