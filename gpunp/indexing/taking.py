"""Elements by index: take and its relatives."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_integer, warn_of_kind
from gpunp.array.convert import asarray, joined
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of, on_one_device
from gpunp.array.scalars import checked_output
from gpunp.dispatch.registry import implements
from gpunp.indexing import masks, moves
from gpunp.indexing.keys import check_bounds
from gpunp.indexing.masks import Bits

_GATHER = ("include/gpunp/indexing/gather.h",)
_MODES = {"raise": 0, "wrap": 1, "clip": 2}
# NumPy's own numbers for the modes.
_NUMBERED = ("clip", "wrap", "raise")


def mode_number(mode):
    """The kernels' number of a mode for indices out of bounds.

    Raises
    ------
    ValueError
        If a name or number is not a valid mode.
    TypeError
        If the mode is neither a name nor a number.
    """
    if mode is None:
        return _MODES["raise"]
    if isinstance(mode, bytes):
        mode = mode.decode("ascii", "replace")
    if type(mode) is int and 0 <= mode < 3:
        mode = _NUMBERED[mode]
    if isinstance(mode, str) and mode in _MODES:
        return _MODES[mode]
    if isinstance(mode, str) or type(mode) is int:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    raise TypeError(f"clipmode not understood: 'clip', 'raise', 'wrap' or None, not {mode!r}")


def as_indices(indices, device, rule="same_kind", extent=None):
    """Integer indices on the device; host indices are checked here if ``extent`` is given."""
    if not isinstance(indices, ndarray):
        if not hasattr(indices, "dtype") or isinstance(indices, numpy.generic):
            # Sequences and scalars are converted element by element, as in NumPy.
            indices = joined(indices)
            indices = indices if isinstance(indices, ndarray) else numpy.asarray(indices, numpy.int64)
        if extent is not None and isinstance(indices, numpy.ndarray):
            check_bounds(indices, extent)
        indices = asarray(indices, device=device)
    elif device is not None and indices.device is not device:
        raise ValueError(f"the operands are on {device} and {indices.device}; move one with to_device")
    if not numpy.can_cast(indices.dtype, numpy.int64, rule):
        raise TypeError(
            f"Cannot cast array data from {indices.dtype!r} to dtype('int64') according to the rule '{rule}'"
        )
    return indices


def normal_axis(axis, ndim):
    """Check an axis and make it non-negative."""
    number = strict_integer(axis)
    if not -ndim <= number < ndim:
        raise numpy.exceptions.AxisError(number, ndim)
    return number % ndim


@implements(numpy.take, kernels=_GATHER)
def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements of an array along an axis, by index.

    Parameters
    ----------
    a : array_like
    indices : array_like of int
    axis : int, optional
        By default the indices are flat, in C order.
    out : ndarray, optional
        Where to write the result.
    mode : {"raise", "wrap", "clip"}, optional
        Treatment of indices out of bounds. On a GPU "raise" raises in a later call.

    Returns
    -------
    ndarray
    """
    number = 0 if mode == "raise" else mode_number(mode)
    if type(a) is not ndarray:
        a = asarray(a, device=device_of(indices, out))
    if axis is None:
        axis = -1
    else:
        if a.ndim == 0:
            a = a.reshape(1)
        axis = normal_axis(axis, a.ndim)
    if type(indices) is not ndarray or indices.dtype.kind != "i" or indices.device is not a.device:
        extent = a.size if axis < 0 else a.shape[axis]
        # As in NumPy, indices are not checked if an axis before this one is empty.
        checked = number == 0 and extent and 0 not in a.shape[: max(axis, 0)]
        indices = as_indices(indices, a.device, extent=extent if checked else None)
    before = a.shape[: max(axis, 0)]
    if out is None and a.size == 0 and (0 in before or (number and 0 in a.shape[axis + 1 :] and axis >= 0)):
        return layout.empty((*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]), a.dtype, "C", a.device)
    if out is None:
        return moves.take(a, indices, axis, number)._mark_scalar()
    return _take_into(out, a, indices, axis, number)


def _take_into(out, a, indices, axis, mode):
    if not isinstance(out, ndarray):
        raise TypeError("return arrays must be of ArrayType: take needs a device array as out")
    if out.dtype == a.dtype and not numpy.may_share_memory(out, a) and checked_output(out).flags.writeable:
        return moves.take(a, indices, axis, mode, out)
    result = moves.take(a, indices, axis, mode)
    if result.shape != out.shape:
        raise ValueError("output array does not match result of ndarray.take")
    warn_of_kind(a.dtype, out.dtype)
    checked_output(out)[...] = result
    return out


