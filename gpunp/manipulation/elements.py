"""Adding and removing elements: insert, delete, resize, trim_zeros."""

import itertools
import math
import operator

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, asnumpy, fetched
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements
from gpunp.manipulation import moves
from gpunp.manipulation.axis_maps import cycle, map_axes
from gpunp.manipulation.joining import fill_side_by_side

# Up to this many indices, results are joined from slices; beyond, elements are gathered.
_FEW = 256


def _axis_of(arr, axis):
    """The array and its normalized axis; for None the flattened array and axis 0."""
    if axis is None:
        return (arr if arr.ndim == 1 else arr.reshape(-1)), 0
    return arr, numpy.lib.array_utils.normalize_axis_index(axis, arr.ndim)


def _along(axis, *bounds):
    return (*(slice(None),) * axis, slice(*bounds))


def _joined(arr, parts, axis):
    """Join parts; the result has the dtype, the device and the memory order of ``arr``."""
    if arr.ndim == 1:
        joined = moves.join(parts, 0)
        if joined is not None:
            return joined
    length = sum(part.shape[axis] for part in parts)
    shape = (*arr.shape[:axis], length, *arr.shape[axis + 1 :])
    out = layout.empty(shape, arr.dtype, "F" if arr.flags.fnc else "C", arr.device)
    fill_side_by_side(out, parts, axis)
    return out


@implements(numpy.delete, kernels=("include/gpunp/manipulation/concatenate.h",))
def delete(arr, obj, axis=None):
    """A copy without the elements at some indices of an axis; see `numpy.delete`."""
    arr, axis = _axis_of(asarray(arr, device=obj.device if isinstance(obj, ndarray) else None), axis)
    length = arr.shape[axis]
    if type(obj) is int and -length <= obj < length:
        place = obj % length
        return _joined(arr, [arr[_along(axis, place)], arr[_along(axis, place + 1, None)]], axis)
    if isinstance(obj, slice):
        return _delete_slice(arr, range(*obj.indices(length)), axis)
    if isinstance(obj, ndarray):
        if obj.size != 1 or obj.dtype.kind not in "ui":
            return _delete_on_device(arr, obj, axis)
        obj = asnumpy(obj)
    host = fetched(obj)
    if host.size == 0 and not isinstance(obj, numpy.ndarray):
        host = host.astype(numpy.intp)
    if host.dtype == bool:
        _check_mask(host, length)
        host = numpy.flatnonzero(host)
    elif host.dtype.kind not in "ui":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    host = host.astype(numpy.intp)
    wrong = host[(host < -length) | (host >= length)]
    if wrong.size:
        raise IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {length}")
    return _delete_indices(arr, numpy.unique(numpy.where(host < 0, host + length, host)), axis)


def _delete_indices(arr, indices, axis):
    """Delete the elements at ascending host indices."""
    if len(indices) <= _FEW:
        bounds = [-1, *indices.tolist(), arr.shape[axis]]
        parts = [arr[_along(axis, low + 1, high)] for low, high in itertools.pairwise(bounds)]
        return _joined(arr, parts, axis)
    # Each position of the result skips the deleted indices before it.
    ahead = asarray(indices - numpy.arange(len(indices)), device=arr.device)
    places = numpy.arange(arr.shape[axis] - len(indices), like=arr)
    return numpy.take(arr, places + numpy.searchsorted(ahead, places, side="right"), axis=axis)


def _delete_slice(arr, taken, axis):
    if taken.step < 0:
        taken = taken[::-1]
    start, count, step = taken.start, len(taken), taken.step
    if count == 0:
        return layout.converted(arr, order="F" if arr.flags.fnc else "C")
    parts = [arr[_along(axis, None, start)], arr[_along(axis, taken[-1] + 1, None)]]
    if step == 1 or count == 1:
        return _joined(arr, parts, axis)
    # The elements kept between deleted ones form rows of step - 1 elements.
    shape = (*arr.shape[:axis], arr.shape[axis] - count, *arr.shape[axis + 1 :])
    out = layout.empty(shape, arr.dtype, "F" if arr.flags.fnc else "C", arr.device)
    middle = start + (count - 1) * (step - 1)
    layout.copy_into(out[_along(axis, None, start)], parts[0])
    layout.copy_into(
        _rows(out, axis, start, count - 1, step - 1, step - 1),
        _rows(arr, axis, start + 1, count - 1, step - 1, step),
    )
    layout.copy_into(out[_along(axis, middle, None)], parts[1])
    return out


