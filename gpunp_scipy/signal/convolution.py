"""Convolution and correlation of arrays and images, directly or by Fourier transforms."""

import itertools
import math

import numpy

import gpunp
from gpunp.array.operands import on_one_device
from gpunp_scipy.signal import convolution_kernels as kernels

_MODES = ("full", "valid", "same")
_BOUNDARIES = {"fill": 0, "pad": 0, "wrap": 1, "circular": 1, "symm": 2, "symmetric": 2}
# The dtype in which sums of each dtype are computed: integers wrap around, so 32 bits are enough.
_ACCUMULATORS = dict.fromkeys("?bBhHiI", "i") | dict.fromkeys("lLqQ", "q") | {"e": "f"}
# A GPU computes so many terms of direct sums in the time in which Fourier transforms of the padded shape take
# for an element.
_DIRECT_TERMS = 260
# Terms whose direct sum takes as long as the launches of the transforms.
_FREE_TERMS = 1 << 28


def _reversed(x):
    """An array reversed along all axes, and conjugated."""
    x = x[(slice(None, None, -1),) * x.ndim]
    return numpy.conjugate(x) if x.dtype.kind == "c" else x


def _swap_needed(mode, shape1, shape2):
    """Whether the second shape contains the first, where one must contain the other."""
    if mode != "valid" or not shape1:
        return False
    larger = all(a >= b for a, b in zip(shape1, shape2, strict=True))
    if not larger and not all(b >= a for a, b in zip(shape1, shape2, strict=True)):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    return not larger


def _images(x):
    """A view of an array of at least two dimensions as a stack of images; it may be a copy."""
    return x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])


def _dtypes(x, w):
    """The dtype of a result, and that of its sums."""
    dtype = numpy.result_type(x.dtype, w.dtype)
    return dtype, numpy.dtype(_ACCUMULATORS.get(dtype.char, dtype.char))


def _finished(out, dtype):
    """Sums in the dtype of the result."""
    return out if out.dtype == dtype else out.astype(dtype)


def _extent(mode, rows, taps):
    """The number of results along an axis, and that of the taps before the first one."""
    if mode == "full":
        return rows + taps - 1, taps - 1
    if mode == "same":
        return rows, taps - 1 - (taps - 1) // 2
    return rows - taps + 1, 0


def _correlated(x, w, mode):
    """The correlation with weights, by sums over all terms of elements inside of ``x``."""
    dtype, accumulator = _dtypes(x, w)
    extents = [_extent(mode, n, taps) for n, taps in zip(x.shape, w.shape, strict=True)]
    shape = tuple(extent[0] for extent in extents)
    if x.ndim == 1:
        # The full convolution contains the results of each mode.
        full = numpy.convolve(x, w[::-1]).astype(dtype, copy=False)
        begin = w.size - 1 - extents[0][1]
        return full[begin : begin + shape[0]]
    x, w = x.astype(accumulator, copy=False), gpunp.ascontiguousarray(w.astype(accumulator, copy=False))
    # Adding to the results needs them to start from zero.
    out = gpunp.zeros(shape, accumulator, device=x.device)
    fill = bytes(accumulator.itemsize)
    before = [extent[1] for extent in extents]
    for place in itertools.product(*map(range, w.shape[:-2])):
        parts = [
            _overlap(rows, results, i - first)
            for rows, results, i, first in zip(x.shape, shape, place, before, strict=False)
        ]
        if not all(count > 0 for _, _, count in parts):
            continue
        # Images that are adjacent in the result: those along the last axis before an image's own.
        for leading in itertools.product(*(range(count) for _, _, count in parts[:-1])):
            at = tuple(begin + i for (begin, _, _), i in zip(parts, leading, strict=False))
            to = tuple(begin + i for (_, begin, _), i in zip(parts, leading, strict=False))
            source, target = x[at], out[to]
            if parts:
                begin, first, count = parts[-1]
                source, target = source[begin : begin + count], target[first : first + count]
            kernels.correlate2d(
                _images(source), w[place], _images(target), *before[-2:], 0, fill, add=bool(parts)
            )
    if dtype.char == "?":
        return out != 0
    return _finished(out, dtype)


