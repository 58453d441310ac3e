"""Arguments that functions of ``scipy.ndimage`` share: boundary modes, axes, origins, footprints, outputs."""

import operator
import warnings
from collections.abc import Iterable

import numpy
from gpunp.array.ndarray import ndarray

from gpunp.array import layout
from gpunp.array.convert import asarray, asnumpy

# SciPy's boundary modes and their codes, also in kernels/include/gpunp/ndimage/boundary_params.h.
MODES = {
    "nearest": 0,
    "wrap": 1,
    "reflect": 2,
    "grid-mirror": 2,
    "mirror": 3,
    "constant": 4,
    "grid-wrap": 5,
    "grid-constant": 6,
}
# Filters extend an image by whole samples, so that these modes do not differ there.
_OF_FILTERS = {5: 1, 6: 4}


def mode_code(mode, is_filter=False):
    """Return the code of a boundary mode; for filters, grid modes have the code of the mode they equal.

    Raises
    ------
    RuntimeError
        For a name that is not a mode.
    """
    code = MODES.get(mode) if isinstance(mode, str) else None
    if code is None:
        raise RuntimeError(f"boundary mode not supported: {mode!r}; use one of {', '.join(map(repr, MODES))}")
    return _OF_FILTERS.get(code, code) if is_filter else code


def sequence(value, rank):
    """Return a list of one value per axis: ``value`` itself, or ``rank`` times a single value.

    Raises
    ------
    RuntimeError
        For a sequence of another length.
    """
    if isinstance(value, str):
        return [value] * rank
    value = on_host(value)
    if not numpy.iterable(value):
        return [value] * rank
    values = [on_host(one) for one in value]
    if len(values) != rank:
        raise RuntimeError(
            f"sequence argument must have length equal to input rank: {len(values)} values for {rank} axes"
        )
    return values


def one_mode(mode, what):
    """Return the code of the mode of a filter that is not separable, which has no modes by axis."""
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        raise RuntimeError(f"A sequence of modes is not supported {what}")
    return mode_code(mode, is_filter=True)


