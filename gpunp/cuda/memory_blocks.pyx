"""Memory on devices that does not come from a pool of gpunp."""
import operator

from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUcontext, CUdeviceptr, CUmem_advise, CUmemLocation, CUmemLocationType, CUresult, cuCtxGetCurrent,
    cuCtxPopCurrent, cuCtxPushCurrent, cuMemAdvise, cuMemAlloc, cuMemAllocAsync, cuMemAllocManaged, cuMemFree,
    cuMemFreeAsync, cuMemPrefetchAsync)

from gpunp.cuda.driver cimport check, index_of, is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.memory_blocks cimport BaseMemory
from gpunp.cuda.pointers cimport beginning_of
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport Stream, current_stream, refuse_capture
from gpunp.pooling cimport observed, tell

from gpunp.cuda.driver import device_of_pointer
from gpunp.cuda.stream import as_stream
from gpunp.device import get_device

cdef enum:
    ATTACH_GLOBAL = 1       # CU_MEM_ATTACH_GLOBAL: any stream of any device may use the memory

cdef object MOST_BYTES = 2**63 - 1


cdef size_t size_of(object size, str call) except? 0:
    cdef object count = size if type(size) is int else operator.index(size)
    if count < 0:
        raise ValueError(f"{call}: the size must not be negative, it is {count}")
    if count > MOST_BYTES:
        raise MemoryError(f"{call}: no device has {count:,} bytes")
    return count


cdef class BaseMemory:
    """Memory on a device.

    Attributes
    ----------
    ptr : int
        The address; 0 if there are no bytes.
    size : int
        Bytes.
    device_id : int
        The number of the device.
    """

    @property
    def ptr(self):
        """The address, an integer; 0 if there are no bytes."""
        return self.place

    @property
    def device(self):
        """The device that the memory is on."""
        return get_device(f"cuda:{self.device_id}")

    def __int__(self):
        return self.place

    def __repr__(self):
        return f"<{type(self).__name__} of {self.size} bytes at {self.place:#x} on cuda:{self.device_id}>"


cdef int _prepare(BaseMemory memory, object size, str call) except -1:
    """Set the size and the device, which becomes the current one of the driver."""
    memory.size = size_of(size, call)
    memory.device_id = index_of(None)
    use_context(primary_context(memory.device_id))
    if observed and memory.size:
        tell("alloc_preprocess", memory.device_id, memory.size, memory.size, NULL)
    return 0


cdef int _finish(BaseMemory memory, CUresult result, CUdeviceptr pointer, const char* call) except -1:
    """Set the address that the driver gave, or raise."""
    if result == CUresult.CUDA_ERROR_OUT_OF_MEMORY:
        raise MemoryError(f"out of memory on cuda:{memory.device_id}: {call.decode()} found no {memory.size:,} bytes. "
                          "Delete arrays, or free what the pool keeps (get_default_memory_pool().free_all_blocks())")
    check(result, call)
    memory.place = pointer
    memory.owned = True
    if observed:
        tell("alloc_postprocess", memory.device_id, memory.size, memory.size, <void*>pointer)
    return 0


cdef void _free(BaseMemory memory) noexcept:
    """Free memory that is not in stream order, which waits for the device."""
    cdef CUcontext context = NULL
    cdef CUdeviceptr pointer = memory.place
    if not memory.owned or is_exiting():
        return
    cuCtxPushCurrent(primary_context(memory.device_id))
    with nogil:
        cuMemFree(pointer)
    cuCtxPopCurrent(&context)


cdef class Memory(BaseMemory):
    """Memory that the driver allocates outside of all pools, on the current device.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    MemoryError
        If there is not so much.
    """

    def __init__(self, size):
        cdef CUdeviceptr pointer = 0
        cdef CUresult result
        _prepare(self, size, "Memory")
        if self.size:
            with nogil:
                result = cuMemAlloc(&pointer, self.size)
            _finish(self, result, pointer, "cuMemAlloc")

    def __dealloc__(self):
        _free(self)


