"""The constructor of `gpunp.ndarray`, and the `Pointer` behind its attribute ``data``."""

import math
import operator
import sys

import numpy

from gpunp.array import layout
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.transfer import expose, memory_of, wrap_pointer
from gpunp.array.views import reinterpreted, reshaped
from gpunp.device import get_device

_BYTE = numpy.dtype(numpy.uint8)


def construct(shape, dtype, buffer, offset, strides, order, device):
    """Create the array for a call of `gpunp.ndarray`; see `numpy.ndarray`."""
    dtype = as_dtype(numpy.float64 if dtype is None else dtype)
    order = "C" if order in (None, "A", "K") else order
    if isinstance(buffer, Pointer):
        buffer = buffer._array
    elif hasattr(buffer, "mem") and hasattr(buffer, "device_id"):
        buffer = _over_pointer(buffer, dtype)
    if buffer is None:
        if strides is None:
            return layout.empty(shape, dtype, order, device)
        memory = None
    elif isinstance(buffer, ndarray):
        if not buffer.flags.forc:
            raise ValueError("ndarray is not C-contiguous")
        memory = reinterpreted(reshaped(buffer, -1, "A"), _BYTE)
        if device is not None and get_device(device) is not buffer.device:
            raise ValueError(f"ndarray: the buffer is on {buffer.device}; move it with to_device")
    else:
        raise TypeError(
            f"ndarray: buffer must be a device array, not {type(buffer).__name__}; gpunp.frombuffer copies "
            "host memory to the device"
        )
    shape = numpy.broadcast_to(_BYTE.type(0), shape).shape
    count, size = math.prod(shape), dtype.itemsize
    if count * size > sys.maxsize:
        raise ValueError(f"ndarray: an array of shape {shape} is too big")
    offset = 0 if buffer is None else operator.index(offset)
    available = count * size if buffer is None else memory.size
    if strides is None:
        if offset < 0 or offset + count * size > available:
            raise TypeError("buffer is too small for requested array")
        return reshaped(reinterpreted(memory[offset : offset + count * size], dtype), shape, order)
    steps = strides if numpy.iterable(strides) else (strides,)
    strides = tuple(operator.index(step) for step in steps)
    if len(strides) != len(shape):
        raise ValueError("strides, if given, must be the same length as shape")
    reach = [(extent - 1) * step for extent, step in zip(shape, strides, strict=True)]
    low = offset + sum(step for step in reach if step < 0)
    high = offset + sum(step for step in reach if step > 0) + size
    if count and (low < 0 or high > available):
        raise ValueError("strides is incompatible with shape of requested array and size of buffer")
    require_aligned(shape, strides, dtype)
    if buffer is None:
        first = layout.empty(count, dtype, "C", device)
    else:
        first = reinterpreted(memory[offset : offset + size], dtype)
    return layout.strided_view(first, shape, strides)


def _over_pointer(pointer, dtype):
    """The bytes from a `gpunp.cuda.MemoryPointer` to the end of its memory, as an array."""
    address, nbytes = int(pointer), pointer.size
    if address % dtype.itemsize:
        raise ValueError(
            f"ndarray: the address {address:#x} is not a multiple of the {dtype.itemsize} bytes of {dtype}"
        )
    return wrap_pointer(address, (nbytes,), None, _BYTE, pointer.device, pointer)


def require_aligned(shape, strides, dtype):
    """Raise unless the strides are multiples of the itemsize: devices read aligned elements only."""
    if any(step % dtype.itemsize for extent, step in zip(shape, strides, strict=True) if extent > 1):
        raise ValueError(f"strides {strides} are not multiples of the {dtype.itemsize} bytes of {dtype}")


class Pointer:
    """The address of the first element of an array on its device, or of other memory there.

    ``gpunp.ndarray(shape, dtype, pointer)`` is an array over the same memory. On a CUDA device it has the
    methods of `gpunp.cuda.MemoryPointer`, too, and sums with integers are pointers of that type.

    Attributes
    ----------
    ptr : int
        The address.
    size, nbytes : int
        The bytes of the elements.
    device : Device
    device_id : int
        The index of the device.
    """

    __slots__ = ("_array",)

    def __init__(self, array):
        self._array = array

    @property
    def ptr(self):
        return self._array.data_address

    @property
    def size(self):
        return self._array.nbytes

    nbytes = size

    @property
    def device(self):
        return self._array.device

    @property
    def device_id(self):
        return self._array.device.id

    @property
    def mem(self):
        """What owns the memory, with the address ``ptr`` and the ``size`` in bytes."""
        expose(self._array)
        return memory_of(self._array)

    def _pointer(self):
        from gpunp.cuda.pointers import MemoryPointer

        memory = self.mem
        if self.device.is_cpu:
            raise AttributeError("a pointer to memory of the CPU device has no methods; use the array")
        return MemoryPointer(memory, self.ptr - memory.ptr)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'Pointer' object has no attribute {name!r}")
        return getattr(self._pointer(), name)

    def __add__(self, distance):
        return self._pointer() + distance

    __radd__ = __add__

    def __sub__(self, distance):
        return self._pointer() - distance

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<Pointer to {self.ptr:#x} on {self.device}>"
