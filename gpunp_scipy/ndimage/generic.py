"""Filters by functions of windows.

The functions run on the device: they get arrays of many windows, or are compiled.
"""

import inspect
import math
import operator
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array.convert import asarray
from gpunp.functional.compiled import compiled_slices
from gpunp_scipy.ndimage.arguments import (
    axes_of,
    check_dtype,
    check_origin,
    expand_footprint,
    expand_origins,
    image,
    mode_code,
    on_host,
    one_mode,
    output_for,
    sequence,
)

# Modes of numpy.pad by those of windows. Like SciPy, `vectorized_filter` takes 'grid-mirror' as 'mirror'.
_PADDING = {
    "nearest": "edge",
    "reflect": "symmetric",
    "mirror": "reflect",
    "grid-mirror": "reflect",
    "grid-constant": "constant",
    "grid-wrap": "wrap",
}
# The most bytes of windows that `generic_filter` passes to a function at once.
_WINDOW_BYTES = 1 << 28


def generic_filter1d(
    input,
    function,
    filter_size,
    axis=-1,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
):
    """Filter lines by a function; see `scipy.ndimage.generic_filter1d`.

    Parameters
    ----------
    function : callable
        Called for each line with device arrays: the extended line, and the line that it sets. Each call costs
        the kernel launches that it makes. Functions in C are not supported.
    """
    input = image(input, real=True)
    output = output_for(output, input)
    if filter_size < 1:
        raise RuntimeError(f"invalid filter size: {filter_size}; it must be at least 1")
    axis = normalize_axis_index(axis, input.ndim)
    check_origin(origin, filter_size)
    code = mode_code(mode, is_filter=True)
    check_dtype(input, output)
    _require_python(function, "generic_filter1d")
    if output.size == 0:
        return output
    before = filter_size // 2 + origin
    lines = numpy.moveaxis(input.astype(numpy.float64), axis, -1)
    padding = [(0, 0)] * (input.ndim - 1) + [(before, filter_size - 1 - before)]
    lines = _padded(lines, padding, code, cval)
    results = numpy.empty_like(lines, shape=(*lines.shape[:-1], input.shape[axis]))
    for index in numpy.ndindex(lines.shape[:-1]):
        function(lines[index], results[index], *extra_arguments, **(extra_keywords or {}))
    output[...] = numpy.moveaxis(results, -1, axis)
    return output


def _require_python(function, name):
    if not callable(function):
        raise TypeError(
            f"{name}: functions in C, such as a {type(function).__name__}, cannot run on a device; pass a "
            "Python function"
        )


def _padded(a, padding, code, cval):
    """Extend an image by the mode of a code."""
    if code == mode_code("constant"):
        return numpy.pad(a, padding, mode="constant", constant_values=cval)
    modes = {mode_code(mode): _PADDING.get(mode, mode) for mode in ("nearest", "wrap", "reflect", "mirror")}
    return numpy.pad(a, padding, mode=modes[code])


