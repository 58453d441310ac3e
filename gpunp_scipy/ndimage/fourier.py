"""Filters that multiply a Fourier transform by that of a kernel.

The factors of each axis are computed on the host and broadcast on the device.
"""

import numpy
from gpunp.array.ndarray import ndarray
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.special import j1
from gpunp_scipy.ndimage.arguments import empty, image, output_for, sequence


def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    """Multiply by the transform of a Gaussian; see `scipy.ndimage.fourier_gaussian`."""
    input, output = _arrays(input, output)
    frequencies = _frequencies(input, sigma, n, axis)
    factors = [numpy.exp(-2 * (numpy.pi * f) ** 2) for f in frequencies]
    return _multiplied(input, factors, output)


def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    """Multiply by the transform of a box; see `scipy.ndimage.fourier_uniform`."""
    input, output = _arrays(input, output)
    factors = [_box(f, one) for f, one in zip(*_frequencies_of(input, size, n, axis), strict=True)]
    return _multiplied(input, factors, output)


def _box(frequencies, size):
    # As in SciPy, a box without an extent leaves only the frequency 0.
    factor = numpy.sinc(frequencies) if size > 0 else numpy.zeros(len(frequencies))
    factor[:1] = 1.0
    return factor


def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    """Multiply by the transform of an ellipsoid; see `scipy.ndimage.fourier_ellipsoid`."""
    input = image(input)
    if input.ndim > 3:
        raise NotImplementedError(f"Only 1d, 2d and 3d inputs are supported, not {input.ndim}d")
    input, output = _arrays(input, output)
    if output.size == 0:
        return output
    squares = 0.0
    for part in _broadcast([f * f for f in _frequencies(input, size, n, axis)], input.device):
        squares = squares + part
    radius = numpy.pi * numpy.sqrt(squares)
    center = radius == 0
    radius = numpy.where(center, 1.0, radius)
    if input.ndim == 1:
        factor = numpy.sin(radius) / radius
    elif input.ndim == 2:
        factor = 2 * j1(radius) / radius
    else:
        factor = 3 * (numpy.sin(radius) - radius * numpy.cos(radius)) / radius**3
    output[...] = input * numpy.where(center, 1.0, factor)
    return output


def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    """Multiply by the transform of a shift; see `scipy.ndimage.fourier_shift`."""
    input, output = _arrays(input, output, kinds="c")
    factors = [numpy.exp(-2j * numpy.pi * f) for f in _frequencies(input, shift, n, axis)]
    return _multiplied(input, factors, output)


def _arrays(input, output, kinds="fc"):
    """The input, and the array for the results, whose dtypes are those of SciPy's Fourier filters."""
    input = image(input)
    if isinstance(output, ndarray):
        output = output_for(output, input)
    elif output is None:
        kept = input.dtype.char in ("FD" if kinds == "c" else "fFD")
        default = numpy.complex128 if kinds == "c" else numpy.float64
        output = empty(input.shape, input.dtype if kept else default, input)
    elif isinstance(output, type):
        output = empty(input.shape, output, input)
    else:
        raise TypeError(f"output must be a type or a device array, not a {type(output).__name__}")
    if output.dtype.kind not in kinds or output.dtype.char == "e":
        raise RuntimeError(f"output type not supported: {output.dtype}")
    if input.dtype.kind == "c" and output.dtype.kind != "c":
        raise RuntimeError(f"data type not supported: {output.dtype} for results of a {input.dtype} image")
    return input, output


def _frequencies(input, extent, n, axis):
    return _frequencies_of(input, extent, n, axis)[0]


def _frequencies_of(input, extent, n, axis):
    """The frequencies along each axis, times the extent of the kernel, and the extents."""
    axis = normalize_axis_index(axis, input.ndim)
    extents = [float(one) for one in sequence(extent, input.ndim)]
    frequencies = []
    for d, (length, one) in enumerate(zip(input.shape, extents, strict=True)):
        if d == axis and n >= 0:
            frequencies.append(numpy.arange(length) * one / n if n else numpy.zeros(length))
        else:
            frequencies.append(numpy.fft.fftfreq(length) * one if length else numpy.zeros(0))
    return frequencies, extents


def _broadcast(factors, device):
    """Upload the factors of each axis, in shapes that broadcast to that of the image."""
    ndim = len(factors)
    for d, factor in enumerate(factors):
        yield asarray(factor, device=device).reshape((-1,) + (1,) * (ndim - 1 - d))


def _multiplied(input, factors, output):
    if output.size == 0:
        return output
    result = input
    for factor in _broadcast(factors, input.device):
        result = result * factor
    layout.copy_into(output, result)
    return output
