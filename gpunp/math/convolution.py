"""Convolution and correlation of sequences by direct sums, as in NumPy, not by Fourier transforms."""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.math import loops

_KERNELS = ("include/gpunp/math/convolve.h", "codegen/statistics.py")
_MODES = {"valid": 0, "same": 1, "full": 2}


def _mode(mode):
    """The number of a mode: 0 valid, 1 same, 2 full."""
    if isinstance(mode, str):
        if mode not in _MODES:
            raise ValueError(
                f"Use one of 'valid', 'same', or 'full' for convolve/correlate mode, not {mode!r}"
            )
        return _MODES[mode]
    try:
        number = operator.index(mode)
    except TypeError:
        raise TypeError(f"convolve/correlate mode not understood: {mode!r}") from None
    if number not in (0, 1, 2):
        raise ValueError(f"integer convolve/correlate mode must be 0, 1, or 2, not {number}")
    return number


def _extent(mode, longer, shorter):
    """The start of a mode's results within the full convolution, and their number."""
    if mode == 0:
        return shorter - 1, longer - shorter + 1
    if mode == 1:
        return shorter - 1 - shorter // 2, longer
    return 0, longer + shorter - 1


def _convolved(x, w, start, length, conjugate_x=False, conjugate_w=False):
    """``length`` results of the full convolution of two vectors, from ``start`` on."""
    dtype = numpy.result_type(x.dtype, w.dtype)
    out = layout.empty((length,), dtype, device=x.device)
    partials = loops.convolve(x, w, out, start, conjugate_x, conjugate_w)
    if partials is not None:
        total = numpy.add.reduce(partials, axis=0, dtype=partials.dtype)
        numpy.copyto(out, total, casting="unsafe")
    return out


@implements(numpy.convolve, kernels=_KERNELS)
def convolve(a, v, mode="full"):
    """Discrete convolution of two sequences; see `numpy.convolve`."""
    a, v = on_one_device(a, v)
    a, v = (x.reshape(1) if x.ndim == 0 else x for x in (a, v))
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")
    mode = _mode(mode)
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if v.size > a.size:
        a, v = v, a
    return _convolved(a, v, *_extent(mode, a.size, v.size))


@implements(numpy.correlate, kernels=_KERNELS)
def correlate(a, v, mode="valid"):
    """Cross-correlation of two sequences, with the second conjugated; see `numpy.correlate`."""
    a, v = on_one_device(a, v)
    mode = _mode(mode)
    for name, x in (("first", a), ("second", v)):
        if x.ndim != 1:
            deep = "object too deep for desired array"
            raise ValueError(deep if x.ndim else "object of too small depth for desired array")
        if x.size == 0:
            raise ValueError(f"{name} array argument cannot be empty")
    if a.size >= v.size:
        return _convolved(a, v[::-1], *_extent(mode, a.size, v.size), conjugate_w=True)
    # Like NumPy, swap the operands and reverse the result.
    start, length = _extent(mode, v.size, a.size)
    start = a.size + v.size - 1 - start - length
    return _convolved(v[::-1], a, start, length, conjugate_x=True)
