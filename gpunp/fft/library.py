"""Transforms on CUDA by cuFFT and our own kernels, and the copies for layouts that neither accepts.

An extra pass over memory is spent only on a conversion of dtype or padding (which then includes the norm's
factor), on strides that no plan describes, and on the factor alone. The kernels of `columns`, used where they
were measured to be faster, multiply by the factor themselves.
"""

import math

import numpy

from gpunp.array import layout, transfer
from gpunp.array.views import component, reinterpreted, transposed
from gpunp.fft import columns, cufft
from gpunp.ufunc.engine import UFUNCS

_multiply = UFUNCS["numpy", "multiply"]
last_axis = cufft.last_axis
# Bytes of a memory sector: 4096 x 2049 columns take 86 us if rows begin at a multiple of it, else 146 us.
_SECTOR = 32


def run(a, lengths, axes, kind, forward, scale, out, overwrite):
    """The transform along distinct axes; see `passes.transform`."""
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
    # NumPy returns halves only for a single axis: with several, earlier passes are in single precision.
    half = kind == "hermitian" and a.dtype.char == "e" and len(axes) == 1
    if math.prod(shape) == 0:
        return out if out is not None else layout.empty_like(a, a.dtype if half else dtype, shape=shape)
    x, fresh, scale = _source(a, sizes, axes, real if kind == "real" else wide, scale, overwrite)
    target = out if out is not None and out.dtype == dtype and _apart(out, x, kind) else None
    # A transform of length one is the identity.
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
    """The input with the given lengths and dtype, whether it may be overwritten, and the remaining factor."""
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
    """Whether a transform of ``x`` may write to ``out``: disjoint memory, or exactly the same elements."""
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
    """Whether our own kernel along the last axis is faster if there is a factor."""
    return a.dtype.char == "F" and columns.own_pays(a) and columns.own_scaled(a.device, a.shape[-1])


def _own(x, y, axis, forward, factor):
    """Transform one complex axis by our own kernel, times the factor; False if that is not faster."""
    n = x.shape[axis]
    if not columns.own_pays(x) or not columns.fits(x.device):
        return False
    if axis < x.ndim - 1:
        whole = x.strides[axis] % _SECTOR == 0 or y.strides[axis] % _SECTOR == 0
        return columns.own_columns(x.device, n) and whole and columns.down(x, y, axis, forward, factor)
    pays = columns.own_lines(x.device, n) or (factor != 1 and columns.own_scaled(x.device, n))
    return pays and columns.along(x, y, forward, factor)


def _own_real(x, y, others, last, factor):
    """Transform the last two axes of a real array by our own kernels; False if that is not faster."""
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
    """Transform one axis, directly or through copies with that axis last; returns the remaining factor."""
    if x.dtype == y.dtype and _own(x, y, axis, forward, factor):
        return 1.0
    # cuFFT is slow on strided real transforms: 0.41 ms for 4096^2 along axis 0 (H100), 0.19 ms with copies.
    strided = x.dtype != y.dtype and columns.copies_pay(x) and x.strides[axis] != x.itemsize
    if not strided and cufft.transform(x, y, (axis,), forward):
        return factor
    moved = layout.converted(_last(x, axis), order="C")
    view = _last(y, axis)
    result = moved if x.dtype == y.dtype else layout.empty(view.shape, y.dtype, "C", y.device)
    cufft.transform(moved, result, (x.ndim - 1,), forward)
    layout.copy_into(view, result)
    return factor


def _by_passes(x, axis):
    """Whether two axes, of which this is the outer one, are faster one by one than by one plan of cuFFT.

    They are where our own kernel transforms the outer one: 2^24 elements of 512 x 512 matrices take 194 us
    so and 198 by one plan, of 2048 x 2048 208 and 225 (H100), but of 256 x 256, without it, 383 and 197.
    """
    return (
        x.dtype.char in "fF"
        and columns.passes_pay(x)
        and columns.own_columns(x.device, x.shape[axis])
        and columns.own_pays(x)
        and columns.fits(x.device)
    )


