"""Arrays of other libraries, which share memory by DLPack or the CUDA Array Interface."""

import numpy

from gpunp.array import transfer
from gpunp.array.dtype import dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.device import Device, get_device

# DLPack's device types of memory that the host can read: kDLCPU and kDLCUDAHost.
_HOST_KINDS = (1, 3)
# Types that are no arrays of other libraries, for a quick check.
_HOST_TYPES = (numpy.ndarray, numpy.generic, list, tuple, int, float, complex, str, type, type(None))


# Set by `install`: imports an object through DLPack.
_from_dlpack = None


def install(from_dlpack):
    """Set the function that makes an array from an object with ``__dlpack__``."""
    global _from_dlpack
    _from_dlpack = from_dlpack


def from_foreign(a):
    """Return a view of the memory of another library's array, or None if ``a`` is not one."""
    if isinstance(a, _HOST_TYPES):
        return None
    kind = getattr(a, "__dlpack_device__", None)
    kind = None if kind is None else int(kind()[0])
    if kind is not None and kind not in _HOST_KINDS and hasattr(a, "__dlpack__"):
        # Preferred to the CUDA Array Interface, as only DLPack tells the producer which stream will read.
        return _from_dlpack(a)
    interface = getattr(a, "__cuda_array_interface__", None)
    if interface is not None:
        return from_cuda_array_interface(a, interface)
    if kind not in (None, *_HOST_KINDS):
        raise TypeError(
            f"asarray: {type(a).__name__} is on DLPack device {tuple(map(int, a.__dlpack_device__()))} and "
            "has neither __dlpack__ nor __cuda_array_interface__; copy it to the host first"
        )
    return None


def from_cuda_array_interface(a, interface):
    """Return a view of an object's CUDA memory, ordered after the work on the object's stream."""
    if interface.get("mask") is not None:
        raise TypeError("__cuda_array_interface__: masked arrays are not supported")
    pointer, readonly = interface["data"]
    dtype = numpy.dtype(interface["typestr"])
    dtype_code(dtype)
    if not dtype.isnative:
        raise TypeError(f"__cuda_array_interface__: dtype {dtype} is not in native byte order")
    device = _device_of(pointer)
    if interface.get("stream") is not None:
        device.stream.wait_stream(interface["stream"])
    return transfer.wrap_pointer(
        pointer, interface["shape"], interface.get("strides"), dtype, device, a, not readonly
    )


def _device_of(pointer):
    """The CUDA device that memory is on; the current one for memory that the driver does not know."""
    from gpunp.cuda.driver import device_of_pointer

    index = device_of_pointer(pointer)
    if index is not None:
        return Device("cuda", index)
    current = get_device()
    return Device("cuda", 0) if current.is_cpu else current


def is_exchanged(a):
    """Whether ``a`` is another library's array that can be read only through an exchange protocol."""
    if isinstance(a, (ndarray, *_HOST_TYPES)):
        return False
    kind = getattr(a, "__dlpack_device__", None)
    if kind is not None and int(kind()[0]) in _HOST_KINDS:
        return only_dlpack(a)
    return kind is not None or hasattr(a, "__cuda_array_interface__")


def only_dlpack(a):
    """Whether ``a`` has ``__dlpack__`` and none of the protocols of NumPy."""
    return hasattr(a, "__dlpack__") and not (hasattr(a, "__array__") or hasattr(a, "__array_interface__"))
