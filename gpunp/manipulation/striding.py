"""Views with arbitrary strides: ``gpunp.lib.stride_tricks``."""

import math

import numpy

from gpunp.array import layout
from gpunp.array.construct import require_aligned
from gpunp.array.convert import asarray
from gpunp.dispatch.registry import NAMESPACE, implements
from gpunp.manipulation import broadcasting


@implements(name="lib.stride_tricks.as_strided")
def as_strided(x, shape=None, strides=None, subok=False, writeable=True, *, check_bounds=None):
    """A view with the given shape and strides; see `numpy.lib.stride_tricks.as_strided`.

    Parameters
    ----------
    x : array_like
    shape : sequence of int, optional
        The shape of `x` by default.
    strides : sequence of int, optional
        In bytes; the strides of `x` by default.
    subok : bool, optional
        Has no effect: there are no subclasses.
    writeable : bool, optional
        False makes a read-only view.
    check_bounds : bool, optional
        False allows a view that reaches outside the memory of `x`. By default that is an error, because a
        write outside would silently corrupt other arrays of the device.

    Returns
    -------
    ndarray
    """
    x = asarray(x)
    shape = x.shape if shape is None else tuple(shape) if numpy.iterable(shape) else (shape,)
    if strides is None:
        # As in NumPy: the shape of contiguous memory is free.
        strides = x.strides
        if x.flags.c_contiguous:
            strides = tuple(x.itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape)))
    strides = tuple(strides) if numpy.iterable(strides) else (strides,)
    if len(shape) != len(strides):
        raise ValueError(f"as_strided: shape {shape} and strides {strides} have different lengths")
    if any(extent < 0 for extent in shape):
        raise ValueError("as_strided: negative dimensions are not allowed")
    require_aligned(shape, strides, x.dtype)
    view = layout.strided_view(x, shape, strides)
    if check_bounds is None or check_bounds:
        low, high = layout.byte_bounds(view)
        start, nbytes = x.buffer_address
        if view.size and (low < start or high > start + nbytes):
            raise ValueError(
                "Given shape and strides would access memory out of bounds. "
                f"View starts {max(start - low, 0)} bytes before lowest address and ends "
                f"{max(high - start - nbytes, 0)} bytes after highest address"
            )
    if not writeable:
        view.flags.writeable = False
    return view


@implements("numpy.lib.stride_tricks.sliding_window_view")
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view of sliding windows, as new axes; see `numpy.lib.stride_tricks.sliding_window_view`."""
    x = asarray(x)
    window = tuple(window_shape) if numpy.iterable(window_shape) else (window_shape,)
    if any(extent < 0 for extent in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(
                "Since axis is `None`, must provide window_shape for all dimensions of `x`; got "
                f"{len(window)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = numpy.lib.array_utils.normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axes):
            raise ValueError(
                f"Must provide matching length window_shape and axis; got {len(window)} window_shape "
                f"elements and {len(axes)} axes elements."
            )
    shape = list(x.shape)
    for one, extent in zip(axes, window, strict=True):
        if shape[one] < extent:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[one] -= extent - 1
    strides = (*x.strides, *(x.strides[one] for one in axes))
    view = layout.strided_view(x, (*shape, *window), strides)
    if not writeable:
        view.flags.writeable = False
    return view


# NumPy has these in the same module.
NAMESPACE["lib.stride_tricks.broadcast_to"] = broadcasting.broadcast_to
NAMESPACE["lib.stride_tricks.broadcast_arrays"] = broadcasting.broadcast_arrays
