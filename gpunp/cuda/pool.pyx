"""Allocation of device memory in stream order, and the buffers that return their memory.

Memory comes from CUDA's own stream-ordered pools. Freed blocks of up to 1 MiB stay with the stream they
were allocated on, in lists by size class; stream order lets later work on that stream reuse them at once.
"""
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset
cimport cython
from cuda.bindings.cydriver cimport (
    CUcontext, CUdeviceptr, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps,
    CUresult, CUstream, cuCtxGetCurrent, cuCtxPopCurrent, cuCtxPushCurrent, cuCtxSynchronize,
    cuMemAllocFromPoolAsync, cuMemFreeAsync, cuMemGetInfo, cuMemPoolCreate, cuMemPoolDestroy,
    cuMemPoolGetAttribute, cuMemPoolSetAttribute, cuMemPoolTrimTo)

from gpunp.cuda.driver cimport MAX_DEVICES, check, index_of, is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport NUM_BINS, Stream, current_stream, stream_hooks, streams_of
from gpunp.device cimport Buffer, Device
from gpunp.pooling cimport Bin, bin_of, count_allocation, count_free, observed, push, tell

# Under the names of gpunp.cuda.
from gpunp.pooling import add_allocation_hook, remove_allocation_hook  # no-cython-lint

cdef extern from *:
    """
    #include <atomic>
    // A number unique to this thread: no other thread ever has it, not even after this one has ended.
    static size_t gpunp_thread_token() {
        static std::atomic<size_t> last{0};
        static thread_local size_t mine = ++last;
        return mine;
    }
    """
    size_t gpunp_thread_token() noexcept nogil

cdef enum:
    # The driver's pools hand out multiples of this, 2 to the power of the exponent.
    GRANULE_EXPONENT = 9
    GRANULE = 1 << GRANULE_EXPONENT
    SMALL_LIMIT = 1 << 20
    # Once a stream keeps this many bytes, freed blocks go back to the driver's pool.
    STREAM_CACHE_LIMIT = 64 << 20

cdef CUstream PER_THREAD = <CUstream><uintptr_t>2

# Of each device, the pool whose freed small blocks streams keep.
cdef list default_pools = [None] * MAX_DEVICES


cdef void drop_blocks(Stream stream) noexcept:
    cdef Pool pool = default_pools[stream.device_index]
    cdef Bin[NUM_BINS] dropped
    cdef int i, k
    if pool is None:
        return
    # Other threads may free blocks on the stream meanwhile, which it then keeps.
    memcpy(dropped, stream.bins, sizeof(dropped))
    memset(stream.bins, 0, sizeof(dropped))
    pool.cached -= stream.cached_bytes
    stream.cached_bytes = 0
    for i in range(NUM_BINS):
        for k in range(dropped[i].count):
            pool.release(dropped[i].items[k], 0, stream, 0)
        free(dropped[i].items)


stream_hooks.drop_blocks = drop_blocks


captures = 0


def capturing():
    """How many graphs are being captured in this process."""
    return captures


cdef size_t capacity_of(size_t nbytes) noexcept:
    cdef size_t capacity = 0
    if nbytes <= SMALL_LIMIT:
        bin_of(max(nbytes, 1), GRANULE_EXPONENT, &capacity)
        return capacity
    return (nbytes + GRANULE - 1) & ~(<size_t>GRANULE - 1)


@cython.final
@cython.no_gc_clear
cdef class CudaBuffer(Buffer):
    """Memory on a CUDA device."""

    def __dealloc__(self):
        if self.pool is None or self.ptr == NULL:
            if captures and self.owner is not None:
                pool_hooks.keep_owner(self.device.index, self.owner)
            return
        self.pool.give_back(self.ptr, self.capacity, self.stream, self.thread)

    @property
    def is_replayed(self):
        """Whether a graph may write the memory at each of its launches."""
        return self.pool is not None and self.pool.of_graph


