"""Devices, their attributes, limits, peers and pools, by the names of CUDA's runtime API."""

import ctypes

from gpunp.cuda import driver
from gpunp.cuda.runtime_calls import bindings, call, handle
from gpunp.device import Device, get_device

__all__ = [
    "deviceCanAccessPeer",
    "deviceDisablePeerAccess",
    "deviceEnablePeerAccess",
    "deviceGetAttribute",
    "deviceGetByPCIBusId",
    "deviceGetDefaultMemPool",
    "deviceGetLimit",
    "deviceGetMemPool",
    "deviceGetPCIBusId",
    "deviceSetLimit",
    "deviceSetMemPool",
    "deviceSynchronize",
    "driverGetVersion",
    "getDevice",
    "getDeviceCount",
    "getDeviceProperties",
    "get_local_runtime_version",
    "memGetInfo",
    "profilerStart",
    "profilerStop",
    "runtimeGetVersion",
    "setDevice",
]


def getDeviceCount():
    """Number of CUDA devices.

    Returns
    -------
    int
    """
    return driver.device_count()


def getDevice():
    """Number of the current CUDA device; 0 where the CPU device is current.

    Returns
    -------
    int
    """
    device = get_device()
    return 0 if device.is_cpu else device.id


def setDevice(device):
    """Make a CUDA device the current one of the calling thread, for gpunp and for other libraries.

    Parameters
    ----------
    device : int
        Its number, from 0.
    """
    chosen = Device("cuda", device)
    chosen.use()
    driver.make_current(chosen)


def deviceSynchronize():
    """Wait for all work on the current device."""
    get_device().synchronize()


def driverGetVersion():
    """The version of CUDA that the driver supports, 13000 for 13.0.

    Returns
    -------
    int
    """
    major, minor = driver.driver_version()
    return 1000 * major + 10 * minor


def runtimeGetVersion():
    """The version of CUDA that gpunp calls the driver with, 13000 for 13.0.

    Returns
    -------
    int
    """
    return int(bindings().CUDA_VERSION)


def get_local_runtime_version():
    """The version of the CUDA runtime library that is installed, 13000 for 13.0.

    Returns
    -------
    int

    Raises
    ------
    RuntimeError
        If there is none.
    """
    from cuda.pathfinder import load_nvidia_dynamic_lib

    try:
        path = load_nvidia_dynamic_lib("cudart").abs_path
    except RuntimeError as error:
        raise RuntimeError(
            "get_local_runtime_version: the CUDA runtime library was not found: pip install gpunp[cuda13], "
            "or install the CUDA toolkit"
        ) from error
    version = ctypes.c_int()
    driver.raise_for(ctypes.CDLL(path).cudaRuntimeGetVersion(ctypes.byref(version)), "cudaRuntimeGetVersion")
    return version.value


def memGetInfo():
    """Free and total bytes of the current CUDA device.

    Returns
    -------
    tuple of int
        Free and total bytes.
    """
    return Device("cuda", getDevice()).memory_info


def _attributes():
    """The numbers of the driver's attributes by their names in the runtime API, without prefix."""
    found = {}
    for member in bindings().CUdevice_attribute:
        words = member.name.removeprefix("CU_DEVICE_ATTRIBUTE_").lower().split("_")
        found["".join(word.capitalize() for word in words)] = int(member)
    return found


