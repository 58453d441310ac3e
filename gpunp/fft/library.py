"""Transforms on CUDA: what cuFFT takes as it lies, and the copies where it does not.

A pass over memory is spent only where NumPy's arguments ask for one: for another dtype or padding (and then
the norm's factor is in it), for strides that no plan describes, and for the factor alone. The kernels of
`columns`, for what they were measured to be faster at, multiply by the factor themselves.
"""

import math

import numpy

from gpunp.array import layout, transfer
from gpunp.array.views import component, reinterpreted, transposed
from gpunp.fft import columns, cufft
from gpunp.ufunc.engine import UFUNCS

_multiply = UFUNCS["numpy", "multiply"]
last_axis = cufft.last_axis
# Bytes that memory takes at once: 4096 x 2049 columns take 86 us where rows begin at a multiple, else 146.
_SECTOR = 32


def run(a, lengths, axes, kind, forward, scale, out, overwrite):
    """The transform along different axes; see `passes.transform`."""
    single = a.dtype.char in "efF"
    wide = numpy.dtype("F" if single else "D")
    real = numpy.dtype("f" if single else "d")
    sizes = list(lengths)
    if kind == "hermitian":
        sizes[-1] = lengths[-1] // 2 + 1
    shape = list(a.shape)
    for axis, n in zip(axes, lengths, strict=True):
        shape[axis] = n
    if kind == "real":
        shape[axes[-1]] = lengths[-1] // 2 + 1
    dtype = real if kind == "hermitian" else wide
    # NumPy returns halves for one axis; the passes before the last one of several make single precision.
    half = kind == "hermitian" and a.dtype.char == "e" and len(axes) == 1
    if math.prod(shape) == 0:
        return out if out is not None else layout.empty_like(a, a.dtype if half else dtype, shape=shape)
    x, fresh, scale = _source(a, sizes, axes, real if kind == "real" else wide, scale, overwrite)
    target = out if out is not None and out.dtype == dtype and _apart(out, x, kind) else None
    # A transform of length one changes nothing.
    others = [axis for axis, n in zip(axes[:-1], lengths[:-1], strict=True) if n > 1]
    last, length = axes[-1], lengths[-1]
    if kind == "complex":
        if length > 1:
            others.append(last)
        if target is None:
            target = x if fresh else layout.empty_like(x, dtype, shape=shape)
        scale = _complex(x, target, others, forward, scale)
    elif kind == "real":
        target = layout.empty_like(x, dtype, shape=shape) if target is None else target
        scale = _real(x, target, others, last, length, scale)
    else:
        target = layout.empty_like(x, dtype, shape=shape) if target is None else target
        scale = _hermitian(x, target, others, last, length, fresh, scale)
    return _finish(target, scale, out, a.dtype if half else dtype)


def _source(a, sizes, axes, dtype, scale, overwrite):
    """The input with the wanted lengths and dtype, whether it may be overwritten, and the factor left."""
    shape = list(a.shape)
    crop = [slice(None)] * a.ndim
    pads = False
    for axis, n in zip(axes, sizes, strict=True):
        if n < shape[axis]:
            crop[axis] = slice(0, n)
        pads |= n > shape[axis]
        shape[axis] = n
    cropped = a[tuple(crop)] if tuple(shape) != a.shape else a
    if pads:
        x = layout.empty_like(a, dtype, shape=shape)
        x[...] = 0
        corner = x[tuple(slice(0, extent) for extent in cropped.shape)]
        if scale != 1:
            _multiply(cropped, scale, out=corner, dtype=dtype, casting="unsafe")
        else:
            layout.copy_into(corner, cropped)
        return x, True, 1.0
    if cropped.dtype != dtype:
        if scale != 1:
            return _multiply(cropped, scale, dtype=dtype, casting="unsafe"), True, 1.0
        return layout.converted(cropped, dtype), True, scale
    return cropped, overwrite, scale


def _apart(out, x, kind):
    """Whether a transform may write ``out`` while it reads ``x``: other memory, or the same elements."""
    if not numpy.may_share_memory(out, x):
        return True
    return (
        kind == "complex"
        and transfer.data_pointer(out) == transfer.data_pointer(x)
        and out.strides == x.strides
        and out.shape == x.shape
    )


def _last(x, axis):
    return transposed(x, [d for d in range(x.ndim) if d != axis] + [axis])


def scales(a):
    """Whether a kernel of our own along the last axis pays where there is a factor."""
    return a.dtype.char == "F" and columns.own_pays(a) and columns.own_scaled(a.device, a.shape[-1])


