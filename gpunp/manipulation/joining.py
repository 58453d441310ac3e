"""Joining arrays: each part is written into its slice of the result."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.manipulation.shape import atleast_1d, atleast_2d, atleast_3d

_MISMATCH = "all the input array dimensions except for the concatenation axis must match exactly, but"


def as_arrays(arrays):
    """Device arrays on one device, from a sequence (or an array, along its first axis)."""
    if not isinstance(arrays, ndarray):
        arrays = list(arrays)
    device = next((a.device for a in arrays if isinstance(a, ndarray)), None)
    return [asarray(a, device=device) for a in arrays]


def _result_dtype(arrays, parts, dtype, casting, function):
    if dtype is not None:
        wanted = as_dtype(dtype)
    else:
        # Python scalars in the sequence are weak, as in NumPy, only through their arrays' dtypes.
        wanted = as_dtype(numpy.result_type(*(part.dtype for part in parts)))
    for part in parts:
        if not numpy.can_cast(part.dtype, wanted, casting):
            raise TypeError(
                f"Cannot cast array data from {part.dtype!r} to {wanted!r} according to the rule {casting!r}"
            )
    return wanted


@implements(numpy.concatenate)
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an existing axis; see `numpy.concatenate`."""
    parts = as_arrays(arrays)
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    if axis is None:
        parts, axis = [part.reshape(-1) for part in parts], 0
    first = parts[0]
    if first.ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = numpy.lib.array_utils.normalize_axis_index(axis, first.ndim)
    length = 0
    for index, part in enumerate(parts):
        if part.ndim != first.ndim:
            raise ValueError(
                f"{_MISMATCH} along dimension 0 the array at index 0 has {first.ndim} dimension(s) and the "
                f"array at index {index} has {part.ndim} dimension(s)"
            )
        for d in range(first.ndim):
            if d != axis and part.shape[d] != first.shape[d]:
                raise ValueError(
                    f"{_MISMATCH} along dimension {d}, the array at index 0 has size {first.shape[d]} and "
                    f"the array at index {index} has size {part.shape[d]}"
                )
        length += part.shape[axis]
    shape = (*first.shape[:axis], length, *first.shape[axis + 1 :])
    if out is None:
        wanted = _result_dtype(arrays, parts, dtype, casting, "concatenate")
        f_order = first.ndim > 1 and all(part.flags.fnc for part in parts)
        out = layout.empty(shape, wanted, "F" if f_order else "C", first.device)
    else:
        _check_out(out, shape, parts, casting)
    head, start = (slice(None),) * axis, 0
    for part in parts:
        stop = start + part.shape[axis]
        if stop > start:
            layout.copy_into(out[(*head, slice(start, stop))], part)
        start = stop
    return out


def _check_out(out, shape, parts, casting):
    if not isinstance(out, ndarray):
        raise TypeError(
            f"concatenate: out is a host {type(out).__name__} and the arrays are on the device; give a "
            "gpunp array, or copy the result with gpunp.asnumpy(result, out=...)"
        )
    if out.shape != shape:
        raise ValueError(f"Output array is the wrong shape: it is {out.shape}, the result is {shape}")
    _result_dtype(None, parts, out.dtype, casting, "concatenate")


@implements(numpy.stack)
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along a new axis; see `numpy.stack`."""
    parts = as_arrays(arrays)
    if not parts:
        raise ValueError("need at least one array to stack")
    if len({part.shape for part in parts}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = numpy.lib.array_utils.normalize_axis_index(axis, parts[0].ndim + 1)
    key = (slice(None),) * axis + (None,)
    return concatenate([part[key] for part in parts], axis, out, dtype=dtype, casting=casting)


@implements(numpy.vstack)
def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along the first axis, at least 2-d; see `numpy.vstack`."""
    return concatenate([atleast_2d(part) for part in as_arrays(tup)], 0, dtype=dtype, casting=casting)


@implements(numpy.hstack)
def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along the second axis, 1-d ones along the first; see `numpy.hstack`."""
    parts = [atleast_1d(part) for part in as_arrays(tup)]
    axis = 0 if parts and parts[0].ndim == 1 else 1
    return concatenate(parts, axis, dtype=dtype, casting=casting)


@implements(numpy.dstack)
def dstack(tup):
    """Arrays joined along the third axis; see `numpy.dstack`."""
    return concatenate([atleast_3d(part) for part in as_arrays(tup)], 2)


@implements(numpy.column_stack)
def column_stack(tup):
    """1-d arrays as the columns of a matrix; see `numpy.column_stack`."""
    parts = [part.reshape(-1, 1) if part.ndim < 2 else part for part in as_arrays(tup)]
    return concatenate(parts, 1)


@implements(numpy.append)
def append(arr, values, axis=None):
    """Values joined to the end; see `numpy.append`."""
    arr, values = as_arrays([arr, values])
    if axis is None:
        arr, values, axis = arr.reshape(-1), values.reshape(-1), 0
    return concatenate((arr, values), axis)
