"""The driver's pools of memory, by the names of CUDA's runtime API."""

from gpunp.cuda.runtime_calls import bindings, call, handle
from gpunp.cuda.runtime_memory import size_of

__all__ = [
    "MemPoolProps",
    "mallocFromPoolAsync",
    "memPoolCreate",
    "memPoolDestroy",
    "memPoolGetAttribute",
    "memPoolSetAttribute",
    "memPoolTrimTo",
]


class MemPoolProps:
    """What `memPoolCreate` takes.

    Parameters
    ----------
    allocType : int
        ``cudaMemAllocationTypePinned``.
    handleType : int
        ``cudaMemHandleTypeNone`` or ``cudaMemHandleTypePosixFileDescriptor``.
    locationType : int
        ``cudaMemLocationTypeDevice``.
    devId : int
        The number of the device.
    """

    def __init__(self, allocType=1, handleType=0, locationType=1, devId=0):
        self.allocType, self.handleType = allocType, handleType
        self.locationType, self.devId = locationType, devId


def mallocFromPoolAsync(size, pool, stream):
    """Allocate memory of a pool, in the order of a stream.

    Parameters
    ----------
    size : int
        Bytes.
    pool, stream : int

    Returns
    -------
    int
        The address; 0 for no bytes.
    """
    size = size_of(size, "mallocFromPoolAsync")
    pool, stream = handle("CUmemoryPool", pool), handle("CUstream", stream)
    return int(call("cuMemAllocFromPoolAsync", size, pool, stream)) if size else 0


def memPoolCreate(props):
    """Create a pool of the driver.

    Parameters
    ----------
    props : MemPoolProps

    Returns
    -------
    int
        Its handle.
    """
    module = bindings()
    properties = module.CUmemPoolProps()
    properties.allocType = module.CUmemAllocationType(props.allocType)
    properties.handleTypes = module.CUmemAllocationHandleType(props.handleType)
    place = module.CUmemLocation()
    place.type = module.CUmemLocationType(props.locationType)
    place.id = props.devId
    properties.location = place
    return int(call("cuMemPoolCreate", properties))


def memPoolDestroy(pool):
    """Destroy a pool of `memPoolCreate`; its memory must not be in use.

    Parameters
    ----------
    pool : int
    """
    call("cuMemPoolDestroy", handle("CUmemoryPool", pool), flush=True)


def memPoolTrimTo(pool, size):
    """Return memory of a pool that is not in use to the system.

    Parameters
    ----------
    pool : int
    size : int
        The bytes that the pool may keep.
    """
    call("cuMemPoolTrimTo", handle("CUmemoryPool", pool), size, flush=True)


def memPoolGetAttribute(pool, attr):
    """An attribute of a pool.

    Parameters
    ----------
    pool : int
    attr : int
        One of the numbers ``cudaMemPool...``.

    Returns
    -------
    int
    """
    attr = bindings().CUmemPool_attribute(attr)
    return int(call("cuMemPoolGetAttribute", handle("CUmemoryPool", pool), attr))


def memPoolSetAttribute(pool, attr, value):
    """Set an attribute of a pool.

    Parameters
    ----------
    pool : int
    attr : int
        One of the numbers ``cudaMemPool...``.
    value : int
    """
    module = bindings()
    attr = module.CUmemPool_attribute(attr)
    # The first three attributes are flags of the type int, the others have 64 bits.
    value = int(value) if int(attr) <= 3 else module.cuuint64_t(value)
    call("cuMemPoolSetAttribute", handle("CUmemoryPool", pool), attr, value)