# The fields of cudaDeviceProp, to the names of attributes of the driver.
_PROPERTIES = {
    "sharedMemPerBlock": "MAX_SHARED_MEMORY_PER_BLOCK",
    "regsPerBlock": "MAX_REGISTERS_PER_BLOCK",
    "warpSize": "WARP_SIZE",
    "memPitch": "MAX_PITCH",
    "maxThreadsPerBlock": "MAX_THREADS_PER_BLOCK",
    "clockRate": "CLOCK_RATE",
    "totalConstMem": "TOTAL_CONSTANT_MEMORY",
    "major": "COMPUTE_CAPABILITY_MAJOR",
    "minor": "COMPUTE_CAPABILITY_MINOR",
    "textureAlignment": "TEXTURE_ALIGNMENT",
    "texturePitchAlignment": "TEXTURE_PITCH_ALIGNMENT",
    "deviceOverlap": "GPU_OVERLAP",
    "multiProcessorCount": "MULTIPROCESSOR_COUNT",
    "kernelExecTimeoutEnabled": "KERNEL_EXEC_TIMEOUT",
    "integrated": "INTEGRATED",
    "canMapHostMemory": "CAN_MAP_HOST_MEMORY",
    "computeMode": "COMPUTE_MODE",
    "surfaceAlignment": "SURFACE_ALIGNMENT",
    "concurrentKernels": "CONCURRENT_KERNELS",
    "ECCEnabled": "ECC_ENABLED",
    "pciBusID": "PCI_BUS_ID",
    "pciDeviceID": "PCI_DEVICE_ID",
    "pciDomainID": "PCI_DOMAIN_ID",
    "tccDriver": "TCC_DRIVER",
    "asyncEngineCount": "ASYNC_ENGINE_COUNT",
    "unifiedAddressing": "UNIFIED_ADDRESSING",
    "memoryClockRate": "MEMORY_CLOCK_RATE",
    "memoryBusWidth": "GLOBAL_MEMORY_BUS_WIDTH",
    "l2CacheSize": "L2_CACHE_SIZE",
    "persistingL2CacheMaxSize": "MAX_PERSISTING_L2_CACHE_SIZE",
    "maxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTIPROCESSOR",
    "maxBlocksPerMultiProcessor": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "streamPrioritiesSupported": "STREAM_PRIORITIES_SUPPORTED",
    "globalL1CacheSupported": "GLOBAL_L1_CACHE_SUPPORTED",
    "localL1CacheSupported": "LOCAL_L1_CACHE_SUPPORTED",
    "sharedMemPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "sharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "reservedSharedMemPerBlock": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "regsPerMultiprocessor": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "managedMemory": "MANAGED_MEMORY",
    "isMultiGpuBoard": "MULTI_GPU_BOARD",
    "multiGpuBoardGroupID": "MULTI_GPU_BOARD_GROUP_ID",
    "pageableMemoryAccess": "PAGEABLE_MEMORY_ACCESS",
    "concurrentManagedAccess": "CONCURRENT_MANAGED_ACCESS",
    "computePreemptionSupported": "COMPUTE_PREEMPTION_SUPPORTED",
    "canUseHostPointerForRegisteredMem": "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM",
    "cooperativeLaunch": "COOPERATIVE_LAUNCH",
    "pageableMemoryAccessUsesHostPageTables": "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES",
    "directManagedMemAccessFromHost": "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST",
    "memoryPoolsSupported": "MEMORY_POOLS_SUPPORTED",
    "clusterLaunch": "CLUSTER_LAUNCH",
}


def getDeviceProperties(device):
    """Properties of a CUDA device, by the names of the fields of ``cudaDeviceProp``.

    Parameters
    ----------
    device : int

    Returns
    -------
    dict
        ``name`` is bytes, ``maxThreadsDim`` and ``maxGridSize`` are tuples, the others numbers.
    """
    found = Device("cuda", device)
    numbers = bindings().CUdevice_attribute
    number = {
        name: found.attribute(int(getattr(numbers, f"CU_DEVICE_ATTRIBUTE_{attribute}")))
        for name, attribute in _PROPERTIES.items()
        if hasattr(numbers, f"CU_DEVICE_ATTRIBUTE_{attribute}")
    }
    # The limits of x, y and z have consecutive numbers from 2 and 5.
    return {
        "name": found.name.encode(),
        "totalGlobalMem": found.memory_info[1],
        **number,
        "maxThreadsDim": tuple(found.attribute(2 + d) for d in range(3)),
        "maxGridSize": tuple(found.attribute(5 + d) for d in range(3)),
    }


