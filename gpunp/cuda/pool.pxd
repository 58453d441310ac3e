"""Allocation of device memory in stream order, and the buffers that return their memory."""
from cuda.bindings.cydriver cimport CUcontext, CUmemoryPool
from gpunp.cuda.stream cimport Stream
from gpunp.device cimport Buffer, Device
from gpunp.pooling cimport BasePool


cdef class Pool(BasePool):
    cdef CUmemoryPool handle
    cdef CUcontext context
    # Whether streams keep freed small blocks of this pool (default pools only).
    cdef bint keeps_small
    # Whether launches of a graph write the memory.
    cdef bint of_graph
    # The function that the memory comes from instead of the driver's pool, or None; with it: living blocks by their
    # address, unused blocks by capacity and stream, and the bytes of both.
    cdef object source
    cdef dict held
    cdef dict unused
    cdef size_t reserved
    cdef object __weakref__

    cdef Buffer allocate(self, Device device, size_t nbytes)
    cdef void* request(self, size_t nbytes, size_t wanted, Stream stream) except NULL
    cdef void* request_from_source(self, size_t nbytes, size_t wanted, Stream stream) except NULL
    cdef void give_back(self, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept
    cdef void release(self, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept
    cdef int recover(self) except -1


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

# The number of captures of graphs that are going on in this process.
cdef int captures

cdef struct PoolHooks:
    # A buffer of a graph that is being captured, from memory of a pool.
    Buffer (*allocate)(object capture, Pool pool, Device device, size_t nbytes)
    # Keep a freed block as long as the graphs that are being captured on the device of its pool may use it; returns
    # whether there are any.
    bint (*keep_block)(Pool pool, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept
    # The same for what owns other memory on a device.
    void (*keep_owner)(int device_index, object owner) noexcept

cdef PoolHooks pool_hooks

# The capacity of a block in a pool.
cdef size_t capacity_of(size_t nbytes) noexcept