def generic_filter(
    input,
    function,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    """Filter by a function of the samples in each window; see `scipy.ndimage.generic_filter`.

    Parameters
    ----------
    function : callable
        A function with an ``axis`` parameter, such as `numpy.median`, which is called with an array of
        windows and ``axis=-1``; or a Python function of one window that numba can compile
        (``pip install gpunp[jit]``).

    Raises
    ------
    TypeError
        For other functions, which would have to be called once per sample.
    """
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=2)
    input = image(input, real=True)
    axes = axes_of(axes, input.ndim)
    if footprint is not None:
        footprint = on_host(footprint, bool)
    elif size is None:
        raise RuntimeError("no footprint or filter size provided")
    else:
        footprint = numpy.ones(sequence(size, len(axes)), dtype=bool)
    footprint = expand_footprint(input.ndim, axes, footprint)
    origins = expand_origins(input.ndim, axes, origin)
    for one, length in zip(origins, footprint.shape, strict=True):
        check_origin(one, length)
    output = output_for(output, input)
    code = one_mode(mode, "by generic_filter")
    check_dtype(input, output)
    _require_python(function, "generic_filter")
    if output.size == 0:
        return output
    keywords = extra_keywords or {}
    if input.ndim == 0:
        output[...] = _apply(function, input.astype(numpy.float64).reshape(1), extra_arguments, keywords)
        return output
    before = [length // 2 + one for one, length in zip(origins, footprint.shape, strict=True)]
    padding = [(low, length - 1 - low) for low, length in zip(before, footprint.shape, strict=True)]
    windows = _padded(input.astype(numpy.float64), padding, code, cval)
    windows = numpy.lib.stride_tricks.sliding_window_view(windows, footprint.shape)
    count = int(footprint.sum())
    each = max(1, _WINDOW_BYTES // max(1, 8 * count * math.prod(input.shape[1:])))
    results = [
        _apply(function, windows[first : first + each][..., footprint], extra_arguments, keywords)
        for first in range(0, input.shape[0], each)
    ]
    output[...] = results[0] if len(results) == 1 else numpy.concatenate(results)
    return output


def _takes_axis(function):
    """Whether a function has a parameter ``axis``; True if its parameters are unknown."""
    try:
        return "axis" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True


def _apply(function, windows, arguments, keywords):
    """Apply a function to the last axis of windows."""
    name = getattr(function, "__name__", type(function).__name__)
    if _takes_axis(function):
        result = asarray(function(windows, *arguments, axis=-1, **keywords), device=windows.device)
        if result.shape != windows.shape[:-1]:
            raise TypeError(
                f"generic_filter: {name} with axis=-1 returned shape {result.shape} for windows of shape "
                f"{windows.shape}; it must return one number for each window"
            )
        return result
    # A function compiled by gpunp.jit or numba has the Python function that it was made from.
    plain = getattr(function, "py_func", function)
    result = compiled_slices(plain, windows, arguments, keywords) if inspect.isfunction(plain) else None
    if result is None or result.shape != windows.shape[:-1]:
        raise TypeError(
            f"generic_filter: {name} would have to be called for each sample, since it has no parameter "
            "'axis' and cannot be compiled; give it one, as numpy.median has, or write a loop over the window"
        )
    return result


def vectorized_filter(
    input,
    function,
    *,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=None,
    origin=None,
    axes=None,
    batch_memory=2**30,
):
    """Filter by a function of an array of windows; see `scipy.ndimage.vectorized_filter`.

    Parameters
    ----------
    function : callable
        Called with a device array of windows and ``axis``.
    """
    input = asarray(input)
    if not callable(function):
        raise ValueError("`function` must be a callable.")
    if (size is None) == (footprint is None):
        what = "must be provided" if size is None else "may be provided, not both"
        raise ValueError(f"Either `size` or `footprint` {what}.")
    if axes is None:
        axes = tuple(range(-input.ndim, 0))
    axes = (axes,) if numpy.isscalar(axes) else tuple(axes)
    count = len(axes)
    if count > input.ndim:
        raise ValueError(
            f"The length of `axes` may not exceed the dimensionality of `input`: {count} axes, "
            f"{input.ndim} dimensions"
        )
    if footprint is not None:
        footprint = on_host(footprint, bool)
        size = footprint.shape
    else:
        size = (size,) * count if numpy.isscalar(size) else tuple(size)
        if not all(_is_integer(one) and one > 0 for one in size):
            raise ValueError("All elements of `size` must be positive integers.")
    if len(size) != count:
        raise ValueError(
            "`axes` must be compatible with the dimensionality of the window specified by `size` or "
            f"`footprint`: {count} axes, {len(size)} dimensions"
        )
    origin = _origins(origin, count, mode)
    mode, cval = _mode(mode, cval)
    memory = numpy.asarray(on_host(batch_memory))
    if memory.ndim or memory.dtype.kind not in "iuf" or not memory > 0:
        raise ValueError("`batch_memory` must be positive number.")
    last = tuple(range(-count, 0))
    moved = numpy.moveaxis(input, axes, last)
    if input.size == 0:
        return moved
    if input.ndim == 0:
        window = moved if footprint is None else moved[footprint]
        return asarray(function(window, axis=()), device=input.device)

    def call(windows):
        if footprint is None:
            return function(windows, axis=last)
        return function(windows[..., footprint], axis=-1)

    if mode != "valid":
        borders = [
            (one // 2 + shift, (one - 1) // 2 - shift) for one, shift in zip(size, origin, strict=True)
        ]
        constant = {"constant_values": cval} if mode == "constant" else {}
        moved = numpy.pad(moved, [(0, 0)] * (input.ndim - count) + borders, mode=mode, **constant)
    windows = numpy.lib.stride_tricks.sliding_window_view(moved, size, last)
    target = None if output is None else numpy.moveaxis(output, axes, last)
    result = _in_batches(call, windows, count, target, batch_memory)
    return numpy.moveaxis(result, last, axes)


def _is_integer(value):
    return not numpy.ndim(value) and numpy.asarray(on_host(value)).dtype.kind in "iu"


def _origins(origin, count, mode):
    """One origin per axis."""
    origin = 0 if origin is None else origin
    origin = (origin,) * count if numpy.isscalar(origin) else tuple(origin)
    if not all(_is_integer(one) for one in origin):
        raise ValueError("All elements of `origin` must be integers.")
    if len(origin) != count:
        raise ValueError(
            f"`origin` must be an integer or tuple of integers with length {count}, one for each axis, not "
            f"{len(origin)}"
        )
    if mode == "valid" and any(origin):
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    return tuple(operator.index(one) for one in origin)


def _mode(mode, cval):
    """The mode of numpy.pad, and the constant."""
    valid = {"reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"}
    if mode not in valid and mode != "valid":
        raise ValueError(f"`mode` must be one of {sorted(valid)} or 'valid', not {mode!r}.")
    mode = _PADDING.get(mode, mode)
    if cval is not None and mode != "constant":
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    cval = 0.0 if cval is None else cval
    if numpy.asarray(on_host(cval)).dtype.kind not in "iufc":
        raise ValueError("`cval` must include only numbers.")
    return mode, cval


def _in_batches(call, windows, count, target, batch_memory):
    """Call a function with as many windows along the first axis at once as the memory allows."""
    if not count:
        return call(windows)
    rows = windows.shape[0]
    each = int(min(rows, batch_memory / (math.prod(windows.shape[1:]) * windows.dtype.itemsize)))
    if each < 1:
        raise ValueError("`batch_memory` is insufficient for minimum chunk size.")
    if each == rows and target is None:
        return call(windows)
    for first in range(0, rows, each):
        part = call(windows[first : first + each])
        if target is None:
            target = numpy.empty_like(part, shape=windows.shape[: windows.ndim - count])
        target[first : first + each] = part
    return target