def _overlap(rows, results, shift):
    """Which rows contribute to which results, shifted by ``shift``: first row, first result, number."""
    first = max(0, -shift)
    return first + shift, first, min(results, rows - shift) - first


def _operands(in1, in2, names):
    in1, in2 = on_one_device(in1, in2)
    if in1.ndim != in2.ndim:
        raise ValueError(f"{names} should have the same dimensionality")
    return in1, in2


def correlate(in1, in2, mode="full", method="auto"):
    """Cross-correlate two arrays; see `scipy.signal.correlate`."""
    in1, in2 = _operands(in1, in2, "in1 and in2")
    if in1.ndim == 0:
        # The method keeps booleans, which the function makes int8.
        return in1 * in2.conj()
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if method in ("fft", "auto"):
        return convolve(in1, _reversed(in2), mode, method)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if _swap_needed(mode, in1.shape, in2.shape):
        return _reversed(_directly(in2, in1, mode))
    return _directly(in1, in2, mode)


def _directly(in1, in2, mode):
    if in1.size == 0 or in2.size == 0:
        raise ValueError("correlate: an array has no elements; correlate arrays with elements")
    return _correlated(in1, numpy.conjugate(in2) if in2.dtype.kind == "c" else in2, mode)


def convolve(in1, in2, mode="full", method="auto"):
    """Convolve two arrays; see `scipy.signal.convolve`.

    There is no warning about NaN or infinities in the results of ``method="fft"``.
    """
    volume, kernel = _operands(in1, in2, "volume and kernel")
    if volume.ndim == 0:
        return volume * kernel
    if _swap_needed(mode, volume.shape, kernel.shape):
        volume, kernel = kernel, volume
    if method == "auto":
        method = choose_conv_method(volume, kernel, mode=mode)
    if method == "fft":
        from gpunp_scipy.signal.fourier_convolution import fftconvolve

        out = fftconvolve(volume, kernel, mode=mode)
        dtype = numpy.result_type(volume.dtype, kernel.dtype)
        if dtype.kind in "iu":
            out = numpy.round(out)
        return out.astype(dtype, copy=False)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    return correlate(volume, _reversed(kernel), mode, "direct")


def _terms(shape1, shape2, mode):
    """The terms of a direct convolution and the elements of the transforms that replace it."""
    full = math.prod(a + b - 1 for a, b in zip(shape1, shape2, strict=True))
    results = {"full": full, "same": math.prod(shape1)}.get(mode)
    if results is None:
        results = math.prod(abs(a - b) + 1 for a, b in zip(shape1, shape2, strict=True))
    return results * min(math.prod(shape1), math.prod(shape2)), full


def choose_conv_method(in1, in2, mode="full", measure=False):
    """Choose the faster of two methods of convolution; see `scipy.signal.choose_conv_method`.

    The choice is that for the device of the arrays.
    """
    volume, kernel = on_one_device(in1, in2)
    if measure:
        times = {method: _seconds(volume, kernel, mode, method) for method in ("fft", "direct")}
        return min(times, key=times.get), times
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if "b" in (volume.dtype.kind, kernel.dtype.kind) and volume.dtype == kernel.dtype:
        return "direct"
    if volume.device.kind == "cpu":
        import scipy.signal._signaltools as signaltools

        direct = not signaltools._fftconv_faster(volume, kernel, mode)
    else:
        terms, full = _terms(volume.shape, kernel.shape, mode)
        direct = terms <= _FREE_TERMS + _DIRECT_TERMS * full
    # Integers are only examined where transforms would be faster.
    return "direct" if direct or _too_large(volume, kernel) else "fft"


