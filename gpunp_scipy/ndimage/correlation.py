"""Correlations and convolutions with any weights.

Sums are computed in float64. Results other than float32 add products in SciPy's order, so that integers,
which truncate sums, are SciPy's; float32 results are rounded once from sums in another order. Weights are
small and needed on the host: a device array is fetched.
"""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp_scipy.ndimage.arguments import (
    axes_of,
    check_dtype,
    check_origin,
    delivered,
    expand_footprint,
    expand_origins,
    image,
    mode_code,
    on_host,
    one_mode,
    output_for,
    separate,
)
from gpunp_scipy.ndimage.separable import Pass, filter_axes
from gpunp_scipy.ndimage.stencil import filter_footprint


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlation along one axis; see `scipy.ndimage.correlate1d`."""
    input, weights = image(input), numpy.asarray(on_host(weights))
    if input.dtype.kind == "c" or weights.dtype.kind == "c":
        weights = weights.conj().astype(numpy.complex128) if weights.dtype.kind == "c" else weights
        output = output_for(output, input, complex_output=True)
        options = {"axis": axis, "mode": mode, "origin": origin}
        return by_components(correlate1d, input, weights, output, cval, **options)
    output = output_for(output, input)
    weights = numpy.asarray(weights, numpy.float64)
    if weights.ndim != 1 or weights.shape[0] < 1:
        raise RuntimeError(f"no filter weights given: they have shape {weights.shape}")
    axis = normalize_axis_index(axis, input.ndim)
    check_origin(origin, len(weights), "Invalid origin")
    one = Pass(axis, len(weights), len(weights) // 2 + origin, mode_code(mode, is_filter=True), weights)
    return filtered(input, output, [one], cval, "sum")


def filtered(input, output, passes, cval, kind):
    """Filter along axes into ``output``, which may share memory with the input, and return it."""
    check_dtype(input, output)
    if output.size == 0:
        return output
    result = separate(output, input)
    filter_axes(input, result, passes, float(cval), kind)
    return delivered(result, output)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Convolution along one axis; see `scipy.ndimage.convolve1d`."""
    weights = numpy.asarray(on_host(weights))[::-1]
    origin = -origin
    if weights.shape[0] % 2 == 0:
        origin -= 1
    if weights.dtype.kind == "c":
        # The correlation conjugates the weights.
        weights = weights.conj()
    return correlate1d(input, weights, axis, output, mode, cval, origin)


def by_components(function, input, weights, output, cval, **options):
    """Correlate complex images or weights, as combinations of real correlations."""
    if input.dtype.kind == "c" and weights.dtype.kind == "c":
        real, imaginary = numpy.real(cval), numpy.imag(cval)
        result = separate(output, input)
        function(input.real, weights.real, output=result.real, cval=real, **options)
        result.real -= function(input.imag, weights.imag, cval=imaginary, **options)
        function(input.real, weights.imag, output=result.imag, cval=real, **options)
        result.imag += function(input.imag, weights.real, cval=imaginary, **options)
        return delivered(result, output)
    if input.dtype.kind == "c":
        function(input.real, weights, output=output.real, cval=numpy.real(cval), **options)
        function(input.imag, weights, output=output.imag, cval=numpy.imag(cval), **options)
        return output
    if numpy.iscomplexobj(cval):
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")
    function(input, weights.real, output=output.real, cval=cval, **options)
    function(input, weights.imag, output=output.imag, cval=cval, **options)
    return output


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Multidimensional correlation; see `scipy.ndimage.correlate`."""
    return _correlate(input, weights, output, mode, cval, origin, convolution=False, axes=axes)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Multidimensional convolution; see `scipy.ndimage.convolve`."""
    return _correlate(input, weights, output, mode, cval, origin, convolution=True, axes=axes)


def _correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, convolution, axes):
    input, weights = image(input), numpy.asarray(on_host(weights))
    if input.dtype.kind == "c" or weights.dtype.kind == "c":
        if weights.dtype.kind == "c" and not convolution:
            weights = weights.conj()
        output = output_for(output, input, complex_output=True)
        options = {"mode": mode, "origin": origin, "convolution": convolution, "axes": axes}
        return by_components(_correlate, input, weights, output, cval, **options)
    axes = axes_of(axes, input.ndim)
    weights = expand_footprint(input.ndim, axes, numpy.asarray(weights, numpy.float64), "weights")
    origins = expand_origins(input.ndim, axes, origin)
    if convolution:
        weights = numpy.flip(weights)
        origins = [-one - (length % 2 == 0) for one, length in zip(origins, weights.shape, strict=True)]
    for one, length in zip(origins, weights.shape, strict=True):
        check_origin(one, length, "Invalid origin")
    output = output_for(output, input)
    code = one_mode(mode, "by correlations")
    check_dtype(input, output)
    if output.size == 0:
        return output
    result = separate(output, input)
    before = [length // 2 + one for one, length in zip(origins, weights.shape, strict=True)]
    # SciPy ignores weights that are nearly 0.
    footprint = numpy.abs(weights) > numpy.finfo(numpy.float64).eps
    filter_footprint(input, result, footprint, weights, before, [code] * input.ndim, float(cval), "sum")
    return delivered(result, output)
