"""Spline coefficients of images, the first step of interpolation."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp_scipy.ndimage.arguments import check_dtype, delivered, image, mode_code, output_for
from gpunp_scipy.ndimage.sampling import filter_axis

# Samples by which images are extended for the modes without an exact filter at the ends, as in SciPy.
_PADDING = 12


def spline_order(order):
    """Return the order of a spline as an int; RuntimeError unless it is from 0 to 5."""
    order = operator.index(order)
    if not 0 <= order <= 5:
        raise RuntimeError(f"spline order not supported: {order}; it must be from 0 to 5")
    return order


def parts(input):
    """Return the components of an image: their numbers (None for a real one) and views."""
    if input.dtype.kind == "c":
        return (0, input.real), (1, input.imag)
    return ((None, input),)


def prepared(part, output, order):
    """Return a real image as a C-contiguous array of the dtype in which ``output`` is computed.

    Single precision suffices for images and outputs in float32 up to order 3. The coefficients of higher
    orders are much larger than the image and cancel.
    """
    single = part.dtype.char == "f" and output.real.dtype.char == "f" and order <= 3
    return part.astype(numpy.float32 if single else numpy.float64, order="C", copy=False)


def coefficients(part, order, mode, axes):
    """Return the spline coefficients of a C-contiguous float32 or float64 image along axes."""
    code = mode_code(mode)
    for axis in axes:
        # SciPy leaves lines of a single sample as they are.
        if part.shape[axis] > 1:
            part = filter_axis(part, axis, order, code)
    return part


def padded_coefficients(part, order, mode, cval, axes):
    """Return the coefficients for interpolation, and the number of samples that the image was extended by."""
    if mode not in ("nearest", "grid-constant"):
        return coefficients(part, order, mode, axes), 0
    widths = [(_PADDING if axis in axes else 0,) * 2 for axis in range(part.ndim)]
    if mode == "nearest":
        part = numpy.pad(part, widths, mode="edge")
    else:
        part = numpy.pad(part, widths, mode="constant", constant_values=cval)
    return coefficients(part, order, mode, axes), _PADDING


def _filtered(input, order, output, mode, axes):
    input = image(input)
    is_complex = input.dtype.kind == "c"
    output = output_for(output, input, complex_output=is_complex)
    check_dtype(input, output)
    if not is_complex and output.dtype.kind == "c":
        raise RuntimeError("data type not supported: complex output of a real image; use a float dtype")
    if order < 2:
        output[...] = input
        return output
    results = []
    for _, part in parts(input):
        stored = output.real.dtype
        part = prepared(part, output, order)
        if stored.kind == "f":
            results.append(coefficients(part, order, mode, axes))
            continue
        # Like SciPy, integers are stored between the axes.
        for axis in axes:
            part = coefficients(part, order, mode, [axis]).astype(stored).astype(numpy.float64)
        results.append(part)
    if is_complex:
        output.real[...], output.imag[...] = results
        return output
    return delivered(results[0], output)


def spline_filter1d(input, order=3, axis=-1, output=numpy.float64, mode="mirror"):
    """Compute spline coefficients along an axis; see `scipy.ndimage.spline_filter1d`.

    The recursive filter runs on segments of each line at once, whose error at the start is below rounding.
    """
    order = spline_order(order)
    input = image(input)
    axes = [normalize_axis_index(operator.index(axis), input.ndim)] if order > 1 else []
    return _filtered(input, order, output, mode, axes)


def spline_filter(input, order=3, output=numpy.float64, mode="mirror"):
    """Compute spline coefficients along all axes; see `scipy.ndimage.spline_filter`.

    Images in float32 with an ``output`` in float32 are filtered in single precision up to order 3, others in
    double precision.
    """
    if operator.index(order) < 2:
        raise RuntimeError(f"spline order not supported: {order}; it must be from 2 to 5")
    order = spline_order(order)
    input = image(input)
    return _filtered(input, order, output, mode, range(input.ndim))
