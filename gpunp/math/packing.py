"""Packing and unpacking of bits in bytes."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.math import loops

_KERNELS = ("include/gpunp/math/packbits.h", "codegen/packing.py")
_UINT8 = numpy.dtype(numpy.uint8)


def _little(bitorder, message, length):
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    for order in ("little", "big"):
        if bitorder.startswith(order[:length]):
            return order == "little"
    raise ValueError(f"'order' must {message}, not {bitorder!r}")


def _arranged(a, axis):
    """The array, made C-contiguous, and the axis to pack along."""
    if axis is None:
        return a.reshape(-1) if a.flags.c_contiguous else a.flatten(), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    return a if a.flags.c_contiguous else a.copy(), axis


@implements(numpy.packbits, kernels=_KERNELS)
def packbits(a, /, axis=None, bitorder="big"):
    """Pack booleans into bytes, eight per byte; see `numpy.packbits`."""
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError(f"Expected an input array of integer or boolean data type, not {a.dtype}")
    little = _little(bitorder, "be either 'little' or 'big'", None)
    a, axis = _arranged(a, axis)
    shape = (*a.shape[:axis], (a.shape[axis] + 7) // 8, *a.shape[axis + 1 :])
    out = layout.empty(shape, _UINT8, device=a.device)
    loops.pack_bits(a, out, axis, little)
    return out


@implements(numpy.unpackbits, kernels=_KERNELS)
def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """Unpack the bits of bytes to zeros and ones; see `numpy.unpackbits`."""
    a = asarray(a)
    if a.dtype != _UINT8:
        raise TypeError(f"Expected an input array of unsigned byte data type, not {a.dtype}")
    little = _little(bitorder, "begin with 'l' or 'b'", 1)
    a, axis = _arranged(a, axis)
    length = 8 * a.shape[axis]
    if count is not None:
        count = operator.index(count)
        if count < 0 and length + count < 0:
            raise ValueError(f"-count larger than number of elements: count is {count}, there are {length}")
        length = count if count >= 0 else length + count
    out = layout.empty((*a.shape[:axis], length, *a.shape[axis + 1 :]), _UINT8, device=a.device)
    loops.unpack_bits(a, out, axis, little)
    return out
