"""Reductions of distributed arrays: each chunk on its device, and the results of chunks by their mode."""

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

import gpunp
from gpunp.distributed.array.chunks import Chunk, combined_results, device_of
from gpunp.distributed.array.modes import MAX, MIN, PROD, REPLICA, SUM, combine

_MODES = {"sum": SUM, "mean": SUM, "prod": PROD, "max": MAX, "min": MIN, "any": MAX, "all": MIN}


def reduce_array(array, name, *, axis, dtype, out, keepdims):
    """Reduce an array by ``sum``, ``prod``, ``mean``, ``max``, ``min``, ``any`` or ``all``."""
    if out is not None:
        raise TypeError(f"DistributedArray.{name}: out is not supported; the result is a new array")
    mode = _MODES[name]
    axes = tuple(range(array.ndim)) if axis is None else normalize_axis_tuple(axis, array.ndim)
    count = int(numpy.prod([array.shape[each] for each in axes], dtype=int))
    if name in ("max", "min") and count == 0:
        raise ValueError(
            f"zero-size array to reduction operation {'maximum' if name == 'max' else 'minimum'} which has "
            "no identity"
        )
    if array.size == 0:
        options = {"axis": axis, "keepdims": keepdims} | ({} if dtype is None else {"dtype": dtype})
        return _of_nothing(array, name, options)
    # As in NumPy, means of float16 are computed in float32.
    narrow = name == "mean" and dtype is None and array.dtype == "f2"
    if name == "mean":
        dtype = _dtype_of_mean(array, dtype)
    if name in ("any", "all"):
        # Each chunk becomes boolean before its overlaps are combined.
        array = array != 0 if array.dtype.kind != "b" else array
    array = array.change_mode(mode)
    if axis is None and not keepdims:
        total = _total([_reduced_array(each, name, None, dtype, count) for each in array._flat()], array)
        return total.astype("f2") if narrow else total
    chunks = [_reduced(each, name, axes, dtype, keepdims, count) for each in array._flat()]
    found = array._with(
        chunks,
        shape=_shape(array.shape, axes, keepdims),
        dtype=chunks[0].array.dtype if chunks else array.dtype,
        mode=mode,
    )
    return found.astype("f2") if narrow else found


def _of_nothing(array, name, options):
    """The reduction of an array without elements, which has no chunks."""
    here = gpunp.get_device()
    number = here.index if here.is_cpu == array._on_cpu else next(iter(array.devices), 0)
    with device_of(number, array._on_cpu):
        whole = gpunp.empty(array.shape, array.dtype)
        found = getattr(whole, name)(**options)
    if options["axis"] is None and not options["keepdims"]:
        return found
    # Along an axis without elements, the result has elements, such as the zeros of a sum.
    chunks = [Chunk(found, number, tuple(map(range, found.shape)))] if found.size else []
    return array._with(chunks, shape=found.shape, dtype=found.dtype, mode=REPLICA)


def _dtype_of_mean(array, dtype):
    if dtype is not None:
        return numpy.dtype(dtype)
    if array.dtype == "f2":
        return numpy.dtype("f4")
    return array.dtype if array.dtype.kind in "fc" else numpy.dtype("f8")


def _shape(shape, axes, keepdims):
    if keepdims:
        return tuple(1 if axis in axes else length for axis, length in enumerate(shape))
    return tuple(length for axis, length in enumerate(shape) if axis not in axes)


def _reduced(chunk, name, axes, dtype, keepdims, count):
    """One chunk, reduced on its device; for a mean its part of the one of ``count`` elements."""
    array = _reduced_array(chunk, name, axes, dtype, count, keepdims)
    if keepdims:
        index = tuple(range(1) if axis in axes else part for axis, part in enumerate(chunk.index))
    else:
        index = tuple(part for axis, part in enumerate(chunk.index) if axis not in axes)
    return Chunk(array, chunk.number, index)


def _reduced_array(chunk, name, axes, dtype, count, keepdims=False):
    options = {} if axes is None else {"axis": axes, "keepdims": keepdims}
    if dtype is not None:
        options["dtype"] = dtype
    with chunk.array.device:
        if name == "mean":
            return chunk.array.sum(**options) / count
        return getattr(chunk.array, name)(**options)


def _total(values, array):
    """The value of a reduction of all elements, on the current device, from the values of the chunks."""
    mode, chunks = array.mode, array._flat()
    if mode is REPLICA:
        del values[1:]
    here = gpunp.get_device()
    if array._on_cpu:
        total = values[0]
        for value in values[1:]:
            total = combine(mode)(total, value)
        return total[()]
    device = chunks[0].array.device if here.is_cpu else here
    return combined_results(values, device, combine(mode) if len(values) > 1 else None)[()]
