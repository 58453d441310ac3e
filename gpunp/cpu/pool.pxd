"""Host memory for the CPU device, and the buffers that return it."""
from cpython.object cimport PyObject

from gpunp.device cimport Buffer, Device
from gpunp.pooling cimport BasePool, Bin

cdef enum:
    # Size classes of small blocks: from 64 bytes to 1 MiB.
    NUM_BINS = 51


cdef struct LargeBlock:
    # What the system mapped, and the part of it that is handed out.
    char* pointer
    size_t capacity


cdef class CpuBuffer(Buffer)


cdef class MemoryPool(BasePool):
    cdef Bin bins[NUM_BINS]
    # Unused large blocks, the one that was freed last at the end; their bytes, and those of all large blocks.
    cdef LargeBlock* large
    cdef int large_count
    cdef size_t large_cached, mapped
    # Bytes of small blocks in use.
    cdef size_t small_used
    # The large block that was handed out last, as long as it is in use, and the bytes that were asked for.
    cdef void* newest
    cdef size_t newest_capacity, newest_nbytes
    cdef bint newest_was_used   # before it was handed out
    cdef size_t memory_of_host
    cdef unsigned int colour

    cdef Buffer allocate(self, Device device, size_t nbytes)
    cdef bint keeps_block(self, CpuBuffer buffer) noexcept
    cdef void take_block(self, PyObject* buffer) noexcept
    cdef void* request_small(self, size_t capacity, size_t wanted) except NULL
    cdef void* request_large(self, size_t* capacity, size_t wanted) except NULL
    cdef void give_back(self, void* pointer, size_t capacity) noexcept
    cdef void keep_large(self, void* pointer, size_t capacity) noexcept
    cdef void drop_large(self, size_t most) noexcept
    # Whether the memory is zero now. Only the large block that was handed out last can become so, as a whole: its pages
    # are dropped, unless it is small enough for zeros to be written faster than its pages are taken again.
    cdef int zero(self, void* pointer, size_t nbytes) noexcept
    cdef char* map_large(self, size_t capacity, size_t wanted) except NULL
    cdef void forget(self, int index) noexcept
    cdef void drop_first(self) noexcept
    cdef void drop_small(self) noexcept


cdef class CpuBuffer(Buffer):
    cdef size_t capacity
    cdef MemoryPool pool


# The pool of the CPU device.
cdef MemoryPool default_pool()
