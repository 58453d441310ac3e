"""The order and direction of axes; all results are views."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.layout import is_integer
from gpunp.array.views import transposed
from gpunp.dispatch.registry import implements


@implements(numpy.transpose)
def transpose(a, axes=None):
    """A view with permuted axes; see `numpy.transpose`."""
    a = asarray(a)
    if isinstance(axes, (bool, str)):
        raise TypeError(f"transpose: axes must be integers, not {axes!r}")
    return transposed(a, (axes,) if is_integer(axes) else axes)


@implements(numpy.matrix_transpose, "numpy.linalg.matrix_transpose")
def matrix_transpose(x, /):
    """A view with the last two axes swapped; see `numpy.matrix_transpose`."""
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return swapaxes(x, -1, -2)


@implements(numpy.swapaxes)
def swapaxes(a, axis1, axis2):
    """A view with two axes swapped; see `numpy.swapaxes`."""
    a = asarray(a)
    axis1 = _normalize(axis1, a.ndim, "axis1")
    axis2 = _normalize(axis2, a.ndim, "axis2")
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transposed(a, order)


def _normalize(axis, ndim, name=None):
    return numpy.lib.array_utils.normalize_axis_index(axis, ndim, name)


@implements(numpy.moveaxis)
def moveaxis(a, source, destination):
    """A view with axes moved to new positions; see `numpy.moveaxis`."""
    a = asarray(a)
    source = numpy.lib.array_utils.normalize_axis_tuple(source, a.ndim, "source")
    destination = numpy.lib.array_utils.normalize_axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [n for n in range(a.ndim) if n not in source]
    for dest, src in sorted(zip(destination, source, strict=True)):
        order.insert(dest, src)
    return transposed(a, order)


@implements(numpy.rollaxis)
def rollaxis(a, axis, start=0):
    """A view with one axis moved backwards; see `numpy.rollaxis`."""
    a = asarray(a)
    n = a.ndim
    axis = _normalize(axis, n)
    first = start
    if start < 0:
        start += n
    if not 0 <= start < n + 1:
        raise numpy.exceptions.AxisError(
            f"'start' arg requires {-n} <= start < {n + 1}, but {first} was passed in"
        )
    if axis < start:
        start -= 1
    if axis == start:
        return a[...]
    order = list(range(n))
    order.remove(axis)
    order.insert(start, axis)
    return transposed(a, order)


@implements(numpy.flip)
def flip(m, axis=None):
    """Elements in reverse order along axes; see `numpy.flip`."""
    m = asarray(m)
    if axis is None:
        return m[(slice(None, None, -1),) * m.ndim]
    axes = numpy.lib.array_utils.normalize_axis_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if n in axes else slice(None) for n in range(m.ndim))]


@implements(numpy.fliplr)
def fliplr(m):
    """Columns in reverse order; see `numpy.fliplr`."""
    m = asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


@implements(numpy.flipud)
def flipud(m):
    """Rows in reverse order; see `numpy.flipud`."""
    m = asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


@implements(numpy.rot90)
def rot90(m, k=1, axes=(0, 1)):
    """A view rotated by quarter turns in the plane of two axes; see `numpy.rot90`."""
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = asarray(m)
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if any(axis >= m.ndim or axis < -m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k = int(k) % 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    if k == 1:
        return swapaxes(flip(m, axes[1]), *axes)
    return flip(swapaxes(m, *axes), axes[1])
