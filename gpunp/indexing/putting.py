"""Writing elements by index or mask, in place."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.implicit import on_host
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.indexing import moves
from gpunp.indexing import select as engine
from gpunp.indexing.advanced import broadcastable, value_for
from gpunp.indexing.masks import BY_POSITION, ROUND, Bits
from gpunp.indexing.taking import along_axis, as_indices, locate_along_axis, mode_number


def _on_host(function, *args):
    """Call NumPy's function if the first argument is a host array, with device scalars as host values."""
    refusal = f"{function.__name__}: the first argument must be a device array, not {type(args[0]).__name__}"
    if not isinstance(args[0], numpy.ndarray):
        raise TypeError(refusal)
    return on_host(function, refusal, args)


def _values(a, values):
    """Check that values cast safely to the array's dtype; sequences are converted."""
    scalar = isinstance(values, numpy.generic) or (isinstance(values, ndarray) and values._is_scalar)
    if hasattr(values, "dtype") and not scalar and not numpy.can_cast(values.dtype, a.dtype, "safe"):
        what = "array data" if values.ndim else "scalar"
        raise TypeError(
            f"Cannot cast {what} from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'"
        )
    return value_for(a, values)


@implements(numpy.put, kernels=("include/gpunp/indexing/gather.h",))
def put(a, ind, v, mode="raise"):
    """Write values to elements at flat indices in C order; the last of repeated indices wins.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    ind : array_like of int
    v : array_like
        Repeated if there are fewer values than indices.
    mode : {"raise", "wrap", "clip"}, optional
        Treatment of indices out of bounds. On a GPU "raise" raises in a later call.
    """
    if not isinstance(a, ndarray):
        return _on_host(numpy.put, a, ind, v, mode)
    number = mode_number(mode)
    values = value_for(a, v)
    # Without values, NumPy checks no index.
    checked = number == 0 and a.size and not (isinstance(values, ndarray) and values.size == 0)
    # A 0-d device array stands for a scalar, which NumPy converts without a cast check, like a sequence.
    rule = "safe" if getattr(ind, "ndim", 0) else "unsafe"
    indices = as_indices(ind, a.device, rule, a.size if checked else None)
    if a.size == 0 and indices.size:
        raise IndexError("cannot replace elements of an empty array")
    moves.put(a, indices, values, number)


@implements(numpy.put_along_axis, kernels=("include/gpunp/indexing/gather.h",))
def put_along_axis(arr, indices, values, axis):
    """Write values by index to matching lanes along an axis.

    Parameters
    ----------
    arr : ndarray
        Changed in place.
    indices : ndarray of int
        Broadcast against ``arr`` in all dimensions but ``axis``.
    values : array_like
        Broadcast to the shape of the indices.
    axis : int or None
        None writes to the flattened array.
    """
    if not isinstance(arr, ndarray):
        return _on_host(numpy.put_along_axis, arr, indices, values, axis)
    if axis is None:
        indices = as_indices(indices, arr.device)
        along_axis(arr.flat.copy() if arr.size == 0 else arr, indices, None)
        values = value_for(arr, values)
        if isinstance(values, ndarray):
            values = numpy.broadcast_to(broadcastable(values, indices.shape), indices.shape)
        moves.put(arr, indices, values, call="put_along_axis")
        return
    arr, indices, axis = along_axis(arr, indices, axis)
    located = locate_along_axis(arr, indices, axis)
    values = value_for(arr, values)
    if isinstance(values, ndarray):
        values = broadcastable(values, located[0])
    moves.move(arr, 0, *located, value=values, writing=True, lanes=True, call="put_along_axis")


def _mask_for(array, mask, name):
    mask = asarray(mask, device=array.device)
    if mask.size != array.size:
        raise ValueError(f"{name}: mask and data must be the same size")
    return mask


@implements(numpy.putmask, kernels=("include/gpunp/indexing/mask.h", "include/gpunp/indexing/mask_fill.h"))
def putmask(a, /, mask, values):
    """Write values where a mask is true; each element gets the value at its flat index, with values repeated.

    Parameters
    ----------
    a : ndarray
        Changed in place.
    mask : array_like
        Must have as many elements as ``a``.
    values : array_like
    """
    if not isinstance(a, ndarray):
        return _on_host(numpy.putmask, a, mask, values)
    mask = _mask_for(a, mask, "putmask")
    values = _values(a, values)
    if not isinstance(values, ndarray) or values.size in (1, a.size):
        if isinstance(values, ndarray):
            values = values.reshape(() if values.size == 1 else a.shape)
        engine.write_masked(a, values, mask.reshape(a.shape))
    elif values.size:
        Bits(mask).expand(a, values.reshape(-1), BY_POSITION)


@implements(numpy.place, kernels=("include/gpunp/indexing/mask.h", "include/gpunp/indexing/mask_fill.h"))
def place(arr, mask, vals):
    """Write values in turn to the elements where a mask is true, repeating the values as needed.

    Parameters
    ----------
    arr : ndarray
        Changed in place.
    mask : array_like
        Must have as many elements as ``arr``.
    vals : array_like
    """
    if not isinstance(arr, ndarray):
        return _on_host(numpy.place, arr, mask, vals)
    mask = _mask_for(arr, mask, "place")
    vals = _values(arr, vals)
    if not isinstance(vals, ndarray) or vals.size == 1:
        engine.write_masked(
            arr, vals.reshape(()) if isinstance(vals, ndarray) else vals, mask.reshape(arr.shape)
        )
    elif vals.size:
        Bits(mask).expand(arr, vals.reshape(-1), ROUND)
    elif Bits(mask).count():
        raise ValueError("Cannot insert from an empty array!")