cdef class ManagedMemory(BaseMemory):
    """Managed memory: the host and all devices may use it, and the driver moves its pages.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    MemoryError
        If there is not so much.
    """

    def __init__(self, size):
        cdef CUdeviceptr pointer = 0
        cdef CUresult result
        _prepare(self, size, "ManagedMemory")
        if self.size:
            with nogil:
                result = cuMemAllocManaged(&pointer, self.size, ATTACH_GLOBAL)
            _finish(self, result, pointer, "cuMemAllocManaged")

    def __dealloc__(self):
        _free(self)

    def prefetch(self, stream=None, *, device_id=None):
        """Move the pages to a device, in the order of a stream.

        Parameters
        ----------
        stream : Stream, optional
            The current one by default.
        device_id : int, optional
            The device; that of the memory by default, and -1 is the host.
        """
        cdef Stream queue = as_stream(stream, self.device_id)
        cdef CUmemLocation place = _location(self.device_id if device_id is None else device_id)
        if self.size:
            use_context(queue.context)
            check(unlocked(host_calls.existing, cuMemPrefetchAsync, self.place, self.size, place, 0, queue.handle),
                  "cuMemPrefetchAsync")

    def advise(self, int advise, device):
        """Tell the driver how the memory will be used.

        Parameters
        ----------
        advise : int
            One of the numbers ``gpunp.cuda.runtime.cudaMemAdvise...``.
        device : Device or int
            The device that the advice is about; -1 is the host.
        """
        cdef CUmemLocation place = _location(device if isinstance(device, int) else index_of(device))
        if self.size:
            use_context(primary_context(self.device_id))
            check(cuMemAdvise(self.place, self.size, <CUmem_advise>advise, place), "cuMemAdvise")


cdef CUmemLocation _location(int device_id) except *:
    """A device by its number; -1 is the host."""
    cdef CUmemLocation place
    place.id = max(device_id, 0)
    place.type = (CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST if device_id == -1
                  else CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE)
    if device_id >= 0:
        primary_context(device_id)
    elif device_id != -1:
        raise ValueError(f"there is no device {device_id}; -1 is the host")
    return place


cdef void free_in_order(CUdeviceptr place, Stream stream) noexcept:
    cdef CUcontext context = NULL
    cuCtxGetCurrent(&context)
    if context == stream.context:
        unlocked(host_calls.existing, cuMemFreeAsync, place, stream.handle)
        return
    cuCtxPushCurrent(stream.context)
    unlocked(host_calls.existing, cuMemFreeAsync, place, stream.handle)
    cuCtxPopCurrent(&context)


cdef class MemoryAsync(BaseMemory):
    """Memory of the pool of the driver that belongs to the device, in the order of a stream.

    Parameters
    ----------
    size : int
        Bytes.
    stream : Stream
        Work queued on it after the memory may use it; the memory is freed in its order, too.

    Raises
    ------
    MemoryError
        If there is not so much.
    """

    cdef Stream stream_

    def __init__(self, size, stream):
        self.allocate(size, as_stream(stream))

    cdef int allocate(self, object size, Stream stream) except -1:
        cdef CUdeviceptr pointer = 0
        cdef CUresult result
        self.stream_ = stream
        self.size = size_of(size, "MemoryAsync")
        self.device_id = stream.device_index
        if observed and self.size:
            tell("alloc_preprocess", self.device_id, self.size, self.size, NULL)
        if stream.capture is not None:
            refuse_capture(stream, "MemoryAsync", "allocates from the pool of the driver; memory of a graph "
                           "comes from gpunp.cuda.alloc")
        if self.size:
            use_context(stream.context)
            result = unlocked(host_calls.existing, cuMemAllocAsync, &pointer, self.size, stream.handle)
            _finish(self, result, pointer, "cuMemAllocAsync")
        return 0

    def __dealloc__(self):
        if self.owned and not is_exiting():
            free_in_order(self.place, self.stream_)

    @property
    def stream(self):
        """The stream in whose order the memory is allocated and freed."""
        return self.stream_


cdef class UnownedMemory(BaseMemory):
    """Memory that something else owns.

    Parameters
    ----------
    ptr : int
        Its address.
    size : int
        Bytes.
    owner : object
        Kept alive as long as the memory is used.
    device_id : int, default -1
        The number of the device; -1 asks the driver.

    Raises
    ------
    ValueError
        If the driver does not know the address.
    """

    cdef readonly object owner

    def __init__(self, ptr, size, owner, device_id=-1):
        cdef uintptr_t address = operator.index(ptr)
        self.size = size_of(size, "UnownedMemory")
        if device_id == -1:
            device_id = device_of_pointer(address) if self.size else index_of(None)
            if device_id is None:
                raise ValueError(f"UnownedMemory: {address:#x} is not an address of memory on a CUDA device; the "
                                 "host's memory is copied with gpunp.asarray")
        self.device_id = index_of(device_id)
        self.place = address
        self.owner = owner


def malloc_managed(size):
    """Allocate managed memory, which the host and all devices may use; an allocator for `set_allocator`.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
    """
    cdef BaseMemory memory = ManagedMemory(size)
    return beginning_of(memory, memory.device_id)


def malloc_async(size):
    """Allocate memory of the driver's pool of the current device, in the order of the current stream.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
    """
    cdef MemoryAsync memory = MemoryAsync.__new__(MemoryAsync)
    memory.allocate(size, current_stream(index_of(None)))
    return beginning_of(memory, memory.device_id)
