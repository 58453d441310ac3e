"""Stream-ordered device memory: pools, and the buffers that give their memory back."""
from cuda.bindings.cydriver cimport CUcontext, CUmemoryPool
from gpunp.cuda.stream cimport Stream
from gpunp.device cimport Buffer, Device


cdef class MemoryPool:
    cdef CUmemoryPool handle
    cdef CUcontext context
    cdef readonly int device_index
    cdef Device device_
    # Whether streams keep freed small blocks of this pool (default pools only).
    cdef bint keeps_small
    cdef size_t used, peak, cached, limit
    cdef size_t live_count, total_count
    cdef object __weakref__

    cdef Buffer allocate(self, Device device, size_t nbytes)
    cdef void* request(self, size_t nbytes, size_t wanted, Stream stream) except NULL
    cdef void give_back(self, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept
    cdef void release(self, void* pointer, Stream stream, size_t thread) noexcept
    cdef int drop_cached(self) except -1
    cdef int recover(self) except -1


cdef class CudaBuffer(Buffer):
    cdef size_t capacity
    cdef Stream stream
    cdef MemoryPool pool
    # Token of the thread on whose per-thread default stream it was allocated; 0 for other streams.
    cdef size_t thread


# The default pool of a device, whose small blocks streams keep; created at its first use.
cdef MemoryPool default_pool(int device_index)
