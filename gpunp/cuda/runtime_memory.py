"""Memory of devices and of the host, by the names of CUDA's runtime API."""

import operator

from gpunp.cuda.runtime_calls import address, bindings, call, handle

__all__ = [
    "free",
    "freeAsync",
    "freeHost",
    "hostAlloc",
    "hostRegister",
    "hostUnregister",
    "ipcCloseMemHandle",
    "ipcGetEventHandle",
    "ipcGetMemHandle",
    "ipcOpenEventHandle",
    "ipcOpenMemHandle",
    "malloc",
    "mallocAsync",
    "mallocManaged",
    "memAdvise",
    "memPrefetchAsync",
]


def size_of(size, function):
    """A number of bytes; raise ValueError for a negative one."""
    size = operator.index(size)
    if size < 0:
        raise ValueError(f"{function}: the size must not be negative, it is {size}")
    return size


def malloc(size):
    """Allocate memory on the current device.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    int
        The address; 0 for no bytes.
    """
    size = size_of(size, "malloc")
    return int(call("cuMemAlloc", size)) if size else 0


def mallocManaged(size, flags=1):
    """Allocate managed memory.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int, optional
        ``memAttachGlobal`` or ``memAttachHost``.

    Returns
    -------
    int
        The address; 0 for no bytes.
    """
    size = size_of(size, "mallocManaged")
    return int(call("cuMemAllocManaged", size, flags)) if size else 0


def mallocAsync(size, stream):
    """Allocate memory of the driver's pool, in the order of a stream.

    Parameters
    ----------
    size : int
        Bytes.
    stream : int

    Returns
    -------
    int
        The address; 0 for no bytes.
    """
    size = size_of(size, "mallocAsync")
    return int(call("cuMemAllocAsync", size, handle("CUstream", stream))) if size else 0


def free(ptr):
    """Free memory of `malloc` or `mallocManaged`; waits for the device.

    Parameters
    ----------
    ptr : int
        Its address; nothing is done for 0.
    """
    if address(ptr):
        call("cuMemFree", address(ptr), flush=True)


def freeAsync(ptr, stream):
    """Free memory of `mallocAsync`, in the order of a stream.

    Parameters
    ----------
    ptr : int
        Its address; nothing is done for 0.
    stream : int
    """
    if address(ptr):
        call("cuMemFreeAsync", address(ptr), handle("CUstream", stream), flush=True)


def hostAlloc(size, flags):
    """Allocate page-locked host memory.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int
        The sum of numbers ``hostAlloc...``.

    Returns
    -------
    int
        The address; 0 for no bytes.
    """
    size = size_of(size, "hostAlloc")
    return int(call("cuMemHostAlloc", size, flags)) if size else 0


def freeHost(ptr):
    """Free memory of `hostAlloc`.

    Parameters
    ----------
    ptr : int
        Its address; nothing is done for 0.
    """
    if address(ptr):
        call("cuMemFreeHost", address(ptr), flush=True)


def hostRegister(ptr, size, flags):
    """Page-lock memory of the host.

    Parameters
    ----------
    ptr : int
        Its address.
    size : int
        Bytes.
    flags : int
        The sum of numbers ``hostRegister...``.
    """
    call("cuMemHostRegister", address(ptr), size_of(size, "hostRegister"), flags)


def hostUnregister(ptr):
    """End what `hostRegister` began.

    Parameters
    ----------
    ptr : int
        The address.
    """
    call("cuMemHostUnregister", address(ptr), flush=True)


def _place(device):
    """A CUmemLocation of a device by its number; -1 is the host."""
    place = bindings().CUmemLocation()
    kinds = bindings().CUmemLocationType
    place.type = kinds.CU_MEM_LOCATION_TYPE_HOST if device == -1 else kinds.CU_MEM_LOCATION_TYPE_DEVICE
    place.id = max(device, 0)
    return place


def memAdvise(devPtr, count, advice, device):
    """Tell the driver how managed memory will be used.

    Parameters
    ----------
    devPtr : int
        Its address.
    count : int
        Bytes.
    advice : int
        One of the numbers ``cudaMemAdvise...``.
    device : int
        -1 is the host.
    """
    advice = bindings().CUmem_advise(advice)
    call("cuMemAdvise", address(devPtr), count, advice, _place(device), flush=True)


def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Move pages of managed memory to a device, in the order of a stream.

    Parameters
    ----------
    devPtr : int
        The address.
    count : int
        Bytes.
    dstDevice : int
        -1 is the host.
    stream : int
    """
    stream = handle("CUstream", stream)
    call("cuMemPrefetchAsync", address(devPtr), count, _place(dstDevice), 0, stream, flush=True)


def ipcGetMemHandle(devPtr):
    """A handle of memory for other processes.

    Parameters
    ----------
    devPtr : int
        An address of `malloc`.

    Returns
    -------
    bytes
    """
    return bytes(call("cuIpcGetMemHandle", address(devPtr)).reserved)


def ipcOpenMemHandle(handle, flags=1):
    """Open memory of another process.

    Parameters
    ----------
    handle : bytes
        Of `ipcGetMemHandle`.
    flags : int, optional
        ``cudaIpcMemLazyEnablePeerAccess``.

    Returns
    -------
    int
        The address.
    """
    opened = bindings().CUipcMemHandle()
    opened.reserved = bytes(handle)
    return int(call("cuIpcOpenMemHandle", opened, flags))


def ipcCloseMemHandle(devPtr):
    """Close memory of `ipcOpenMemHandle`.

    Parameters
    ----------
    devPtr : int
        The address.
    """
    call("cuIpcCloseMemHandle", address(devPtr), flush=True)


def ipcGetEventHandle(event):
    """A handle of an event for other processes.

    Parameters
    ----------
    event : int
        Made with ``eventInterprocess | eventDisableTiming``.

    Returns
    -------
    bytes
    """
    return bytes(call("cuIpcGetEventHandle", handle("CUevent", event)).reserved)


def ipcOpenEventHandle(handle):
    """Open an event of another process.

    Parameters
    ----------
    handle : bytes
        Of `ipcGetEventHandle`.

    Returns
    -------
    int
        The event.
    """
    opened = bindings().CUipcEventHandle()
    opened.reserved = bytes(handle)
    return int(call("cuIpcOpenEventHandle", opened))