def _rows(a, axis, start, count, length, step):
    """A view of one axis as two: ``count`` rows of ``length`` elements that start ``step`` apart."""
    stride = a.strides[axis]
    shape = (*a.shape[:axis], count, length, *a.shape[axis + 1 :])
    strides = (*a.strides[:axis], step * stride, stride, *a.strides[axis + 1 :])
    return layout.strided_view(a, shape, strides, start * stride)


def _check_mask(mask, length):
    if mask.shape != (length,):
        raise ValueError(
            "boolean array argument obj to delete must be one dimensional and match the axis length of "
            f"{length}"
        )


def _delete_on_device(arr, obj, axis):
    """Delete by device indices or mask; waits once, since the length of the result depends on the data."""
    length = arr.shape[axis]
    if obj.dtype == bool:
        _check_mask(obj, length)
        keep = numpy.logical_not(obj)
    else:
        if obj.dtype.kind not in "ui":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        keep = numpy.ones(length, dtype=bool, like=arr)
        keep[obj] = False
    return numpy.compress(keep, arr, axis=axis)


@implements(numpy.insert, kernels=("include/gpunp/manipulation/concatenate.h",))
def insert(arr, obj, values, axis=None):
    """Values inserted before some indices of an axis; see `numpy.insert`."""
    device = device_of(arr, obj, values)
    arr, axis = _axis_of(asarray(arr, device=device), axis)
    length = arr.shape[axis]
    if isinstance(obj, slice):
        indices = numpy.arange(*obj.indices(length))
    else:
        indices = obj if isinstance(obj, ndarray) else numpy.array(fetched(obj))
        if indices.dtype == bool:
            if indices.ndim != 1:
                raise ValueError("boolean array argument obj to insert must be one dimensional")
            indices = numpy.flatnonzero(indices)
        elif indices.ndim > 1:
            raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if indices.size == 1:
        return _insert_at(arr, indices.item(), values, axis, indices.ndim == 0)
    if indices.size == 0 and not isinstance(obj, numpy.ndarray | ndarray):
        indices = indices.astype(numpy.intp)
    if indices.dtype.kind not in "ui":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    count = indices.size
    values = asarray(values, dtype=arr.dtype, device=arr.device)
    values = _broadcast(values, (*arr.shape[:axis], count, *arr.shape[axis + 1 :]))
    if isinstance(indices, ndarray):
        return _insert_gathered(arr, indices, values, axis)
    indices = indices.astype(numpy.intp)
    indices = numpy.where(indices < 0, indices + length, indices)
    wrong = indices[(indices < 0) | (indices > length)]
    if wrong.size:
        raise IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {length}")
    if count > _FEW:
        return _insert_gathered(arr, asarray(indices, device=arr.device), values, axis)
    order = indices.argsort(kind="stable")
    values = layout.converted(values, order="C")
    parts, done = [], 0
    for which in order.tolist():
        index = int(indices[which])
        parts += [arr[_along(axis, done, index)], values[_along(axis, which, which + 1)]]
        done = index
    return _joined(arr, [*parts, arr[_along(axis, done, None)]], axis)


def _broadcast(values, shape):
    """Broadcast as in an assignment, which drops excess leading axes of length one."""
    while values.ndim > len(shape) and values.shape[0] == 1:
        values = values[0]
    if values.ndim > len(shape):
        raise ValueError(f"could not broadcast input array from shape {values.shape} into shape {shape}")
    return numpy.broadcast_to(values, shape)


def _insert_at(arr, index, values, axis, scalar):
    length = arr.shape[axis]
    index = operator.index(index)
    if not -length <= index <= length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    if index < 0:
        index += length
    values = asarray(values, dtype=arr.dtype, device=arr.device)
    if values.ndim < arr.ndim:
        values = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
    if scalar:
        # A scalar index removes the axis, so the values have it first.
        values = numpy.moveaxis(values, 0, axis)
    shape = (*arr.shape[:axis], values.shape[axis], *arr.shape[axis + 1 :])
    parts = [arr[_along(axis, None, index)], _broadcast(values, shape), arr[_along(axis, index, None)]]
    return _joined(arr, parts, axis)


