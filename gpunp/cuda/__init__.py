"""CUDA devices: streams, events, memory pools and the driver.

No part of CUDA is loaded before one of the names is used.

Examples
--------
>>> import gpunp.cuda
>>> gpunp.cuda.is_available() in (True, False)
True
"""

import importlib

_HOMES = {
    "CUDADriverError": "driver",
    "device_count": "driver",
    "driver_version": "driver",
    "get_local_runtime_version": "runtime",
    "Stream": "stream",
    "ExternalStream": "stream",
    "Event": "event",
    "elapsed_time": "event",
    "get_elapsed_time": "event",
    "get_current_stream": "stream",
    "Graph": "graphs",
    "graph": "graphs",
    "MemoryPool": "memory",
    "MemoryPointer": "pointers",
    "BaseMemory": "memory_blocks",
    "Memory": "memory_blocks",
    "ManagedMemory": "memory_blocks",
    "MemoryAsync": "memory_blocks",
    "UnownedMemory": "memory_blocks",
    "malloc_managed": "memory_blocks",
    "malloc_async": "memory_blocks",
    "MemoryAsyncPool": "async_pool",
    "PythonFunctionAllocator": "function_allocators",
    "CFunctionAllocator": "function_allocators",
    "rmm_allocator": "function_allocators",
    "torch_allocator": "function_allocators",
    "MemoryHook": "memory_hook",
    "add_allocation_hook": "pool",
    "remove_allocation_hook": "pool",
    "alloc": "allocator",
    "get_allocator": "allocator",
    "get_default_memory_pool": "allocator",
    "set_allocator": "allocator",
    "using_allocator": "allocator",
    "PinnedMemory": "pinned_memory",
    "PinnedMemoryPointer": "pinned_memory",
    "alloc_pinned_memory": "pinned_memory",
    "set_pinned_memory_allocator": "pinned_memory",
    "PinnedMemoryPool": "pinned",
    "get_default_pinned_memory_pool": "pinned",
    "pinned_empty": "pinned",
    "CudaDevice": "device",
    "profile": "profiler",
}

# Modules that are imported when they are first named.
_MODULES = ("compiler", "memory_hooks", "nccl", "nvtx", "profiler", "runtime", "texture")

# Names that programs use with and without a GPU: without one, the module `without_device` provides them.
_ANYWHERE = frozenset(
    {
        "MemoryPool",
        "PinnedMemoryPool",
        "get_default_memory_pool",
        "get_default_pinned_memory_pool",
        "pinned_empty",
        "set_allocator",
    }
)

__all__ = ["Device", "is_available", *_MODULES, *_HOMES]


def Device(device=None):
    """Return a CUDA device by its index, by default the current device.

    Parameters
    ----------
    device : int or Device, optional

    Returns
    -------
    gpunp.Device
    """
    from gpunp.device import Device as find
    from gpunp.device import get_device

    if device is None:
        return get_device()
    return device if isinstance(device, find) else find("cuda", device)


def is_available():
    """Whether gpunp was built with CUDA and a usable device is present; never raises.

    Returns
    -------
    bool
    """
    try:
        driver = importlib.import_module("gpunp.cuda.driver")
    except ImportError:
        return False
    return driver.is_available()


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _ANYWHERE and not is_available():
        home = "without_device"
    try:
        module = importlib.import_module(f"{__name__}.{home}")
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith(("gpunp.cuda", "cuda")):
            raise
        raise RuntimeError(
            f"{__name__}.{name} needs gpunp built with CUDA and the cuda-bindings package ({error}); "
            "rebuild with -Dcuda=enabled or install gpunp[cuda13]"
        ) from error
    value = getattr(module, name)
    if isinstance(value, type):
        from gpunp.device import set_public_name

        set_public_name(value, f"{__name__}.{name}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_MODULES, *_HOMES})