cdef class Pool:
    """The memory of a `MemoryPool`: what buffers use, what streams keep, and what the driver reserves."""

    def __init__(self, device=None, source=None):
        cdef CUmemPoolProps props
        cdef uint64_t threshold = <uint64_t>-1
        self.device_index = index_of(device)
        self.context = primary_context(self.device_index)
        if source is not None:
            self.source, self.held, self.unused = source, {}, {}
            return
        memset(&props, 0, sizeof(props))
        props.allocType = CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        props.location.type = CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        props.location.id = self.device_index
        use_context(self.context)
        check(cuMemPoolCreate(&self.handle, &props), "cuMemPoolCreate")
        check(cuMemPoolSetAttribute(self.handle, CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                                    &threshold), "cuMemPoolSetAttribute")

    def __dealloc__(self):
        # Every buffer holds a reference to its pool, so none is in use any more.
        if self.handle != NULL and not is_exiting():
            cuMemPoolDestroy(self.handle)

    cdef Buffer allocate(self, Device device, size_t nbytes):
        cdef CudaBuffer buffer = CudaBuffer.__new__(CudaBuffer)
        cdef Stream stream = current_stream(self.device_index)
        cdef size_t capacity = 0
        cdef Bin* bin
        if stream.capture is not None:
            return pool_hooks.allocate(stream.capture, self, device, nbytes)
        buffer.device = device
        buffer.nbytes = nbytes
        buffer.stream = stream
        if nbytes == 0:
            return buffer
        if observed:
            tell("malloc_preprocess", self.device_index, nbytes, capacity_of(nbytes), NULL)
        if nbytes <= SMALL_LIMIT and self.keeps_small and stream.handle != PER_THREAD:
            bin = &stream.bins[bin_of(nbytes, GRANULE_EXPONENT, &capacity)]
            if bin.count:
                bin.count -= 1
                buffer.ptr = bin.items[bin.count]
                stream.cached_bytes -= capacity
                self.cached -= capacity
            else:
                buffer.ptr = self.request(capacity, nbytes, stream)
        else:
            capacity = (nbytes + GRANULE - 1) & ~(<size_t>GRANULE - 1)
            if capacity < nbytes:
                raise self.out_of_memory(nbytes)
            buffer.ptr = self.request(capacity, nbytes, stream)
            if stream.handle == PER_THREAD:
                buffer.thread = gpunp_thread_token()
        buffer.capacity = capacity
        buffer.pool = self
        count_allocation(self, buffer.ptr, nbytes, capacity, stream)
        return buffer

    cdef void* request(self, size_t nbytes, size_t wanted, Stream stream) except NULL:
        """Allocate from the driver's pool; if it has no memory, free what is cached and try again."""
        cdef CUdeviceptr pointer = 0
        cdef CUresult result
        if self.limit:
            self.require_within_limit(nbytes, wanted)
        if self.source is not None:
            return self.request_from_source(nbytes, wanted, stream)
        if observed:
            tell("alloc_preprocess", self.device_index, nbytes, nbytes, NULL)
        use_context(self.context)
        result = unlocked(host_calls.existing, cuMemAllocFromPoolAsync, &pointer, nbytes, self.handle, stream.handle)
        if result == CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            self.recover()
            result = unlocked(host_calls.existing, cuMemAllocFromPoolAsync, &pointer, nbytes, self.handle,
                              stream.handle)
            if result == CUresult.CUDA_ERROR_OUT_OF_MEMORY:
                raise self.out_of_memory(wanted)
        check(result, "cuMemAllocFromPoolAsync")
        if observed:
            tell("alloc_postprocess", self.device_index, nbytes, nbytes, <void*>pointer)
        return <void*>pointer

    cdef void* request_from_source(self, size_t nbytes, size_t wanted, Stream stream) except NULL:
        """Take an unused block, or allocate one from the source of the pool."""
        cdef size_t thread = gpunp_thread_token() if stream.handle == PER_THREAD else 0
        cdef list blocks = self.unused.get((nbytes, thread, stream))
        cdef uintptr_t address
        if blocks:
            memory = blocks.pop()
        else:
            try:
                memory = self.source(nbytes)
            except MemoryError:
                self.recover()
                try:
                    memory = self.source(nbytes)
                except MemoryError as error:
                    raise self.out_of_memory(wanted) from error
            self.reserved += nbytes
        address = memory.ptr
        self.held[address] = memory
        return <void*>address

    cdef void give_back(self, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept:
        cdef size_t found = 0
        cdef Bin* bin
        cdef int index
        if captures and pool_hooks.keep_block(self, pointer, capacity, stream, thread):
            return
        if is_exiting():
            return
        count_free(self, pointer, capacity, stream)
        if (capacity <= SMALL_LIMIT and self.keeps_small and stream.handle != PER_THREAD
                and stream.cached_bytes < STREAM_CACHE_LIMIT):
            index = bin_of(capacity, GRANULE_EXPONENT, &found)
            bin = &stream.bins[index]
            if push(bin, pointer):
                stream.cached_bytes += capacity
                self.cached += capacity
                return
        self.release(pointer, capacity, stream, thread)

    cdef void release(self, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept:
        """Free a block to the driver's pool without changing the thread's current context."""
        cdef CUcontext current = NULL
        cdef CUstream handle = stream.handle
        if self.source is not None:
            found = self.held.pop(<uintptr_t>pointer)
            self.unused.setdefault((capacity, thread, stream), []).append(found)
            return
        if handle == PER_THREAD and thread != gpunp_thread_token():
            # The stream of another thread has no handle here; the legacy stream waits for it.
            handle = NULL
        cuCtxGetCurrent(&current)
        if current != self.context:
            cuCtxPushCurrent(self.context)
        unlocked(host_calls.existing, cuMemFreeAsync, <CUdeviceptr>pointer, handle)
        if current != self.context:
            cuCtxPopCurrent(&current)

    cdef int drop_cached(self) except -1:
        cdef Stream stream
        if self.keeps_small:
            for stream in streams_of(self.device_index):
                # While a stream is being captured, freeing would become a part of the graph.
                if stream.capture is None:
                    drop_blocks(stream)
        return 0

    cdef int recover(self) except -1:
        """Return all memory that is not in use to the device."""
        cdef CUresult result
        self.drop_cached()
        use_context(self.context)
        # A capture would end with an error if anybody waited for the device.
        if not captures:
            with nogil:
                result = cuCtxSynchronize()
            check(result, "cuCtxSynchronize")
        if self.source is None:
            check(unlocked(host_calls.existing, cuMemPoolTrimTo, self.handle, 0), "cuMemPoolTrimTo")
        elif not captures:
            for (capacity, *_), blocks in self.unused.items():
                self.reserved -= <size_t>capacity * len(blocks)
            self.unused.clear()
        return 0

    cdef size_t reserved_bytes(self) except? 0:
        cdef uint64_t value = 0
        if self.source is not None:
            return self.reserved
        check(cuMemPoolGetAttribute(self.handle, CUmemPool_attribute.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
                                    &value), "cuMemPoolGetAttribute")
        return value

    cdef int device_bytes(self, size_t* free_bytes, size_t* total) except -1:
        use_context(self.context)
        return check(cuMemGetInfo(free_bytes, total), "cuMemGetInfo")
