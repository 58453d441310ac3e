"""Querying and changing the shape."""

import numpy

from gpunp.array.arguments import strict_integer
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.views import reshaped
from gpunp.dispatch.registry import implements


@implements(numpy.ndim)
def ndim(a):
    """Number of dimensions; see `numpy.ndim`."""
    return a.ndim if isinstance(a, ndarray) else asarray(a).ndim


@implements(numpy.shape)
def shape(a):
    """Extents of the axes; see `numpy.shape`."""
    return a.shape if isinstance(a, ndarray) else asarray(a).shape


@implements(numpy.size)
def size(a, axis=None):
    """Number of elements, over all axes or the given ones; see `numpy.size`."""
    a = a if isinstance(a, ndarray) else asarray(a)
    if axis is None:
        return a.size
    count = 1
    for one in numpy.lib.array_utils.normalize_axis_tuple(axis, a.ndim):
        count *= a.shape[one]
    return count


@implements(numpy.reshape)
def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements in another shape; see `numpy.reshape`."""
    return reshaped(asarray(a), shape, order, copy)


def _axes_by_stride(a):
    """Axes from the largest stride to the smallest; axes without a stride keep their places."""
    strides = [abs(stride) if extent > 1 else 0 for extent, stride in zip(a.shape, a.strides, strict=True)]
    axes = []
    for axis in range(a.ndim - 1, -1, -1):
        place = 0
        for i, faster in enumerate(axes):
            if strides[axis] and strides[faster]:
                if strides[axis] >= strides[faster]:
                    break
                place = i + 1
        axes.insert(place, axis)
    return axes


@implements(numpy.ravel)
def ravel(a, order="C"):
    """The elements in one dimension, as a view if they are contiguous in that order; see `numpy.ravel`."""
    a = asarray(a)
    flags = a.flags
    if order in ("A", "a"):
        order = "F" if flags.fnc else "C"
    if order in ("K", "k"):
        a = a.transpose(_axes_by_stride(a))
        flags, order = a.flags, "C"
    dense = flags.f_contiguous if order in ("F", "f") else flags.c_contiguous
    return reshaped(a, (a.size,), order, None if dense else True)


@implements(numpy.squeeze)
def squeeze(a, axis=None):
    """Remove axes of length one; see `numpy.squeeze`."""
    a = asarray(a)
    if axis is None:
        axes = tuple(one for one, extent in enumerate(a.shape) if extent == 1)
    else:
        axes = axis if isinstance(axis, tuple) else (strict_integer(axis),)
        if a.ndim == 0 and axes in ((0,), (-1,)):
            axes = ()
        axes = numpy.lib.array_utils.normalize_axis_tuple(axes, a.ndim)
        if any(a.shape[one] != 1 for one in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    if not axes:
        # NumPy too returns the array itself if there is nothing to remove.
        return a
    return a[(*(0 if one in axes else slice(None) for one in range(a.ndim)), Ellipsis)]


@implements(numpy.expand_dims)
def expand_dims(a, axis):
    """Insert new axes of length one; see `numpy.expand_dims`."""
    a = asarray(a)
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    out_ndim = len(axes) + a.ndim
    axes = numpy.lib.array_utils.normalize_axis_tuple(axes, out_ndim)
    return a[(*(None if one in axes else slice(None) for one in range(out_ndim)), Ellipsis)]


@implements(numpy.atleast_1d)
def atleast_1d(*arys):
    """Arrays with at least one dimension; see `numpy.atleast_1d`.

    Parameters
    ----------
    *arys : array_like
        One array or several.
    """
    return _each(arys, lambda a: reshaped(a, (1,)) if a.ndim == 0 else a)


@implements(numpy.atleast_2d)
def atleast_2d(*arys):
    """Arrays with at least two dimensions; see `numpy.atleast_2d`.

    Parameters
    ----------
    *arys : array_like
        One array or several.
    """

    def convert(a):
        return reshaped(a, (1, 1)) if a.ndim == 0 else a[None, :] if a.ndim == 1 else a

    return _each(arys, convert)


@implements(numpy.atleast_3d)
def atleast_3d(*arys):
    """Arrays with at least three dimensions; see `numpy.atleast_3d`.

    Parameters
    ----------
    *arys : array_like
        One array or several.
    """

    def convert(a):
        if a.ndim == 0:
            return reshaped(a, (1, 1, 1))
        return a[None, :, None] if a.ndim == 1 else a[:, :, None] if a.ndim == 2 else a

    return _each(arys, convert)


def _each(arrays, convert):
    results = tuple(convert(asarray(a)) for a in arrays)
    return results[0] if len(results) == 1 else results
