"""Edges: Sobel and Prewitt filters, Laplace filters and magnitudes of gradients."""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp_scipy.ndimage.arguments import axes_of, image, mode_code, output_for, sequence
from gpunp_scipy.ndimage.correlation import by_components, correlate1d, filtered
from gpunp_scipy.ndimage.separable import Pass


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Prewitt filter; see `scipy.ndimage.prewitt`."""
    return _gradient(input, axis, output, mode, cval, smoothing=[1.0, 1.0, 1.0])


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Sobel filter; see `scipy.ndimage.sobel`."""
    return _gradient(input, axis, output, mode, cval, smoothing=[1.0, 2.0, 1.0])


def _gradient(input, axis, output, mode, cval, smoothing):
    input = image(input)
    axis = normalize_axis_index(axis, input.ndim)
    output = output_for(output, input)
    codes = [mode_code(one, is_filter=True) for one in sequence(mode, input.ndim)]
    passes = [Pass(axis, 3, 1, codes[axis], numpy.array([-1.0, 0.0, 1.0]))]
    others = (other for other in range(input.ndim) if other != axis)
    passes.extend(Pass(other, 3, 1, codes[other], numpy.array(smoothing)) for other in others)
    if input.dtype.kind != "c":
        return filtered(input, output, passes, cval, "sum")
    if output.dtype.kind != "c":
        raise RuntimeError(f"output must have complex dtype, not {output.dtype}")

    def components(part, _, output, cval):
        return filtered(part, output, passes, cval, "sum")

    return by_components(components, input, passes[0].weights, output, cval)


def generic_laplace(
    input,
    derivative2,
    output=None,
    mode="reflect",
    cval=0.0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    """Laplace filter by a function for second derivatives; see `scipy.ndimage.generic_laplace`.

    The function is called with device arrays.
    """
    input = image(input)
    output = output_for(output, input)
    axes = axes_of(axes, input.ndim)
    if not axes:
        output[...] = input
        return output
    modes, keywords = sequence(mode, len(axes)), extra_keywords or {}
    derivative2(input, axes[0], output, modes[0], cval, *extra_arguments, **keywords)
    for axis, one in zip(axes[1:], modes[1:], strict=True):
        output += derivative2(input, axis, output.dtype, one, cval, *extra_arguments, **keywords)
    return output


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """Laplace filter by second differences; see `scipy.ndimage.laplace`."""

    def derivative2(input, axis, output, mode, cval):
        return correlate1d(input, [1, -2, 1], axis, output, mode, cval, 0)

    return generic_laplace(input, derivative2, output, mode, cval, axes=axes)


def generic_gradient_magnitude(
    input,
    derivative,
    output=None,
    mode="reflect",
    cval=0.0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    """Magnitude of the gradient by derivatives; see `scipy.ndimage.generic_gradient_magnitude`.

    The function is called with device arrays.
    """
    input = image(input)
    output = output_for(output, input)
    axes = axes_of(axes, input.ndim)
    if not axes:
        output[...] = input
        return output
    modes, keywords = sequence(mode, len(axes)), extra_keywords or {}
    derivative(input, axes[0], output, modes[0], cval, *extra_arguments, **keywords)
    numpy.multiply(output, output, out=output)
    for axis, one in zip(axes[1:], modes[1:], strict=True):
        part = derivative(input, axis, output.dtype, one, cval, *extra_arguments, **keywords)
        numpy.multiply(part, part, out=part)
        output += part
    return numpy.sqrt(output, out=output, casting="unsafe")