def _too_large(volume, kernel):
    """Whether transforms would round sums of products of integers."""
    if volume.size == 0 or kernel.size == 0 or not {volume.dtype.kind, kernel.dtype.kind} & set("ui"):
        return False
    largest = int(numpy.max(numpy.abs(volume))) * int(numpy.max(numpy.abs(kernel)))
    return largest * min(volume.size, kernel.size) > 2 ** (numpy.finfo(float).nmant) - 1


def _seconds(volume, kernel, mode, method):
    import time

    times = []
    for _ in range(4):
        volume.device.synchronize()
        start = time.perf_counter()
        convolve(volume, kernel, mode, method)
        volume.device.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


def _fill(fillvalue, dtype, name):
    """The value of samples outside of an image, in its dtype, which must have it but for a fraction."""
    value = numpy.asarray(fillvalue)
    if value.size != 1:
        raise ValueError(f"{name}: fillvalue must be scalar, not of shape {value.shape}")
    number = complex(value.item())
    fits = dtype.kind == "c" or number.imag == 0
    if dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        fits = fits and limits.min <= number.real <= limits.max
    if not fits:
        raise ValueError(
            f"could not cast `fillvalue` directly to the output type: {name} of images in {dtype} has no "
            f"{fillvalue!r} outside of them"
        )
    return (value if dtype.kind == "c" else value.real).reshape(()).astype(dtype)


def _image(in1, in2, mode, boundary, fillvalue, name):
    if not in1.ndim == in2.ndim == 2:
        raise ValueError(f"{name} inputs must both be 2-D arrays")
    swapped = _swap_needed(mode, in1.shape, in2.shape)
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if in1.size == 0 or in2.size == 0:
        raise ValueError(f"{name}: images of shapes {in1.shape} and {in2.shape}; both must have elements")
    if boundary not in _BOUNDARIES:
        raise ValueError(
            "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm')."
        )
    dtype, accumulator = _dtypes(in1, in2)
    if dtype.char == "e":
        raise ValueError(f"{name} not available for this type: float16; convert the images to float32")
    fill = _fill(fillvalue, dtype, name).astype(accumulator).tobytes()
    return swapped, dtype, accumulator, fill


def _correlate2d(x, w, mode, boundary, dtype, accumulator, fill, flipped=False):
    extents = [_extent(mode, n, taps) for n, taps in zip(x.shape, w.shape, strict=True)]
    out = gpunp.empty(tuple(extent[0] for extent in extents), accumulator, device=x.device)
    w = gpunp.ascontiguousarray(w.astype(accumulator, copy=False))
    before = [extent[1] for extent in extents]
    if mode == "same" and not flipped:
        # With an even number of weights, SciPy's correlations start a pixel later than its convolutions.
        before = [(taps - 1) // 2 for taps in w.shape]
    x = x.astype(accumulator, copy=False)[numpy.newaxis]
    kernels.correlate2d(x, w, out[numpy.newaxis], *before, _BOUNDARIES[boundary], fill)
    return out != 0 if dtype.char == "?" else _finished(out, dtype)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Convolve two images; see `scipy.signal.convolve2d`."""
    in1, in2 = on_one_device(in1, in2)
    swapped, *types = _image(in1, in2, mode, boundary, fillvalue, "convolve2d")
    if swapped:
        in1, in2 = in2, in1
    return _correlate2d(in1, in2[::-1, ::-1], mode, boundary, *types, flipped=True)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Cross-correlate two images; see `scipy.signal.correlate2d`."""
    in1, in2 = on_one_device(in1, in2)
    swapped, *types = _image(in1, in2, mode, boundary, fillvalue, "correlate2d")
    if swapped:
        in1, in2 = in2, in1
    out = _correlate2d(in1, numpy.conjugate(in2) if in2.dtype.kind == "c" else in2, mode, boundary, *types)
    return out[::-1, ::-1] if swapped else out
