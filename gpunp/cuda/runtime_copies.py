"""Copies of memory, by the names of CUDA's runtime API."""

from gpunp.cuda.runtime_calls import address, bindings, call, handle

__all__ = [
    "memcpy",
    "memcpy2D",
    "memcpy2DAsync",
    "memcpyAsync",
    "memcpyPeer",
    "memcpyPeerAsync",
    "memset",
    "memsetAsync",
    "pointerGetAttributes",
]


def _checked(kind, function):
    """The kind of a copy, which the driver finds by itself from the addresses."""
    if kind not in range(5):
        raise ValueError(f"{function}: kind is one of runtime.memcpy..., 0 to 4, not {kind!r}")
    return kind


def memcpy(dst, src, size, kind):
    """Copy memory, and wait for the copy.

    Parameters
    ----------
    dst, src : int
        Addresses.
    size : int
        Bytes.
    kind : int
        One of the numbers ``memcpy...``.
    """
    _checked(kind, "memcpy")
    if size:
        call("cuMemcpy", address(dst), address(src), size, flush=True)


def memcpyAsync(dst, src, size, kind, stream):
    """Copy memory, in the order of a stream.

    Parameters
    ----------
    dst, src : int
        Addresses.
    size : int
        Bytes.
    kind : int
        One of the numbers ``memcpy...``.
    stream : int
    """
    _checked(kind, "memcpyAsync")
    if size:
        stream = handle("CUstream", stream)
        call("cuMemcpyAsync", address(dst), address(src), size, stream, flush=True)


def _primary(device):
    """The context of a device, for copies between devices."""
    from gpunp.cuda import driver
    from gpunp.cuda.runtime_devices import call_current_context

    with driver.ForeignCalls(device):
        return call_current_context()


def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copy memory of a device to another one.

    Parameters
    ----------
    dst : int
        An address.
    dstDevice : int
    src : int
        An address.
    srcDevice : int
    size : int
        Bytes.
    """
    if size:
        places = address(dst), _primary(dstDevice), address(src), _primary(srcDevice)
        call("cuMemcpyPeer", *places, size, flush=True)


def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """Copy memory of a device to another one, in the order of a stream.

    Parameters
    ----------
    dst : int
        An address.
    dstDevice : int
    src : int
        An address.
    srcDevice : int
    size : int
        Bytes.
    stream : int
    """
    if size:
        places = address(dst), _primary(dstDevice), address(src), _primary(srcDevice)
        call("cuMemcpyPeerAsync", *places, size, handle("CUstream", stream), flush=True)


def memset(ptr, value, size):
    """Set bytes of a device.

    Parameters
    ----------
    ptr : int
        The address.
    value : int
        Of each byte.
    size : int
        Bytes.
    """
    if size:
        call("cuMemsetD8", address(ptr), value & 255, size, flush=True)


def memsetAsync(ptr, value, size, stream):
    """Set bytes of a device, in the order of a stream.

    Parameters
    ----------
    ptr : int
        The address.
    value : int
        Of each byte.
    size : int
        Bytes.
    stream : int
    """
    if size:
        stream = handle("CUstream", stream)
        call("cuMemsetD8Async", address(ptr), value & 255, size, stream, flush=True)


# For each kind of copy, whether source and destination are on the host; None leaves it to the driver.
_SIDES = {0: (True, True), 1: (True, False), 2: (False, True), 3: (False, False), 4: (None, None)}


def set_side(copy, side, pointer, pitch, host):
    """Set one side of a copy of rows, ``"src"`` or ``"dst"``, to memory of a device or of the host."""
    kinds = bindings().CUmemorytype
    if host:
        setattr(copy, f"{side}MemoryType", kinds.CU_MEMORYTYPE_HOST)
        setattr(copy, f"{side}Host", pointer)
    else:
        kind = kinds.CU_MEMORYTYPE_UNIFIED if host is None else kinds.CU_MEMORYTYPE_DEVICE
        setattr(copy, f"{side}MemoryType", kind)
        setattr(copy, f"{side}Device", pointer)
    setattr(copy, f"{side}Pitch", pitch)


def _copy_of_rows(function, dst, dpitch, src, spitch, width, height, kind):
    copy = bindings().CUDA_MEMCPY2D()
    source, target = _SIDES[_checked(kind, function)]
    set_side(copy, "src", address(src), spitch, source)
    set_side(copy, "dst", address(dst), dpitch, target)
    copy.WidthInBytes, copy.Height = width, height
    return copy


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copy rows of memory, and wait for the copy.

    Parameters
    ----------
    dst : int
        An address.
    dpitch : int
        Bytes from a row to the next one.
    src, spitch : int
        The same of the source.
    width : int
        Bytes of a row.
    height : int
        The number of rows.
    kind : int
        One of the numbers ``memcpy...``.
    """
    copy = _copy_of_rows("memcpy2D", dst, dpitch, src, spitch, width, height, kind)
    if width and height:
        call("cuMemcpy2DUnaligned", copy, flush=True)


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """Copy rows of memory, in the order of a stream.

    Parameters
    ----------
    dst : int
        An address.
    dpitch : int
        Bytes from a row to the next one.
    src, spitch : int
        The same of the source.
    width : int
        Bytes of a row.
    height : int
        The number of rows.
    kind : int
        One of the numbers ``memcpy...``.
    stream : int
    """
    copy = _copy_of_rows("memcpy2DAsync", dst, dpitch, src, spitch, width, height, kind)
    if width and height:
        call("cuMemcpy2DAsync", copy, handle("CUstream", stream), flush=True)


class PointerAttributes:
    """What `pointerGetAttributes` returns.

    Attributes
    ----------
    device : int
        The number of the device; -2 for memory that the driver does not know.
    devicePointer, hostPointer : int
        Addresses of the memory for devices and for the host; 0 if there is none.
    type : int
        One of the numbers ``memoryType...``.
    """

    def __init__(self, device, devicePointer, hostPointer, type):
        self.device, self.type = device, type
        self.devicePointer, self.hostPointer = devicePointer, hostPointer

    def __repr__(self):
        return (
            f"PointerAttributes(device={self.device}, devicePointer={self.devicePointer:#x}, "
            f"hostPointer={self.hostPointer:#x}, type={self.type})"
        )


def pointerGetAttributes(ptr):
    """What memory an address is of.

    Parameters
    ----------
    ptr : int

    Returns
    -------
    PointerAttributes
    """
    module, place = bindings(), address(ptr)
    names = module.CUpointer_attribute

    def read(name, default):
        # The driver refuses attributes of memory that it does not know.
        result, value = module.cuPointerGetAttribute(getattr(names, f"CU_POINTER_ATTRIBUTE_{name}"), place)
        return default if int(result) else value

    from gpunp.cuda import driver

    driver.make_current()
    kind = int(read("MEMORY_TYPE", 0))
    if kind and int(read("IS_MANAGED", 0)):
        kind = 3
    # Some releases of cuda-bindings, 13.3 for one, give 0 for every device.
    device = driver.device_of_pointer(place)
    device = -2 if device is None else device
    return PointerAttributes(device, int(read("DEVICE_POINTER", 0)), int(read("HOST_POINTER", 0)), kind)