def _own(x, y, axis, forward, factor):
    """One complex axis by a kernel of our own, and times the factor; False where there is none that pays."""
    n = x.shape[axis]
    if not columns.own_pays(x) or not columns.fits(x.device):
        return False
    if axis < x.ndim - 1:
        whole = x.strides[axis] % _SECTOR == y.strides[axis] % _SECTOR == 0
        return columns.own_columns(x.device, n) and whole and columns.down(x, y, axis, forward, factor)
    pays = columns.own_lines(x.device, n) or (factor != 1 and columns.own_scaled(x.device, n))
    return pays and columns.along(x, y, forward, factor)


def _own_real(x, y, others, last, factor):
    """The last two axes of a real array by kernels of our own; False where there are none that pay."""
    return (
        last == x.ndim - 1
        and others == [last - 1]
        and columns.own_real(x.device, x.shape[last])
        and columns.own_columns(x.device, x.shape[last - 1])
        and columns.own_pays(x)
        and columns.fits(x.device)
        and columns.real_columns_and_rows(x, y, factor)
    )


def _one(x, y, axis, forward, factor=1.0):
    """One axis: as it lies, or with copies whose last axis it is; what is left of the factor."""
    if x.dtype == y.dtype and _own(x, y, axis, forward, factor):
        return 1.0
    # cuFFT is slow at real transforms with a stride: 0.41 ms for 4096^2 along axis 0 (H100), 0.19 by copies.
    strided = x.dtype != y.dtype and columns.copies_pay(x) and x.strides[axis] != x.itemsize
    if not strided and cufft.transform(x, y, (axis,), forward):
        return factor
    moved = layout.converted(_last(x, axis), order="C")
    view = _last(y, axis)
    result = moved if x.dtype == y.dtype else layout.empty(view.shape, y.dtype, "C", y.device)
    cufft.transform(moved, result, (x.ndim - 1,), forward)
    layout.copy_into(view, result)
    return factor


def _complex(x, y, axes, forward, factor):
    """Complex to complex along any number of axes, three of them at a time, the inner ones first."""
    if not axes:
        if x is not y:
            layout.copy_into(y, x)
        return factor
    axes = sorted(axes, key=lambda d: x.strides[d])
    for start in range(0, len(axes), 3):
        group = axes[start : start + 3]
        if len(group) == 2 and columns.passes_pay(x):
            group.reverse()
        elif len(group) > 1 and cufft.transform(x, y, group, forward):
            x = y
            continue
        for axis in group:
            factor = _one(x, y, axis, forward, factor)
            x = y
    return factor


def _real(x, y, others, last, length, factor):
    """Real to complex along the last axis, complex along the others; what is left of the factor."""
    if others and _own_real(x, y, others, last, factor):
        return 1.0
    if length == 1:
        layout.copy_into(y, x)
    else:
        inner = sorted(others, key=lambda d: x.strides[d])[:2]
        dense = x.strides[last] == x.itemsize or not columns.copies_pay(x)
        joint = inner and (len(inner) > 1 or not columns.passes_pay(x))
        if joint and dense and cufft.transform(x, y, (*inner, last), True):
            others = [axis for axis in others if axis not in inner]
        else:
            _one(x, y, last, True)
    return _complex(y, y, others, True, factor) if others else factor


def _hermitian(x, y, others, last, length, fresh, scale):
    """Complex to real along the last axis after the others; what is left of the factor."""
    if others:
        z = x if fresh else layout.empty_like(x)
        scale = _complex(x, z, others, False, scale)
    elif fresh or length == 1:
        z = x
    else:
        # cuFFT may write into its input, so this is a copy of our own.
        z = _multiply(x, scale) if scale != 1 else layout.converted(x)
        scale = 1.0
    if length == 1:
        layout.copy_into(y, component(z, False))
        return scale
    # As in NumPy, the imaginary parts that a Hermitian input does not have are ignored.
    index = [slice(None)] * z.ndim
    for place in (0,) if length % 2 else (0, length // 2):
        index[last] = slice(place, place + 1)
        component(z[tuple(index)], True)[...] = 0
    _one(z, y, last, False)
    return scale


def scale(y, factor, out):
    """y times a factor, into ``out``, which may be y."""
    if y is out and y.dtype.kind == "c" and y.flags.c_contiguous and y.ndim:
        # Components are twice as many multiplications as needed for complex numbers, not six times.
        y = out = reinterpreted(y, numpy.dtype(y.dtype.char.lower()))
    _multiply(y, factor, out=out, casting="same_kind")


def _finish(y, factor, out, dtype):
    """The factor that is left, and the way into ``out`` where the transform was not written there."""
    if out is None:
        if y.dtype != dtype:
            return layout.converted(_multiply(y, factor) if factor != 1 else y, dtype)
        out = y
    if factor != 1:
        scale(y, factor, out)
    elif out is not y:
        layout.copy_into(out, y)
    return out
