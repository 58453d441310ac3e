"""Copying values between arrays, and dtype conversion."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import truth_values, warn_of_imaginary
from gpunp.array.convert import asarray, joined, moved, to_device
from gpunp.array.dtype import as_dtype
from gpunp.array.implicit import on_host
from gpunp.array.ndarray import ndarray
from gpunp.array.scalars import checked_output
from gpunp.array.views import reinterpreted
from gpunp.dispatch.registry import implements
from gpunp.indexing.where import write_where


@implements(numpy.astype)
def astype(x, dtype, /, *, copy=True, device=None):
    """Elements converted to a dtype; see `numpy.astype`."""
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        x = asarray(x)
    if not isinstance(x, ndarray):
        raise TypeError(f"astype: x must be an array, not a {type(x).__name__}; use gpunp.asarray")
    if device is not None:
        moved = to_device(x, device)
        copy = copy and moved is x
        x = moved
    return convert_dtype(x, dtype, copy=copy)


def convert_dtype(a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """Implement the method ``astype``."""
    dtype = as_dtype(dtype)
    if casting not in ("unsafe", "same_value") and not numpy.can_cast(a.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {a.dtype!r} to {dtype!r} according to the rule {casting!r}"
        )
    if not copy and a.dtype == dtype:
        return asarray(a, order=order)
    warn_of_imaginary(a.dtype, dtype)
    out = layout.converted(a, dtype, order)
    if casting == "same_value" and a.dtype != dtype and not _same_values(a, out):
        raise ValueError(f"could not cast 'same_value' {a.dtype} to {dtype}: some values would change")
    return out._mark_scalar() if a._is_scalar else out


def _same_values(a, out):
    """Whether a conversion kept every value; waits for the device."""
    if a.dtype.kind == "c":
        imaginary = _same_values(a.imag, out.imag) if out.dtype.kind == "c" else not bool((a.imag != 0).any())
        return imaginary and _same_values(a.real, out.real)
    if out.dtype.kind == "c":
        out = out.real
    kinds = a.dtype.kind + out.dtype.kind
    if kinds[1] == "b":
        # NumPy accepts any conversion to bool as value-preserving.
        return True
    if kinds in ("iu", "ui"):
        return bool((out == a).all())
    kept = layout.converted(out, a.dtype) == a
    if kinds == "ff":
        kept |= (a != a) & (out != out)
    elif kinds in ("fi", "fu", "if", "uf"):
        # A float outside the integer range converts to an undefined value, which may convert back unchanged.
        number, limits = (a, numpy.iinfo(out.dtype)) if kinds[0] == "f" else (out, numpy.iinfo(a.dtype))
        number = layout.converted(number, numpy.dtype(numpy.float64))
        kept &= (number >= float(limits.min)) & (number < float(limits.max // 2 + 1) * 2)
    return bool(kept.all())


@implements(numpy.copyto)
def copyto(dst, src, casting="same_kind", where=True):
    """Write values to an array where a mask is true; see `numpy.copyto`.

    Raises
    ------
    TypeError
        If the casting rule does not allow the cast, or `dst` is not a device array.
    """
    if not isinstance(dst, ndarray):
        refusal = (
            f"copyto: the destination is a host {type(dst).__name__} and a device array takes part. Use "
            "gpunp.asnumpy(src, out=dst), or make the destination with gpunp.asarray."
        )
        return on_host(numpy.copyto, refusal, (dst, src, casting, where))
    checked_output(dst)
    src = joined(src)
    if isinstance(src, ndarray) or getattr(src, "ndim", 0):
        src = moved(src, device=dst.device)
        if not numpy.can_cast(src.dtype, dst.dtype, casting):
            raise TypeError(
                f"Cannot cast array data from {src.dtype!r} to {dst.dtype!r} according to the rule "
                f"{casting!r}"
            )
    else:
        # Let NumPy apply its rules for scalars, to a host array of one element.
        cell = numpy.empty(numpy.shape(src), dst.dtype)
        numpy.copyto(cell, src, casting=casting)
        src = asarray(cell, device=dst.device)
    if where is True:
        dst[...] = src  # The assignment itself warns of discarded imaginary parts.
    else:
        where = where if isinstance(where, ndarray) else asarray(truth_values(where), device=dst.device)
        if where.dtype != numpy.bool_:
            raise TypeError(
                f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to the rule 'safe'"
            )
        warn_of_imaginary(src.dtype, dst.dtype)
        write_where(dst, where, src)


def swap_bytes(a, inplace=False):
    """Implement the method ``byteswap``."""
    part = a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1)
    numbers = reinterpreted(layout.converted(a, order="C").reshape(-1), numpy.dtype(numpy.uint8))
    swapped = layout.converted(numbers.reshape(-1, part)[:, ::-1], order="C").reshape(-1)
    swapped = reinterpreted(swapped, a.dtype).reshape(a.shape)
    if not inplace:
        return swapped._mark_scalar() if a._is_scalar else swapped
    a[...] = swapped
    return a
