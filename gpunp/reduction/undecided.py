"""Results of reductions that no element decides: ``initial=`` itself, or a NaN with its stored bits.

Kernels start from an identity that is neutral for the results of the operation, but not for every
``initial=`` or NaN: `gcd` and `hypot` make a negative value positive, and the complex `fmax` and `fmin` give
a NaN of their own.
"""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.reduction.engine import reduce_array


def settle(name, result, array, axis, keepdims, initial, where):
    """Correct, in place, results of `gpunp.reduction.engine.reduce_array` that no element decides.

    Parameters
    ----------
    name : {"gcd", "hypot", "fmax", "fmin"}
    result, array : ndarray
    axis, keepdims, initial, where
        The arguments of the reduction.
    """
    if name in ("fmax", "fmin"):
        if (initial is numpy._NoValue or initial is None) and result.dtype.kind == "c":
            _keep_first_nan(result, array, axis, keepdims)
        return
    if initial is None and array.size == result.size:
        # Each result is one element, unchanged.
        numpy.copyto(result, array.reshape(result.shape), "unsafe")
    if initial is numpy._NoValue or initial is None:
        return
    if isinstance(initial, ndarray):
        initial = initial.item()
    if not initial < 0:
        return
    if array.size == 0:
        result[...] = initial
    elif where is not True and where is not numpy._NoValue:
        mask = asarray(where, device=array.device)
        lead = array.ndim - mask.ndim
        steps = (0 if n == 1 else s for n, s in zip(mask.shape, mask.strides, strict=True))
        mask = layout.strided_view(mask, array.shape, (0,) * lead + tuple(steps))
        taken = reduce_array("logical_or", mask, axis, keepdims=keepdims)
        numpy.copyto(result, numpy.asarray(initial).astype(result.dtype), where=~taken)


def _keep_first_nan(result, array, axis, keepdims):
    """Where all elements are NaN the result is the first element, including its non-NaN part."""
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = {i % max(array.ndim, 1) for i in axes}
    first = array[tuple(slice(0, 1) if d in axes else slice(None) for d in range(array.ndim))]
    numpy.copyto(result, first.reshape(result.shape), "unsafe", numpy.isnan(result))
