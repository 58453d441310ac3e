"""Joining arrays: one launch writes all parts into the result."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_integer, warn_of_imaginary
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.manipulation import moves
from gpunp.manipulation.shape import atleast_1d, atleast_2d, atleast_3d

# Python numbers are weakly typed: only their kind takes part in dtype promotion.
_NUMBERS = (int, float, complex)
_FLOAT64 = numpy.dtype(numpy.float64)
_MISMATCH = "all the input array dimensions except for the concatenation axis must match exactly, but"


def as_arrays(arrays):
    """Convert a sequence (or an array, along its first axis) to arrays on one device."""
    if not isinstance(arrays, ndarray):
        if not hasattr(arrays, "__getitem__"):
            raise TypeError(
                f"arrays must be in a sequence such as a list or tuple, not {type(arrays).__name__}"
            )
        arrays = list(arrays)
    return on_one_device(*arrays)


def _result_dtype(parts, dtype, casting, weak=None):
    if dtype is not None:
        wanted = as_dtype(dtype)
    else:
        wanted = as_dtype(numpy.result_type(*(weak or [part.dtype for part in parts])))
    for part, given in zip(parts, weak or parts, strict=True):
        # Python numbers are converted without a check, as in NumPy.
        if type(given) not in _NUMBERS and not numpy.can_cast(part.dtype, wanted, casting):
            raise TypeError(
                f"Cannot cast array data from {part.dtype!r} to {wanted!r} according to the rule {casting!r}"
            )
        warn_of_imaginary(part.dtype, wanted)
    return wanted


@implements(numpy.concatenate, kernels=("include/gpunp/manipulation/concatenate.h",))
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an existing axis; see `numpy.concatenate`.

    Parameters
    ----------
    arrays : sequence of array_like
        Arrays of the same shape, except along `axis`. An array stands for its items along the first axis.
    """
    axis = None if axis is None else strict_integer(axis)
    if out is None and dtype is None and casting == "same_kind":
        joined = moves.join(arrays, axis)
        if joined is not None:
            return joined
    parts = as_arrays(arrays)
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    weak = None
    if axis is None:
        weak = [one if type(one) in _NUMBERS else part.dtype for one, part in zip(arrays, parts, strict=True)]
        parts, axis = [part.reshape(-1) for part in parts], 0
    shape, axis = _joined_shape(parts, axis)
    if out is None:
        wanted = _result_dtype(parts, dtype, casting, weak)
        f_order = len(shape) > 1 and all(part.flags.fnc for part in parts)
        out = layout.empty(shape, wanted, "F" if f_order else "C", parts[0].device)
    else:
        _check_out(out, shape, parts, casting)
    fill_side_by_side(out, parts, axis)
    return out


def _joined_shape(parts, axis):
    first = parts[0]
    if first.ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = numpy.lib.array_utils.normalize_axis_index(axis, first.ndim)
    length = 0
    for index, part in enumerate(parts):
        if part.ndim != first.ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{first.ndim} dimension(s) and the array at index {index} has {part.ndim} dimension(s)"
            )
        for d in range(first.ndim):
            if d != axis and part.shape[d] != first.shape[d]:
                raise ValueError(
                    f"{_MISMATCH} along dimension {d}, the array at index 0 has size {first.shape[d]} and "
                    f"the array at index {index} has size {part.shape[d]}"
                )
        length += part.shape[axis]
    return (*first.shape[:axis], length, *first.shape[axis + 1 :]), axis


def _check_out(out, shape, parts, casting):
    if not isinstance(out, ndarray):
        raise TypeError(
            f"concatenate: out is a host {type(out).__name__} and the arrays are on the device; give a "
            "gpunp array, or copy the result with gpunp.asnumpy(result, out=...)"
        )
    if out.shape != shape:
        raise ValueError(f"Output array is the wrong shape: it is {out.shape}, the result is {shape}")
    if not out.flags.writeable:
        raise ValueError("concatenate: out is read-only")
    if out.device is not parts[0].device:
        raise ValueError(f"concatenate: out is on {out.device} and the arrays are on {parts[0].device}")
    _result_dtype(parts, out.dtype, casting)


def fill_side_by_side(out, parts, axis):
    """Write parts side by side along an axis, in one launch except for parts that need conversion."""
    flags = out.flags
    if not flags.c_contiguous and flags.f_contiguous:
        out, parts, axis = out.T, [part.T for part in parts], out.ndim - 1 - axis
        flags = out.flags
    dense = flags.c_contiguous and not any(numpy.may_share_memory(out, part) for part in parts)
    head, start, rest, together = (slice(None),) * axis, 0, [], []
    for part in parts:
        extent = part.shape[axis]
        if dense and part.dtype == out.dtype and moves.are_rows(part, axis):
            together.append(part)
        elif extent:
            rest.append(((*head, slice(start, start + extent)), part))
            together.append(extent)
        start += extent
    if len(rest) < len(parts):
        moves.join_into(out, together, axis)
    for place, part in rest:
        layout.copy_into(out[place], part)