def axes_of(axes, ndim):
    """Return the axes along which to filter, as non-negative numbers; all for None."""
    if axes is None:
        return tuple(range(ndim))
    if numpy.isscalar(axes):
        axes = (axes,)
    elif not isinstance(axes, Iterable):
        raise ValueError("axes must be an integer, iterable of integers, or None")
    axes = tuple(operator.index(axis) for axis in axes)
    for axis in axes:
        if not -ndim <= axis < ndim:
            raise ValueError(f"specified axis: {axis} is out of range for an image of {ndim} dimensions")
    axes = tuple(axis % ndim for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def image(input, real=False):
    """Return the image as a device array.

    Parameters
    ----------
    input : array_like
    real : bool, optional
        Whether complex images raise a TypeError.
    """
    input = asarray(input)
    if real and input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return input


def check_dtype(*arrays):
    """Raise SciPy's RuntimeError for float16, which ``scipy.ndimage`` does not compute with."""
    for array in arrays:
        if array.dtype.char == "e":
            raise RuntimeError("array type dtype('float16') not supported; convert the image to float32")


def on_host(parameter, dtype=None):
    """Return a small parameter (weights, a footprint, sizes) on the host; a device array is fetched.

    One without dimensions becomes a number of NumPy.
    """
    if isinstance(parameter, ndarray):
        parameter = asnumpy(parameter)[()]
    return parameter if dtype is None else numpy.asarray(parameter, dtype)


def output_for(output, input, shape=None, complex_output=False):
    """Return the array for the results, from a function's ``output`` argument.

    Parameters
    ----------
    output : None, dtype_like or ndarray
        A device array is returned as it is; otherwise the result is a new array, whose elements are not set,
        of this dtype or by default of that of the input.
    input : ndarray
    shape : tuple of int, optional
        By default that of the input.
    complex_output : bool, optional
        Whether the results are complex.

    Raises
    ------
    RuntimeError
        For an array of another shape, or a real dtype for complex results.
    ValueError
        For an array that is read-only.
    TypeError
        For a host array: results stay on the device.
    """
    shape = input.shape if shape is None else tuple(shape)
    if isinstance(output, ndarray):
        if output.shape != shape:
            raise RuntimeError(f"output shape not correct: {output.shape} instead of {shape}")
        if complex_output and output.dtype.kind != "c":
            raise RuntimeError(f"output must have complex dtype, not {output.dtype}")
        if not output.flags.writeable:
            raise ValueError("output array is read-only; give one that can be written")
        if output.device is not input.device:
            raise ValueError(f"the image is on {input.device} and the output on {output.device}")
        return output
    if output is None:
        dtype = numpy.promote_types(input.dtype, numpy.complex64) if complex_output else input.dtype
    elif isinstance(output, str):
        dtype = numpy.dtype(output)
        if complex_output and dtype.kind != "c":
            raise RuntimeError(f"output must have complex dtype, not {dtype}")
        if not issubclass(dtype.type, numpy.number):
            raise RuntimeError(f"output must have numeric dtype, not {dtype}")
    elif isinstance(output, (type, numpy.dtype)):
        dtype = numpy.dtype(output)
        if complex_output and dtype.kind != "c":
            warnings.warn("promoting specified output dtype to complex", stacklevel=3)
            dtype = numpy.promote_types(dtype, numpy.complex64)
    else:
        raise TypeError(
            f"output must be a dtype or a device array, not a {type(output).__name__}; "
            "gpunp.asarray makes a device array"
        )
    return empty(shape, dtype, input)


def empty(shape, dtype, like):
    """Return a new array on the device of ``like``."""
    return layout.empty(shape, numpy.dtype(dtype), device=like.device)


def separate(output, input):
    """Return ``output``, or a new array like it if it shares memory with the input."""
    if numpy.may_share_memory(input, output):
        return empty(output.shape, output.dtype, input)
    return output


def delivered(result, output):
    """Return ``output`` with the elements of ``result``, which is copied unless it is ``output``."""
    if result is not output:
        output[...] = result
    return output


def check_origin(origin, length, message="invalid origin"):
    """Raise a ValueError unless a window of ``length`` samples, shifted by ``origin``, covers its sample."""
    if not 0 <= length // 2 + origin < length:
        raise ValueError(
            f"{message}: {origin} for {length} samples; it must be at least {-(length // 2)} and at most "
            f"{(length - 1) // 2}"
        )


def expand_origins(ndim, axes, origin):
    """Return origins for all axes of an image from those for ``axes``; other axes have 0."""
    return _expand(ndim, axes, sequence(origin, len(axes)), 0)


def expand_modes(ndim, axes, mode):
    """Return modes for all axes of an image from a sequence of modes for ``axes``; a single mode as it is."""
    if isinstance(mode, str) or not isinstance(mode, Iterable):
        return mode
    return _expand(ndim, axes, sequence(mode, len(axes)), "constant")


def _expand(ndim, axes, values, other):
    # Like SciPy, values for all axes keep their order even if the axes have another.
    if len(axes) == ndim:
        return values
    expanded = [other] * ndim
    for axis, value in zip(axes, values, strict=True):
        expanded[axis] = value
    return expanded


def expand_footprint(ndim, axes, footprint, name="footprint"):
    """Return a footprint (or weights, or a structure) with an axis for each axis of the image."""
    if len(axes) < ndim:
        if footprint.ndim != len(axes):
            raise RuntimeError(f"{name}.ndim ({footprint.ndim}) must match len(axes) ({len(axes)})")
        footprint = numpy.expand_dims(footprint, tuple(axis for axis in range(ndim) if axis not in axes))
    if footprint.ndim != ndim or 0 in footprint.shape:
        raise RuntimeError(f"{name}.ndim ({footprint.ndim}) must match len(axes) ({len(axes)})")
    return footprint