@implements(numpy.take_along_axis, kernels=_GATHER)
def take_along_axis(arr, indices, axis=-1):
    """Elements by index of matching lanes along an axis.

    Parameters
    ----------
    arr : array_like
    indices : ndarray of int
        Broadcast against ``arr`` in all dimensions but ``axis``.
    axis : int or None, optional
        None takes from the flattened array.

    Returns
    -------
    ndarray
    """
    arr, indices, axis = along_axis(arr, indices, axis)
    return moves.move(arr, 0, *locate_along_axis(arr, indices, axis), call="take_along_axis")


def along_axis(arr, indices, axis):
    """Check and convert the arguments of `take_along_axis` and `put_along_axis`."""
    arr = asarray(arr, device=indices.device if isinstance(indices, ndarray) else None)
    indices = asarray(indices, device=arr.device)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.reshape(-1), 0
    else:
        axis = numpy.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return arr, indices, axis


def locate_along_axis(arr, indices, axis):
    """Arguments of `moves.move`: shape, strides, the common dimensions and the index arrays."""
    lanes = (*arr.shape[:axis], 1, *arr.shape[axis + 1 :])
    try:
        shape = numpy.broadcast_shapes(lanes, indices.shape)
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing arrays could not be broadcast together with shapes "
            f"{lanes} {indices.shape}"
        ) from None
    strides = tuple(0 if n == 1 else s for n, s in zip(lanes, arr.strides, strict=True))
    return shape, strides, 0, arr.ndim, [(indices, arr.shape[axis], arr.strides[axis], axis)]


@implements(numpy.choose, kernels=("include/gpunp/indexing/choose.h",))
def choose(a, choices, out=None, mode="raise"):
    """Elements of several arrays, each from the array selected by an index.

    Parameters
    ----------
    a : array_like of int
    choices : sequence of array_like, or ndarray
        The items of an ndarray along its first axis are the choices.
    out : ndarray, optional
        Where to write the result.
    mode : {"raise", "wrap", "clip"}, optional
        Treatment of indices out of bounds.

    Returns
    -------
    ndarray
    """
    number = mode_number(mode)
    device = device_of(a, *_sequence(choices))
    a = joined(a)
    if not isinstance(a, ndarray | numpy.ndarray):
        # Unlike in take, the elements of a sequence must themselves be integers.
        a = numpy.asarray(a)
    a = as_indices(a, device, "safe")
    parts = [
        v if type(v) in (int, float, complex) else asarray(v, device=a.device) for v in _sequence(choices)
    ]
    if not parts:
        raise ValueError("0-length sequence.")
    dtype = as_dtype(numpy.result_type(*(getattr(v, "dtype", v) for v in parts)))
    # A number outside the dtype's range wraps around, as in NumPy.
    parts = [v if isinstance(v, ndarray) else numpy.asarray(v).astype(dtype) for v in parts]
    parts = [asarray(v, dtype=dtype, device=a.device) for v in parts]
    shape = numpy.broadcast_shapes(a.shape, *(v.shape for v in parts))
    if out is not None and out.shape != shape:
        raise TypeError("choose: invalid shape for output array.")
    result = layout.empty(shape, dtype, device=a.device)
    target = result
    if len(shape) > masks.MOST_AXES:
        a, *parts = (numpy.broadcast_to(v, shape).reshape(-1) for v in (a, *parts))
        target = result.reshape(-1)
    masks.choose(a, parts, target, number)
    if out is None:
        return result._mark_scalar()
    checked_output(out)[...] = result
    return out


def _sequence(choices):
    return choices if isinstance(choices, (list, tuple, ndarray, numpy.ndarray)) else tuple(choices)


@implements(numpy.compress, kernels=("include/gpunp/indexing/mask.h",))
def compress(condition, a, axis=None, out=None):
    """Slices of an array along an axis where a condition holds; waits for the device.

    Parameters
    ----------
    condition : array_like of one dimension
        May be shorter than the axis.
    a : array_like
    axis : int, optional
        By default the flattened array is used.
    out : ndarray, optional
        Where to write the result.

    Returns
    -------
    ndarray
    """
    device = device_of(a, condition, out)
    condition, a = asarray(condition, device=device), asarray(a, device=device)
    if axis is not None:
        strict_integer(axis)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if out is None and condition.size == a.size and (axis is None or a.ndim == 1):
        if axis is not None:
            normal_axis(axis, 1)
        return Bits(condition).select(a)
    return take(a, Bits(condition).positions()[0], axis, out)


@implements(numpy.extract, kernels=("include/gpunp/indexing/mask.h",))
def extract(condition, arr):
    """Elements of the flattened array where the flattened condition holds; waits for the device.

    Parameters
    ----------
    condition, arr : array_like
        Usually of equal size.

    Returns
    -------
    ndarray
    """
    arr, condition = on_one_device(arr, condition)
    if condition.size == arr.size:
        return Bits(condition).select(arr)
    return take(arr, Bits(condition).positions(flat=True)[0])
