"""Arrays for textures and copies from and to them, by the names of CUDA's runtime API."""

import ctypes
import operator

from gpunp.cuda.runtime_calls import address, bindings, call, handle
from gpunp.cuda.runtime_copies import _SIDES, _checked, set_side

__all__ = [
    "freeArray",
    "malloc3DArray",
    "mallocArray",
    "memcpy2DFromArray",
    "memcpy2DFromArrayAsync",
    "memcpy2DToArray",
    "memcpy2DToArrayAsync",
    "memcpy3D",
    "memcpy3DAsync",
]


class ChannelDescriptor(ctypes.Structure):
    """The C structure ``cudaChannelFormatDesc``: bits of each channel, and their kind."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("z", ctypes.c_int), ("w", ctypes.c_int)]
    _fields_ += [("f", ctypes.c_int)]


class _Vector(ctypes.Structure):
    _fields_ = [("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("z", ctypes.c_size_t)]


class _Pitched(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_void_p), ("pitch", ctypes.c_size_t)]
    _fields_ += [("xsize", ctypes.c_size_t), ("ysize", ctypes.c_size_t)]


class Copy3D(ctypes.Structure):
    """The C structure ``cudaMemcpy3DParms``."""

    _fields_ = [("srcArray", ctypes.c_void_p), ("srcPos", _Vector), ("srcPtr", _Pitched)]
    _fields_ += [("dstArray", ctypes.c_void_p), ("dstPos", _Vector), ("dstPtr", _Pitched)]
    _fields_ += [("extent", _Vector), ("kind", ctypes.c_int)]


# Kind and bits of a channel to the driver's number of the format.
_FORMATS = {(0, 8): 8, (0, 16): 9, (0, 32): 10, (1, 8): 1, (1, 16): 2, (1, 32): 3, (2, 16): 16, (2, 32): 32}


def channels_of(description):
    """The driver's format and the number of channels of a ChannelDescriptor; raise if there is none.

    Parameters
    ----------
    description : ChannelDescriptor

    Returns
    -------
    tuple of int
    """
    bits = [description.x, description.y, description.z, description.w]
    count = sum(b > 0 for b in bits)
    number = _FORMATS.get((description.f, bits[0]))
    if number is None or count not in (1, 2, 4) or bits != [bits[0]] * count + [0] * (4 - count):
        raise ValueError(
            f"a format of {bits} bits and kind {description.f} is not one of a texture: 1, 2 or 4 equal "
            "channels of 8, 16 or 32 bits, floats of 16 or 32"
        )
    return number, count


def _create(description, width, height, depth, flags, function):
    format, channels = channels_of(ChannelDescriptor.from_address(address(description)))
    sizes = [operator.index(size) for size in (width, height, depth)]
    if sizes[0] < 1 or min(sizes) < 0:
        raise ValueError(f"{function}: the width must be positive and no size negative, they are {sizes}")
    module = bindings()
    created = module.CUDA_ARRAY3D_DESCRIPTOR()
    created.Width, created.Height, created.Depth = sizes
    created.Format = module.CUarray_format(format)
    created.NumChannels, created.Flags = channels, flags
    return int(call("cuArray3DCreate", created))


def mallocArray(descPtr, width, height, flags=0):
    """Allocate an array of one or two dimensions for textures.

    Parameters
    ----------
    descPtr : int
        The address of a ``cudaChannelFormatDesc``: ``ChannelFormatDescriptor.ptr``.
    width, height : int
        Elements; a height of 0 is one dimension.
    flags : int, optional
        The sum of numbers ``cudaArray...``.

    Returns
    -------
    int
        Its handle.
    """
    return _create(descPtr, width, height, 0, flags, "mallocArray")


def malloc3DArray(descPtr, width, height, depth, flags=0):
    """Allocate an array of one to three dimensions for textures.

    Parameters
    ----------
    descPtr : int
        The address of a ``cudaChannelFormatDesc``: ``ChannelFormatDescriptor.ptr``.
    width, height, depth : int
        Elements; 0 of the last ones leaves out dimensions.
    flags : int, optional
        The sum of numbers ``cudaArray...``.

    Returns
    -------
    int
        Its handle.
    """
    return _create(descPtr, width, height, depth, flags, "malloc3DArray")


def freeArray(ptr):
    """Free an array of `mallocArray` or `malloc3DArray`.

    Parameters
    ----------
    ptr : int
        Its handle.
    """
    call("cuArrayDestroy", handle("CUarray", ptr), flush=True)


def _array_side(copy, side, array, x, y, z=None):
    setattr(copy, f"{side}MemoryType", bindings().CUmemorytype.CU_MEMORYTYPE_ARRAY)
    setattr(copy, f"{side}Array", handle("CUarray", array))
    setattr(copy, f"{side}XInBytes", x)
    setattr(copy, f"{side}Y", y)
    if z is not None:
        setattr(copy, f"{side}Z", z)


def _to_array(function, dst, wOffset, hOffset, src, spitch, width, height, kind):
    copy = bindings().CUDA_MEMCPY2D()
    set_side(copy, "src", address(src), spitch, _SIDES[_checked(kind, function)][0])
    _array_side(copy, "dst", dst, wOffset, hOffset)
    copy.WidthInBytes, copy.Height = width, height
    return copy


def _from_array(function, dst, dpitch, src, wOffset, hOffset, width, height, kind):
    copy = bindings().CUDA_MEMCPY2D()
    _array_side(copy, "src", src, wOffset, hOffset)
    set_side(copy, "dst", address(dst), dpitch, _SIDES[_checked(kind, function)][1])
    copy.WidthInBytes, copy.Height = width, height
    return copy


def memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind):
    """Copy rows of memory to an array, and wait for the copy.

    Parameters
    ----------
    dst : int
        The handle of the array.
    wOffset : int
        Bytes from the beginning of a row.
    hOffset : int
        The first row.
    src : int
        An address.
    spitch : int
        Bytes from a row to the next one.
    width : int
        Bytes of a row.
    height : int
        The number of rows.
    kind : int
        One of the numbers ``memcpy...``.
    """
    copy = _to_array("memcpy2DToArray", dst, wOffset, hOffset, src, spitch, width, height, kind)
    call("cuMemcpy2DUnaligned", copy, flush=True)


def memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, stream):
    """Copy rows of memory to an array, in the order of a stream.

    Parameters
    ----------
    dst, wOffset, hOffset, src, spitch, width, height, kind : int
        As for `memcpy2DToArray`.
    stream : int
    """
    copy = _to_array("memcpy2DToArrayAsync", dst, wOffset, hOffset, src, spitch, width, height, kind)
    call("cuMemcpy2DAsync", copy, handle("CUstream", stream), flush=True)


def memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    """Copy rows of an array to memory, and wait for the copy.

    Parameters
    ----------
    dst : int
        An address.
    dpitch : int
        Bytes from a row to the next one.
    src : int
        The handle of the array.
    wOffset : int
        Bytes from the beginning of a row.
    hOffset : int
        The first row.
    width : int
        Bytes of a row.
    height : int
        The number of rows.
    kind : int
        One of the numbers ``memcpy...``.
    """
    copy = _from_array("memcpy2DFromArray", dst, dpitch, src, wOffset, hOffset, width, height, kind)
    call("cuMemcpy2DUnaligned", copy, flush=True)


def memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream):
    """Copy rows of an array to memory, in the order of a stream.

    Parameters
    ----------
    dst, dpitch, src, wOffset, hOffset, width, height, kind : int
        As for `memcpy2DFromArray`.
    stream : int
    """
    copy = _from_array("memcpy2DFromArrayAsync", dst, dpitch, src, wOffset, hOffset, width, height, kind)
    call("cuMemcpy2DAsync", copy, handle("CUstream", stream), flush=True)


def _element_bytes(array):
    """The bytes of an element of an array."""
    found = call("cuArray3DGetDescriptor", handle("CUarray", array))
    number = int(found.Format)
    bits = next(bits for (_, bits), value in _FORMATS.items() if value == number)
    return bits // 8 * found.NumChannels


def _copy_3d(parameters, function):
    """The driver's structure for a ``cudaMemcpy3DParms`` at an address."""
    given = Copy3D.from_address(address(parameters))
    copy = bindings().CUDA_MEMCPY3D()
    sides = _SIDES[_checked(given.kind, function)]
    unit = 1
    for side, host in zip(("src", "dst"), sides, strict=True):
        array, at = getattr(given, f"{side}Array"), getattr(given, f"{side}Pos")
        if array:
            # With an array, widths and positions are counted in its elements.
            unit = _element_bytes(array)
            _array_side(copy, side, array, at.x * unit, at.y, at.z)
        else:
            memory = getattr(given, f"{side}Ptr")
            set_side(copy, side, memory.ptr or 0, memory.pitch, host)
            setattr(copy, f"{side}Height", memory.ysize)
            setattr(copy, f"{side}XInBytes", at.x)
            setattr(copy, f"{side}Y", at.y)
            setattr(copy, f"{side}Z", at.z)
    copy.WidthInBytes = given.extent.x * unit
    copy.Height, copy.Depth = given.extent.y, given.extent.z
    return copy


def memcpy3D(Memcpy3DParmsPtr):
    """Copy a box of elements, and wait for the copy.

    Parameters
    ----------
    Memcpy3DParmsPtr : int
        The address of a ``cudaMemcpy3DParms``.
    """
    call("cuMemcpy3D", _copy_3d(Memcpy3DParmsPtr, "memcpy3D"), flush=True)


def memcpy3DAsync(Memcpy3DParmsPtr, stream):
    """Copy a box of elements, in the order of a stream.

    Parameters
    ----------
    Memcpy3DParmsPtr : int
        The address of a ``cudaMemcpy3DParms``.
    stream : int
    """
    copy = _copy_3d(Memcpy3DParmsPtr, "memcpy3DAsync")
    call("cuMemcpy3DAsync", copy, handle("CUstream", stream), flush=True)
