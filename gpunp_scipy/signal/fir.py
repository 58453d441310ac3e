"""Filters of finite length along an axis, with upsampling before and downsampling after them."""

import numpy
from numpy.lib.array_utils import normalize_axis_index

import gpunp
from gpunp_scipy.signal import convolution_kernels as kernels
from gpunp_scipy.signal import recursion

_PADDED = ("wrap", "edge", "symmetric", "reflect")
MODES = ("constant", "smooth", "antisymmetric", "antireflect", "line", *_PADDED)


def polyphase(h, x, up, down, axis, outputs, offset=0):
    """``outputs`` results of a filter along an axis.

    ``x`` has the dtype of the result, ``h`` that or the corresponding real one.
    ``offset`` samples precede the newest one that the first output depends on.
    """
    shape = (*x.shape[:axis], outputs, *x.shape[axis + 1 :])
    y = gpunp.empty(shape, x.dtype, device=x.device)
    if y.size == 0 or x.size == 0:
        y[...] = 0
        return y
    lanes = recursion.lanes
    if x.dtype.kind == "c" and h.dtype.kind != "c":
        lanes = recursion.real_lanes
    h = gpunp.ascontiguousarray(gpunp.asarray(h, device=x.device))
    kernels.polyphase(lanes(x, axis), h, lanes(y, axis), up, down, offset)
    return y


def length_of_output(taps, length, up, down):
    """The number of outputs of a filter of a sequence."""
    return ((length - 1) * up + taps - 1) // down + 1


def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    """Insert zeros, filter and drop samples along an axis; see `scipy.signal.upfirdn`."""
    h = h if isinstance(h, gpunp.ndarray) else numpy.asarray(h)
    x = gpunp.asarray(x)
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    dtype = numpy.result_type(h.dtype, x.dtype, numpy.float32)
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    mode = mode.lower()
    if mode not in MODES:
        raise ValueError(f"Unknown mode: {mode!r}; use one of {', '.join(MODES)}")
    axis = normalize_axis_index(axis, x.ndim)
    real = h.dtype.kind != "c" and dtype.kind == "c"
    h = h.astype(dtype.char.lower() if real else dtype)
    x = x.astype(dtype, copy=False)
    length = x.shape[axis]
    if length == 0:
        if mode != "constant" or cval != 0:
            raise ValueError(f"upfirdn: x has no samples along the axis, which mode {mode!r} could continue")
        # Nothing but the zeros around it. NumPy refuses a negative length, as in SciPy.
        extents = (*x.shape[:axis], length_of_output(h.size, 0, up, down), *x.shape[axis + 1 :])
        return gpunp.zeros(extents, dtype, device=x.device)
    offset = 0
    if mode != "constant" or cval != 0:
        offset = -(-h.size // up)
        x = _extended(x, axis, offset, mode, cval)
    return polyphase(h, x, up, down, axis, length_of_output(h.size, length, up, down), offset)


def _extended(x, axis, count, mode, cval):
    """An array with ``count`` more samples at both ends of an axis."""
    widths = [(0, 0)] * x.ndim
    widths[axis] = (count, count)
    if mode in _PADDED:
        return numpy.pad(x, widths, mode=mode)
    if mode == "constant":
        return numpy.pad(x, widths, constant_values=cval)
    if mode == "antireflect":
        return numpy.pad(x, widths, mode="reflect", reflect_type="odd")
    x = numpy.moveaxis(x, axis, -1)
    length = x.shape[-1]
    before, after = numpy.arange(-count, 0), numpy.arange(length, length + count)
    if mode == "antisymmetric":
        padded = numpy.pad(x, [(0, 0)] * (x.ndim - 1) + [(count, count)], mode="symmetric")
        signs = numpy.where(numpy.arange(-count, length + count) // length % 2, -1, 1)
        return numpy.moveaxis(padded * gpunp.asarray(signs.astype(x.dtype), device=x.device), -1, axis)
    if mode == "line":
        # One sample has no slope: NaN, as in SciPy.
        slope = (x[..., -1:] - x[..., :1]) / (length - 1)
        first = last = slope
    else:
        near = min(1, length - 1)
        first, last = x[..., near : near + 1] - x[..., :1], x[..., -1:] - x[..., -1 - near : length - near]
    real = numpy.zeros(0, x.dtype).real.dtype
    head = x[..., :1] + first * gpunp.asarray(before.astype(real), device=x.device)
    tail = x[..., -1:] + last * gpunp.asarray((after - (length - 1)).astype(real), device=x.device)
    return numpy.moveaxis(numpy.concatenate([head, x, tail], axis=-1), -1, axis)


# The modes of scipy.ndimage under the names of numpy.pad.
_NDIMAGE_MODES = {"constant": "constant", "mirror": "reflect", "nearest": "edge", "wrap": "wrap"}


def convolve1d(x, weights, axis=-1, mode="constant", cval=0.0):
    """``scipy.ndimage.convolve1d`` of floating-point arrays, for the modes of `savgol_filter`."""
    axis = normalize_axis_index(axis, x.ndim)
    if x.size == 0:
        return numpy.empty_like(x)
    half = weights.size // 2
    length = x.shape[axis]
    offset = half
    if mode != "constant" or cval != 0:
        x = _extended(x, axis, weights.size, _NDIMAGE_MODES[mode], cval)
        offset += weights.size
    return polyphase(weights.astype(x.dtype), x, 1, 1, axis, length, offset)