def _complex(x, y, axes, forward, factor):
    """Complex to complex along any number of axes, three per call, inner ones first; the remaining factor."""
    if not axes:
        if x is not y:
            layout.copy_into(y, x)
        return factor
    axes = sorted(axes, key=lambda d: x.strides[d])
    for start in range(0, len(axes), 3):
        group = axes[start : start + 3]
        if len(group) == 2 and _by_passes(x, group[1]):
            group.reverse()
        elif len(group) > 1 and cufft.transform(x, y, group, forward):
            x = y
            continue
        for axis in group:
            factor = _one(x, y, axis, forward, factor)
            x = y
    return factor


def _pads(x, axis, last):
    """Whether our own kernel needs an array like x, but with rows that begin at sectors, on one side."""
    return (
        x.dtype.char == "F"
        and axis + 1 == last == x.ndim - 1
        and x.strides[last] == x.itemsize
        and x.strides[axis] % _SECTOR != 0
        and columns.own_columns(x.device, x.shape[axis])
        and columns.own_pays(x)
        and columns.fits(x.device)
    )


def _padded(x):
    """An uninitialized array of the shape of x whose rows begin at sectors."""
    width = -(-x.shape[-1] * x.itemsize // _SECTOR) * _SECTOR // x.itemsize
    return layout.empty((*x.shape[:-1], width), x.dtype, "C", x.device)[..., : x.shape[-1]]


def _real(x, y, others, last, length, factor):
    """Real to complex along the last axis, then complex along the others; returns the remaining factor."""
    if others and _own_real(x, y, others, last, factor):
        return 1.0
    if length == 1:
        layout.copy_into(y, x)
    else:
        inner = sorted(others, key=lambda d: x.strides[d])[:2]
        dense = x.strides[last] == x.itemsize or not columns.copies_pay(x)
        # One plan does not scale, but is faster: 2^24 elements of 512 x 512 matrices 116 us, by passes 142.
        joint = inner and (len(inner) > 1 or factor == 1 or not _by_passes(x, inner[0]))
        if joint and dense and cufft.transform(x, y, (*inner, last), forward=True):
            others = [axis for axis in others if axis not in inner]
        else:
            z = _padded(y) if others and _pads(y, others[-1], last) else y
            _one(x, z, last, forward=True)
            if z is not y:
                factor = _one(z, y, others[-1], forward=True, factor=factor)
                others = others[:-1]
    return _complex(y, y, others, forward=True, factor=factor) if others else factor


def _hermitian(x, y, others, last, length, fresh, scale):
    """Complex along the other axes, then complex to real along the last; returns the remaining factor."""
    if others:
        z = x if fresh else _padded(x) if _pads(x, others[-1], last) else layout.empty_like(x)
        scale = _complex(x, z, others, forward=False, factor=scale)
    elif fresh or length == 1:
        z = x
    else:
        # cuFFT may overwrite its input, so it gets a copy.
        z = _multiply(x, scale) if scale != 1 else layout.converted(x)
        scale = 1.0
    if length == 1:
        layout.copy_into(y, component(z, imaginary=False))
        return scale
    # As in NumPy, imaginary parts that must be zero in Hermitian input are ignored.
    index = [slice(None)] * z.ndim
    for place in (0,) if length % 2 else (0, length // 2):
        index[last] = slice(place, place + 1)
        component(z[tuple(index)], imaginary=True)[...] = 0
    _one(z, y, last, forward=False)
    return scale


def scale(y, factor, out):
    """Multiply y by a factor into ``out``, which may be y."""
    if y is out and y.dtype.kind == "c" and y.flags.c_contiguous and y.ndim:
        # Scale the components as real numbers: two multiplications per element instead of a complex product.
        y = out = reinterpreted(y, numpy.dtype(y.dtype.char.lower()))
    _multiply(y, factor, out=out, casting="same_kind")


def _finish(y, factor, out, dtype):
    """Apply the remaining factor and convert or copy the result into ``out`` if it is not there yet."""
    if out is None:
        if y.dtype != dtype:
            return layout.converted(_multiply(y, factor) if factor != 1 else y, dtype)
        out = y
    if factor != 1:
        scale(y, factor, out)
    elif out is not y:
        layout.copy_into(out, y)
    return out