def deviceGetAttribute(attrib, device):
    """An attribute of a device.

    Parameters
    ----------
    attrib : int
        Its number, a ``cudaDeviceAttr``.
    device : int

    Returns
    -------
    int
    """
    return Device("cuda", device).attribute(attrib)


def device_attributes(device):
    """All attributes of a device that the driver knows, by their names.

    Parameters
    ----------
    device : int

    Returns
    -------
    dict of str to int
    """
    found = Device("cuda", device)
    values = {}
    for name, number in _attributes().items():
        try:
            values[name] = found.attribute(number)
        except driver.CUDADriverError:
            # One that a later driver has.
            continue
    return values


def deviceGetByPCIBusId(pciBusId):
    """The number of the device at an address of the PCI bus.

    Parameters
    ----------
    pciBusId : str
        Such as ``"0000:3b:00.0"``.

    Returns
    -------
    int
    """
    driver.device_count()
    result, device = bindings().cuDeviceGetByPCIBusId(str(pciBusId).encode())
    driver.raise_for(int(result), "cuDeviceGetByPCIBusId")
    return int(device)


def deviceGetPCIBusId(device):
    """The address of a device on the PCI bus.

    Parameters
    ----------
    device : int

    Returns
    -------
    str
    """
    return Device("cuda", device).pci_bus_id


def deviceGetDefaultMemPool(device):
    """The handle of the driver's default pool of a device.

    Parameters
    ----------
    device : int

    Returns
    -------
    int
    """
    return int(call("cuDeviceGetDefaultMemPool", device, device=device))


def deviceGetMemPool(device):
    """The handle of the driver's pool that is set for a device.

    Parameters
    ----------
    device : int

    Returns
    -------
    int
    """
    return int(call("cuDeviceGetMemPool", device, device=device))


def deviceSetMemPool(device, pool):
    """Set the driver's pool of a device, which ``mallocAsync`` allocates from.

    Parameters
    ----------
    device, pool : int
    """
    call("cuDeviceSetMemPool", device, handle("CUmemoryPool", pool), device=device)


def deviceGetLimit(limit):
    """A limit of the current device.

    Parameters
    ----------
    limit : int
        One of the numbers ``cudaLimit...``.

    Returns
    -------
    int
    """
    return int(call("cuCtxGetLimit", bindings().CUlimit(limit)))


def deviceSetLimit(limit, value):
    """Set a limit of the current device.

    Parameters
    ----------
    limit : int
        One of the numbers ``cudaLimit...``.
    value : int
    """
    call("cuCtxSetLimit", bindings().CUlimit(limit), value)


def deviceCanAccessPeer(device, peerDevice):
    """Whether a device can use the memory of another one.

    Parameters
    ----------
    device, peerDevice : int

    Returns
    -------
    int
        1 or 0.
    """
    return int(call("cuDeviceCanAccessPeer", device, peerDevice, device=device))


def deviceEnablePeerAccess(peerDevice):
    """Let the current device use memory of another one that was allocated outside of pools.

    Parameters
    ----------
    peerDevice : int
    """
    with driver.ForeignCalls(peerDevice):
        context = call_current_context()
    call("cuCtxEnablePeerAccess", context, 0)


def deviceDisablePeerAccess(peerDevice):
    """End what `deviceEnablePeerAccess` began.

    Parameters
    ----------
    peerDevice : int
    """
    with driver.ForeignCalls(peerDevice):
        context = call_current_context()
    call("cuCtxDisablePeerAccess", context)


def call_current_context():
    """The handle of the driver's current context of this thread."""
    result, context = bindings().cuCtxGetCurrent()
    driver.raise_for(int(result), "cuCtxGetCurrent")
    return context


def profilerStart():
    """Let a profiler that waits for it begin to record."""
    call("cuProfilerStart", flush=True)


def profilerStop():
    """Let a profiler end what `profilerStart` began."""
    call("cuProfilerStop", flush=True)
