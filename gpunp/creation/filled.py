"""Arrays filled with one value, given a shape or another array."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import order_name
from gpunp.array.convert import joined, moved
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.device import get_device
from gpunp.dispatch.registry import implements
from gpunp.ufunc.copying import fill_bytes

_FLOAT64 = as_dtype(None)
_INT64 = as_dtype(numpy.int64)
# Integers up to this magnitude are exact in int64 and in float64.
_EXACT = 1 << 53


def place(device, like):
    """The device of a creation call: ``device``, else the device of ``like``, else None (the current one)."""
    if device is None and isinstance(like, ndarray):
        return like.device
    return device


def fill(out, value, casting=None):
    """Fill a new array with a value that is broadcast, by assignment or with a casting rule."""
    # Where all casting rules give the same value, and without an array of NumPy.
    if (type(value) is float and out.dtype is _FLOAT64) or (
        type(value) is int and -_EXACT <= value <= _EXACT and (out.dtype is _FLOAT64 or out.dtype is _INT64)
    ):
        out.fill(value)
        return out
    if isinstance(value, ndarray) or numpy.ndim(value):
        out[...] = value if casting is None else moved(value, device=out.device)
        return out
    cell = numpy.empty((), out.dtype)
    if casting is None:
        cell[()] = value
    else:
        with numpy.errstate(invalid="ignore", over="ignore"):
            numpy.copyto(cell, value, casting=casting)
    fill_bytes(out, cell.tobytes())
    return out


@implements(numpy.empty, like=True)
def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """An uninitialized array; see `numpy.empty`."""
    if like is not None:
        device = place(device, like)
    return layout.empty(shape, _FLOAT64 if dtype is None else as_dtype(dtype), order, device)


@implements(numpy.zeros, like=True)
def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of zeros; see `numpy.zeros`."""
    if like is not None:
        device = place(device, like)
    return layout.zeros(shape, _FLOAT64 if dtype is None else as_dtype(dtype), order, device)


@implements(numpy.ones, like=True)
def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of ones; see `numpy.ones`."""
    out = layout.empty(shape, as_dtype(dtype), order, place(device, like))
    return fill(out, 1)


@implements(numpy.full, like=True)
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array filled with a value that is broadcast; see `numpy.full`."""
    if type(fill_value) is float:
        dtype = _FLOAT64 if dtype is None else dtype
    else:
        fill_value = joined(fill_value)
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, ndarray) else numpy.asarray(fill_value).dtype
    device = place(device, like)
    if device is None and isinstance(fill_value, ndarray):
        device = fill_value.device
    out = layout.empty(shape, as_dtype(dtype), order, device)
    return fill(out, fill_value, "unsafe")


def _empty_like(prototype, dtype, order, shape, device):
    order = order_name(order, "K")
    if dtype is not None:
        dtype = as_dtype(dtype)
    if device is not None:
        device = get_device(device)
    if isinstance(prototype, ndarray):
        return layout.empty_like(prototype, dtype, order, device, shape)
    # Only the shape, dtype and order of a host prototype are used; nothing is copied to the device.
    host = numpy.empty_like(prototype, dtype, order, subok=False, shape=shape)
    return layout.empty(host.shape, as_dtype(host.dtype), "F" if host.flags.fnc else "C", device)


@implements(numpy.empty_like)
def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An uninitialized array with the shape and dtype of another; see `numpy.empty_like`."""
    return _empty_like(prototype, dtype, order, shape, device)


@implements(numpy.zeros_like)
def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of zeros with the shape and dtype of another; see `numpy.zeros_like`."""
    out = _empty_like(a, dtype, order, shape, device)
    return fill(out, 0)


@implements(numpy.ones_like)
def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of ones with the shape and dtype of another; see `numpy.ones_like`."""
    out = _empty_like(a, dtype, order, shape, device)
    return fill(out, 1)


@implements(numpy.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array with the shape and dtype of another, filled with a value; see `numpy.full_like`."""
    out = _empty_like(a, dtype, order, shape, device)
    return fill(out, joined(fill_value), "unsafe")