@implements(numpy.stack, kernels=("include/gpunp/manipulation/concatenate.h",))
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along a new axis; see `numpy.stack`."""
    if out is None and dtype is None and casting == "same_kind":
        joined = moves.join(arrays, axis, new_axis=True)
        if joined is not None:
            return joined
    parts = as_arrays(arrays)
    if not parts:
        raise ValueError("need at least one array to stack")
    if len({part.shape for part in parts}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = numpy.lib.array_utils.normalize_axis_index(axis, parts[0].ndim + 1)
    key = (slice(None),) * axis + (None,)
    return concatenate([part[key] for part in parts], axis, out, dtype=dtype, casting=casting)


def _join_plain(arrays, axes, dtype=None, casting="same_kind"):
    """Join in one launch; None if a part needs conversion. ``axes`` has (axis, is new) for 1-d, 2-d, ..."""
    if dtype is not None or casting != "same_kind" or type(arrays) not in (list, tuple) or not arrays:
        return None
    ndim = arrays[0].ndim if type(arrays[0]) is ndarray else 0
    return moves.join(arrays, *axes[min(ndim, len(axes)) - 1]) if ndim else None


@implements(numpy.vstack, kernels=("include/gpunp/manipulation/concatenate.h",))
def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along the first axis, at least 2-d; see `numpy.vstack`."""
    joined = _join_plain(tup, ((0, True), (0, False)), dtype, casting)
    if joined is not None:
        return joined
    return concatenate([atleast_2d(part) for part in as_arrays(tup)], 0, dtype=dtype, casting=casting)


@implements(numpy.hstack, kernels=("include/gpunp/manipulation/concatenate.h",))
def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along the second axis, 1-d ones along the first; see `numpy.hstack`."""
    joined = _join_plain(tup, ((0, False), (1, False)), dtype, casting)
    if joined is not None:
        return joined
    parts = [atleast_1d(part) for part in as_arrays(tup)]
    axis = 0 if parts and parts[0].ndim == 1 else 1
    return concatenate(parts, axis, dtype=dtype, casting=casting)


@implements(numpy.dstack, kernels=("include/gpunp/manipulation/concatenate.h",))
def dstack(tup):
    """Arrays joined along the third axis; see `numpy.dstack`."""
    return concatenate([atleast_3d(part) for part in as_arrays(tup)], 2)


@implements(numpy.column_stack, kernels=("include/gpunp/manipulation/concatenate.h",))
def column_stack(tup):
    """1-d arrays as the columns of a matrix; see `numpy.column_stack`."""
    joined = _join_plain(tup, ((1, True), (1, False)))
    if joined is not None:
        return joined
    parts = [part.reshape(-1, 1) if part.ndim < 2 else part for part in as_arrays(tup)]
    return concatenate(parts, 1)


@implements(numpy.append)
def append(arr, values, axis=None):
    """Values joined to the end; see `numpy.append`."""
    if axis is None and getattr(arr, "ndim", 0) == 1:
        if type(values) is float and type(arr) is ndarray and arr.dtype is _FLOAT64:
            # A number to a list of numbers, as programs do in loops.
            one = layout.empty((1,), _FLOAT64, device=arr.device)
            one.fill(values)
            values = one
        joined = moves.join((arr, values), 0)
        if joined is not None:
            return joined
    arr, values = as_arrays([arr, values])
    if axis is None:
        arr, values, axis = arr.reshape(-1), values.reshape(-1), 0
    return concatenate((arr, values), axis)


@implements(numpy.block)
def block(arrays):
    """An array from nested lists of blocks; see `numpy.block`."""
    leaves = []
    depth = _depth(arrays, (), leaves)
    blocks = as_arrays([leaf for _, leaf in leaves])
    ndim = max(depth, *(one.ndim for one in blocks))
    blocks = iter([one.reshape((1,) * (ndim - one.ndim) + one.shape) for one in blocks])
    tree, placed = _arranged(arrays, blocks, ndim - depth), []
    _place(tree, (0,) * ndim, placed)
    parts = [part for part, _ in placed]
    wanted = _result_dtype(parts, None, "same_kind")
    f_order = all(part.flags.f_contiguous for part in parts) and not all(
        part.flags.c_contiguous for part in parts
    )
    out = layout.empty(tree[0], wanted, "F" if f_order else "C", parts[0].device)
    for part, start in placed:
        key = tuple(slice(at, at + extent) for at, extent in zip(start, part.shape, strict=True))
        layout.copy_into(out[(*key, ...)], part)
    return out


def _index_text(index):
    return "arrays" + "".join(f"[{i}]" for i in index)


def _depth(arrays, index, leaves):
    """The nesting depth of the blocks, which must be uniform; appends the blocks to ``leaves``."""
    if isinstance(arrays, tuple):
        raise TypeError(
            f"{_index_text(index)} is a tuple. Only lists can be used to arrange blocks, and np.block does "
            "not allow implicit conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        leaves.append((index, arrays))
        return len(index)
    if not arrays:
        raise ValueError(f"List at {_index_text(index)} cannot be empty")
    depths = [_depth(one, (*index, i), leaves) for i, one in enumerate(arrays)]
    for i, depth in enumerate(depths):
        if depth != depths[0]:
            raise ValueError(
                f"List depths are mismatched. First element was at depth {depths[0]}, but there is an "
                f"element at depth {depth} ({_index_text((*index, i))})"
            )
    return depths[0]


def _arranged(arrays, blocks, axis):
    """(shape, axis, parts) of a list of blocks, or (shape, None, block) of a block."""
    if not isinstance(arrays, list):
        part = next(blocks)
        return part.shape, None, part
    parts = [_arranged(one, blocks, axis + 1) for one in arrays]
    first = parts[0][0]
    for shape, _, _ in parts:
        if (*shape[:axis], *shape[axis + 1 :]) != (*first[:axis], *first[axis + 1 :]):
            raise ValueError(f"Mismatched array shapes in block along axis {axis}.")
    return (*first[:axis], sum(shape[axis] for shape, _, _ in parts), *first[axis + 1 :]), axis, parts


def _place(tree, start, placed):
    """Append each block and its start in the result to ``placed``."""
    _, axis, parts = tree
    if axis is None:
        placed.append((parts, start))
        return
    for part in parts:
        _place(part, start, placed)
        start = (*start[:axis], start[axis] + part[0][axis], *start[axis + 1 :])
