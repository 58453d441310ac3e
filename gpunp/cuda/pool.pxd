"""Allocation of device memory in stream order, and the buffers that return their memory."""
from cuda.bindings.cydriver cimport CUcontext, CUmemoryPool
from gpunp.cuda.stream cimport Stream
from gpunp.device cimport Buffer, Device


cdef class Pool:
    cdef CUmemoryPool handle
    cdef CUcontext context
    cdef readonly int device_index
    # Whether streams keep freed small blocks of this pool (default pools only).
    cdef bint keeps_small
    # Bytes in buffers, the most so far, bytes that streams keep, and the most that may be handed out (0: no limit).
    cdef size_t used, peak, cached, limit
    # Numbers of buffers: alive, and in all.
    cdef size_t live_count, total_count
    cdef object __weakref__

    cdef Buffer allocate(self, Device device, size_t nbytes)
    cdef void* request(self, size_t nbytes, size_t wanted, Stream stream) except NULL
    cdef void give_back(self, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept
    cdef void release(self, void* pointer, Stream stream, size_t thread) noexcept
    cdef int drop_cached(self) except -1
    cdef int recover(self) except -1
    cdef object out_of_memory(self, size_t nbytes)
    cdef int device_bytes(self, size_t* free_bytes, size_t* total) except -1
    # Bytes that the pool can still hand out.
    cdef size_t room(self) except? 0


cdef class CudaBuffer(Buffer):
    cdef size_t capacity
    cdef Stream stream
    cdef Pool pool
    # Token of the thread on whose per-thread default stream it was allocated; 0 for other streams.
    cdef size_t thread


# Of each device, the pool whose freed small blocks streams keep; None before its first use.
cdef list default_pools
# Return the small blocks that a stream keeps to the default pool of its device.
cdef void drop_blocks(Stream stream) noexcept