def _insert_gathered(arr, indices, values, axis):
    """Insert by device indices without waiting: gather the result from ``arr`` and ``values``."""
    count, length = indices.size, arr.shape[axis]
    indices = indices.astype(numpy.intp)
    indices = numpy.where(indices < 0, indices + length, indices)
    order = numpy.argsort(indices, kind="stable")
    places = numpy.take(indices, order) + numpy.arange(count, like=indices)
    inserted = numpy.zeros(length + count, dtype=numpy.intp, like=indices)
    inserted[places] = 1
    source = numpy.arange(length + count, like=indices) - numpy.cumsum(inserted)
    source[places] = order + length
    return numpy.take(_joined(arr, [arr, values], axis), source, axis=axis)


@implements(numpy.resize, kernels=("include/gpunp/manipulation/axis_maps.h",))
def resize(a, new_shape):
    """An array of another shape, filled with repetitions of the elements; see `numpy.resize`."""
    if layout.is_integer(new_shape):
        new_shape = (new_shape,)
    new_shape = tuple(operator.index(extent) for extent in new_shape)
    if any(extent < 0 for extent in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    a = asarray(a)
    size = math.prod(new_shape)
    if a.size == 0 or size == 0:
        return layout.zeros(new_shape, a.dtype, "C", a.device)
    return map_axes(a.reshape(-1), (size,), [cycle(0)]).reshape(new_shape)


def resize_in_place(a, shape):
    """Implement the method ``resize``: the same elements in memory order, then zeros."""
    shape = tuple(operator.index(extent) for extent in shape)
    if any(extent < 0 for extent in shape):
        raise ValueError("negative dimensions not allowed")
    flags = a.flags
    if not (flags.c_contiguous or flags.f_contiguous):
        raise ValueError("resize only works on single-segment arrays")
    size = math.prod(shape)
    if size != a.size:
        if a.base is not None:
            raise ValueError("cannot resize this array: it does not own its data")
        if not flags.writeable:
            raise ValueError("cannot resize this array: it is read-only")
    kept = min(size, a.size)
    line = (a if flags.c_contiguous else a.T).reshape(-1)
    if size != a.size:
        memory = layout.empty((size,), a.dtype, "C", a.device)
        layout.copy_into(memory[:kept], line[:kept])
        memory[kept:] = 0
        line = memory
    moves.adopt(a, line, shape, flags.fnc)


@implements(numpy.trim_zeros)
def trim_zeros(filt, trim="fb", axis=None):
    """Trim zeros at the ends of axes; see `numpy.trim_zeros`."""
    a = asarray(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    if axis is None:
        axes = tuple(range(a.ndim))
    else:
        axes = numpy.lib.array_utils.normalize_axis_tuple(axis, a.ndim, "axis")
    if not axes:
        return a
    key = [slice(None)] * a.ndim
    bounds = _nonzero_bounds(a, axes)
    for one, (first, behind) in zip(axes, bounds, strict=True):
        if first == behind:
            key[one] = slice(0, 0)
        else:
            key[one] = slice(first if "f" in trim else None, behind if "b" in trim else None)
    return a[tuple(key)]


def _nonzero_bounds(a, axes):
    """(first, last + 1) of the nonzero indices per axis, equal if all elements are zero; waits once."""
    if a.size == 0:
        return [(0, 0)] * len(axes)
    nonzero = a != 0 if a.dtype != bool else a
    found = layout.empty((len(axes), 3), numpy.dtype(numpy.intp), "C", a.device)
    for row, axis in enumerate(axes):
        line = numpy.any(nonzero, axis=tuple(d for d in range(a.ndim) if d != axis))
        found[row, 0] = numpy.argmax(line)
        found[row, 1] = numpy.argmax(line[::-1])
        found[row, 2] = numpy.any(line)
    bounds = asnumpy(found).tolist()
    return [
        (first, a.shape[axis] - last) if some else (0, 0)
        for axis, (first, last, some) in zip(axes, bounds, strict=True)
    ]
