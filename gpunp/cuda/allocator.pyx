"""Which pool or allocator a device's memory comes from."""
from libc.stdint cimport uintptr_t

from gpunp.cuda.driver cimport MAX_DEVICES, index_of, primary_context, use_context
from gpunp.cuda.memory cimport MemoryPool, default_pool
from gpunp.cuda.pool cimport CudaBuffer
from gpunp.device cimport Buffer, Device

cdef list _pools = [None] * MAX_DEVICES
cdef object _allocator = None


cdef int open_pool(int device_index) except -1:
    pool = default_pool(device_index)
    if _pools[device_index] is None:
        _pools[device_index] = pool
    return 0


cdef Buffer allocate_on(Device device, size_t nbytes):
    if _allocator is not None:
        return _allocate_outside(device, nbytes)
    return (<MemoryPool>_pools[device.index]).allocate(device, nbytes)


cdef size_t room_on(Device device) except? 0:
    return (<MemoryPool>_pools[device.index]).room()


cdef Buffer _allocate_outside(Device device, size_t nbytes):
    """Wrap memory from the user's allocator, keeping its object alive; return a pool's buffer as it is."""
    cdef CudaBuffer buffer
    cdef uintptr_t pointer
    use_context(primary_context(device.index))
    memory = _allocator(nbytes)
    if isinstance(memory, CudaBuffer):
        buffer = memory
        if buffer.device is not device or buffer.nbytes < nbytes:
            raise ValueError(f"set_allocator: {nbytes} bytes on {device} were requested, but the allocator gave "
                             f"{buffer.nbytes} on {buffer.device}")
        return buffer
    try:
        pointer = memory.ptr
    except AttributeError:
        raise TypeError("set_allocator: the allocator must return an object with .ptr, not "
                        f"{type(memory).__name__}") from None
    buffer = CudaBuffer.__new__(CudaBuffer)
    buffer.ptr = <void*>pointer
    buffer.owner = memory
    buffer.nbytes = nbytes
    buffer.device = device
    return buffer


def get_default_memory_pool(device=None):
    """Return the pool that arrays of a device come from unless another one was chosen.

    Parameters
    ----------
    device : Device or int, optional
        The current device by default.

    Returns
    -------
    MemoryPool
    """
    return default_pool(index_of(device))


def set_allocator(allocator=None):
    """Choose where device memory comes from.

    Parameters
    ----------
    allocator : MemoryPool or callable, optional
        A pool or its method ``malloc``, for the pool's device; a callable that takes a size in bytes and
        returns a pool's buffer, or an object with the attribute ``ptr`` that owns the memory
        (RMM's ``DeviceBuffer`` fits); or None for the default pools.
    """
    global _allocator
    cdef int i
    owner = getattr(allocator, "__self__", None)
    if isinstance(owner, MemoryPool) and allocator == owner.malloc:
        allocator = owner
    if isinstance(allocator, MemoryPool):
        _pools[(<MemoryPool>allocator).device_index] = allocator
        _allocator = None
    elif allocator is None:
        for i in range(MAX_DEVICES):
            _pools[i] = None if _pools[i] is None else default_pool(i)
        _allocator = None
    elif callable(allocator):
        _allocator = allocator
    else:
        raise TypeError("set_allocator: a MemoryPool, a callable or None is needed, not "
                        f"{type(allocator).__name__}")
