"""Python functions applied to parts of an array.

The functions are called with device arrays. Each call costs at least one kernel launch, so functions with
their own ``axis`` parameter are faster.
"""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.functional.compiled import compiled_slices, has_loop


@implements(numpy.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Apply a function to 1-d slices along an axis.

    Parameters
    ----------
    func1d : callable
        Called with each slice, a 1-d device array, once for each position on the other axes.
    axis : int
        The axis of the slices.
    arr : array_like
        The array.
    *args, **kwargs
        Further arguments of `func1d`.

    Returns
    -------
    ndarray
        The results, with their axes in place of `axis`.

    Notes
    -----
    A Python function with a loop over the elements of the slice, which returns a number or a tuple of numbers
    and calls no array functions, is compiled, by numba-cuda for a CUDA device and by numba for the CPU device
    (``pip install gpunp[jit]``); a thread runs it for each slice. Other functions are called once per slice,
    with their own kernel launches. Nothing is copied to the host.
    """
    arr = asarray(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    outer = arr.shape[:axis] + arr.shape[axis + 1 :]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    slices = numpy.moveaxis(arr, axis, -1)
    out = compiled_slices(func1d, slices, args, kwargs) if arr.ndim and has_loop(func1d) else None
    for index in numpy.ndindex(outer) if out is None else ():
        result = func1d(slices[(*index, Ellipsis)], *args, **kwargs)
        if isinstance(result, numpy.ndarray) and type(result) is not numpy.ndarray:
            # Of a masked array the mask would be lost.
            raise TypeError(f"apply_along_axis: devices have no {type(result).__name__}")
        result = asarray(result, device=arr.device)
        if out is None:
            out = layout.zeros(outer + result.shape, result.dtype, "C", arr.device)
        out[(*index, Ellipsis)] = result
    # The axes of the results take the place of the axis.
    before, inner = tuple(range(axis)), tuple(range(len(outer), out.ndim))
    return numpy.transpose(out, (*before, *inner, *range(axis, len(outer))))


@implements(numpy.apply_over_axes)
def apply_over_axes(func, a, axes):
    """Apply a function over several axes, one after the other.

    Parameters
    ----------
    func : callable
        Called as ``func(array, axis)``; its result must have as many dimensions as the array, or one less.
    a : array_like
        The array.
    axes : int or sequence of int
        The axes.

    Returns
    -------
    ndarray
        An array with as many dimensions as `a`.
    """
    value = asarray(a)
    ndim = value.ndim
    for axis in (axes,) if not numpy.iterable(axes) else axes:
        axis = int(axis)
        axis = axis + ndim if axis < 0 else axis
        result = asarray(func(value, axis), device=value.device)
        if result.ndim != value.ndim:
            result = numpy.expand_dims(result, axis)
        if result.ndim != value.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def _conditions(x, condlist):
    """Convert the conditions to a list of boolean arrays on the device of ``x``."""
    single = numpy.isscalar(condlist) or (isinstance(condlist, ndarray) and condlist.ndim == 0)
    if not single:
        single = not isinstance(condlist[0], list | ndarray | numpy.ndarray) and x.ndim != 0
    if not single and isinstance(condlist, ndarray) and condlist.ndim == 1 and x.ndim != 0:
        # Unlike in NumPy, an element of a 1-d device array has the type of an array, not of a scalar.
        single = True
    listed = [condlist] if single else condlist
    return [asarray(condition, dtype=bool, device=x.device) for condition in listed]


@implements(numpy.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluate a piecewise-defined function.

    Parameters
    ----------
    x : array_like
        The argument.
    condlist : sequence of array_like of bool
        Where each piece applies. Where several conditions hold, the last one counts.
    funclist : sequence of callable or scalar
        The pieces. One piece more than there are conditions applies where no condition holds. A callable is
        called with the elements of `x` for which its condition holds, as a 1-d array.
    *args, **kw
        Further arguments of the callables.

    Returns
    -------
    ndarray
        An array of the shape and dtype of `x`.

    Notes
    -----
    Selecting the arguments of a callable waits for the device, since their number depends on the data. Scalar
    pieces do not wait.
    """
    x = asarray(x)
    conditions = _conditions(x, condlist)
    count = len(conditions)
    if count == len(funclist) - 1:
        some = conditions[0]
        for condition in conditions[1:]:
            some = some | condition
        conditions.append(~some)
    elif count != len(funclist):
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    out = layout.zeros(x.shape, x.dtype, "C", x.device)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            out[condition] = function
            continue
        values = x[condition]
        if values.size:
            out[condition] = function(values, *args, **kw)
    return out
