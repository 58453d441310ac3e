"""Host memory for the CPU device, and the buffers that return it.

Small blocks come from malloc and stay in lists by size class. Large ones are mappings of their own, for which huge
pages are asked; those that are freed are kept, too, so that the pages of a result serve the next one. Nothing here
writes to the memory: pages belong to the node of the processor that writes first. The interpreter's lock is held in all
of it. A child of fork() has the same blocks, its own copies.
"""
import os

cimport cython
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memmove

from cpython.object cimport PyObject

from gpunp.cpu.mappings cimport (
    gpunp_ask_huge_pages, gpunp_drop_pages, gpunp_free_host_memory, gpunp_host_memory, gpunp_map, gpunp_unmap,
)
from gpunp.device cimport Buffer, Device
from gpunp.pooling cimport Bin, bin_of, count_allocation, count_free, hooked, observed, push, tell
from gpunp.recycling cimport recycle

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    GRANULE_EXPONENT = 6        # a cache line, and the widest vector register
    ALIGNMENT = 1 << GRANULE_EXPONENT
    SMALL_LIMIT = 1 << 20
    # Once this many bytes of small blocks are kept, freed ones go back to malloc.
    SMALL_CACHE_LIMIT = 64 << 20
    LARGE_EXPONENT = 18
    HUGE_PAGE = 2 << 20
    HUGE_LIMIT = 4 << 20        # as in NumPy
    # Zeros are written into smaller blocks that were used before: taking their pages again takes several times as long.
    LEAST_DROPPED = 16 << 20
    MOST_LARGE = 64
    # Blocks begin at so many different distances from the beginning of a huge page: caches find lines by the low bits
    # of addresses, so that loops over many blocks would find room for a few lines only.
    COLOURS = 16
    COLOUR_BYTES = 4096 + 256
    # Large blocks that are kept take at most the memory of the host divided by this.
    KEPT_SHARE = 8


@cython.final
@cython.no_gc_clear
cdef class CpuBuffer(Buffer):
    """Host memory, aligned to a cache line."""

    def __dealloc__(self):
        if self.ptr != NULL:
            self.pool.give_back(self.ptr, self.capacity)


cdef MemoryPool _default = None

cdef extern from *:
    CpuBuffer take "gpunp_take_as" (object type)
    CpuBuffer released "gpunp_released" (CpuBuffer variable)


cdef extern from *:
    # Of `recycle`.
    PyObject** gpunp_recycled
    int gpunp_recycled_count


cdef int _clear(PyObject* buffer) noexcept:
    if hooked or observed or (<CpuBuffer>buffer).pool is None:
        return False
    if (<CpuBuffer>buffer).ptr != NULL and not (<CpuBuffer>buffer).pool.keeps_block(<CpuBuffer>buffer):
        (<CpuBuffer>buffer).pool.give_back((<CpuBuffer>buffer).ptr, (<CpuBuffer>buffer).capacity)
        (<CpuBuffer>buffer).ptr = NULL
    if (<CpuBuffer>buffer).pool is not _default:
        (<CpuBuffer>buffer).pool = None
    if (<CpuBuffer>buffer).owner is not None:
        (<CpuBuffer>buffer).owner = None
    if (<CpuBuffer>buffer).memory is not None:
        (<CpuBuffer>buffer).memory = None
    return True


recycle(CpuBuffer, <void*>_clear)


cdef inline char* _begin_of(void* pointer) noexcept:
    """The beginning of the mapping of a large block."""
    return <char*>(<uintptr_t>pointer & ~(<uintptr_t>HUGE_PAGE - 1))


cdef inline size_t _length_of(size_t capacity) noexcept:
    """The length of the mapping of a large block."""
    return (capacity + COLOURS * COLOUR_BYTES + HUGE_PAGE - 1) & ~(<size_t>HUGE_PAGE - 1)


cdef class MemoryPool(BasePool):
    """The memory of the arrays on the CPU device.

    Freed blocks are kept for the next allocation: up to 64 MiB of blocks of 1 MiB or less, and larger ones that take
    up to an eighth of the host's memory. `free_all_blocks` gives them back to the system.
    """

    def __cinit__(self):
        self.device_index = -1
        self.memory_of_host = gpunp_host_memory()
        self.large = <LargeBlock*>calloc(MOST_LARGE, sizeof(LargeBlock))
        if self.large == NULL:
            raise MemoryError()

    def __dealloc__(self):
        cdef int i
        # Every buffer holds a reference to its pool, so none is in use any more.
        if self.large != NULL:
            self.drop_small()
            self.drop_large(0)
            free(self.large)
            for i in range(NUM_BINS):
                free(self.bins[i].items)

    cdef Buffer allocate(self, Device device, size_t nbytes):
        cdef CpuBuffer buffer = take(CpuBuffer)
        cdef size_t capacity = 0
        cdef Bin* bin
        if buffer.ptr != NULL:
            if nbytes <= ALIGNMENT and buffer.pool is self and buffer.device is device and not (
                    self.limit or hooked or observed):
                buffer.nbytes = nbytes
                buffer.uses = buffer.writes = 0
                buffer.reduced = buffer.exposed = False
                self.cached -= ALIGNMENT
                self.small_used += ALIGNMENT
                count_allocation(self, buffer.ptr, nbytes, ALIGNMENT, None)
                return released(buffer)
            buffer.pool.take_block(<PyObject*>buffer)
        # What it had before is still there, but for its memory.
        if buffer.device is not device:
            buffer.device = device
        if buffer.pool is not self:
            buffer.pool = self
        buffer.nbytes = nbytes
        buffer.reserved = 0
        buffer.uses = buffer.writes = 0
        buffer.reduced = buffer.exposed = False
        if nbytes <= SMALL_LIMIT:
            bin = &self.bins[bin_of(nbytes, GRANULE_EXPONENT, &capacity)]
            if observed:
                tell("malloc_preprocess", -1, nbytes, capacity, NULL)
            if bin.count and not self.limit:
                bin.count -= 1
                buffer.ptr = bin.items[bin.count]
                self.cached -= capacity
            else:
                buffer.ptr = self.request_small(capacity, nbytes)
            self.small_used += capacity
        else:
            bin_of(nbytes, LARGE_EXPONENT, &capacity)
            if capacity < nbytes:
                raise self.out_of_memory(nbytes)
            if observed:
                tell("malloc_preprocess", -1, nbytes, capacity, NULL)
            buffer.ptr = self.request_large(&capacity, nbytes)
        buffer.capacity = capacity
        count_allocation(self, buffer.ptr, nbytes, capacity, None)
        return released(buffer)

    cdef bint keeps_block(self, CpuBuffer buffer) noexcept:
        """Whether a buffer that nobody uses any more keeps its block, one of the smallest, for the next one."""
        if (buffer.capacity != ALIGNMENT or self is not _default or buffer.owner is not None
                or buffer.memory is not None or buffer.reserved):
            return False
        count_free(self, buffer.ptr, ALIGNMENT, None)
        self.small_used -= ALIGNMENT
        self.cached += ALIGNMENT
        return True

    cdef void take_block(self, PyObject* buffer) noexcept:
        """Put the block that such a buffer kept among the other unused ones.

        To a buffer that is not in use there are no references, and one that came and went would free it again.
        """
        if not push(&self.bins[0], (<CpuBuffer>buffer).ptr):
            free((<CpuBuffer>buffer).ptr)
            self.cached -= ALIGNMENT
        (<CpuBuffer>buffer).ptr = NULL

    cdef void* request_small(self, size_t capacity, size_t wanted) except NULL:
        cdef size_t found = 0
        cdef Bin* bin = &self.bins[bin_of(capacity, GRANULE_EXPONENT, &found)]
        cdef void* pointer
        if self.limit:
            # Blocks that are kept count as used, but for the one that is taken.
            self.require_within_limit(0 if bin.count else capacity, wanted)
            if self.used + capacity > self.limit:
                raise self.out_of_memory(wanted)
        if bin.count:
            bin.count -= 1
            self.cached -= capacity
            return bin.items[bin.count]
        if observed:
            tell("alloc_preprocess", -1, capacity, capacity, NULL)
        pointer = aligned_alloc(ALIGNMENT, capacity)
        if pointer == NULL:
            self.drop_cached()
            pointer = aligned_alloc(ALIGNMENT, capacity)
            if pointer == NULL:
                raise self.out_of_memory(wanted)
        if observed:
            tell("alloc_postprocess", -1, capacity, capacity, pointer)
        return pointer

    cdef void* request_large(self, size_t* capacity, size_t wanted) except NULL:
        """A block that is kept and at most a quarter larger, else a new mapping."""
        cdef int i, best = -1
        cdef size_t length
        cdef char* begin
        if self.limit and capacity[0] > self.limit - min(self.limit, self.used):
            raise self.out_of_memory(wanted)
        for i in range(self.large_count - 1, -1, -1):
            length = self.large[i].capacity
            if length >= capacity[0] and length - capacity[0] <= capacity[0] // 4 and (
                    best < 0 or length < self.large[best].capacity):
                best = i
                if length == capacity[0]:
                    break
        if best >= 0 and not (self.limit and self.large[best].capacity > self.limit - self.used):
            begin = self.large[best].pointer
            capacity[0] = self.large[best].capacity
            self.forget(best)
            self.newest_was_used = True
        else:
            self.newest_was_used = False
            begin = self.map_large(capacity[0], wanted)
        self.newest, self.newest_capacity, self.newest_nbytes = begin, capacity[0], wanted
        return begin

    cdef char* map_large(self, size_t capacity, size_t wanted) except NULL:
        cdef size_t length = _length_of(capacity)
        cdef char* begin
        if length < capacity:
            raise self.out_of_memory(wanted)
        # What is kept must not be the reason why the host runs out of memory, nor what is beyond the limit.
        if self.limit and capacity > self.limit - min(self.limit, self.used + self.cached):
            self.drop_cached()
        elif self.cached and self.mapped + capacity > self.memory_of_host // 4 * 3:
            self.drop_cached()
        if observed:
            tell("alloc_preprocess", -1, length, length, NULL)
        begin = gpunp_map(length, HUGE_PAGE)
        if begin == NULL:
            self.drop_cached()
            begin = gpunp_map(length, HUGE_PAGE)
            if begin == NULL:
                raise self.out_of_memory(wanted)
        if capacity >= HUGE_LIMIT:
            gpunp_ask_huge_pages(begin, length)
        self.mapped += capacity
        begin += COLOUR_BYTES * (self.colour % COLOURS)
        self.colour += 1
        if observed:
            tell("alloc_postprocess", -1, length, length, begin)
        return begin

    cdef void forget(self, int index) noexcept:
        """Remove a block from the list of unused ones."""
        self.large_cached -= self.large[index].capacity
        self.cached -= self.large[index].capacity
        self.large_count -= 1
        memmove(&self.large[index], &self.large[index + 1], (self.large_count - index) * sizeof(LargeBlock))

    cdef void give_back(self, void* pointer, size_t capacity) noexcept:
        cdef size_t found = 0
        cdef Bin* bin
        count_free(self, pointer, capacity, None)
        if capacity > SMALL_LIMIT:
            if pointer == self.newest:
                self.newest = NULL
            self.keep_large(pointer, capacity)
            return
        self.small_used -= capacity
        if self.cached - self.large_cached < SMALL_CACHE_LIMIT:
            bin = &self.bins[bin_of(capacity, GRANULE_EXPONENT, &found)]
            if push(bin, pointer):
                self.cached += capacity
                return
        free(pointer)

    cdef void keep_large(self, void* pointer, size_t capacity) noexcept:
        cdef size_t most = self.memory_of_host // KEPT_SHARE
        if capacity > most:
            self.mapped -= capacity
            gpunp_unmap(_begin_of(pointer), _length_of(capacity))
            return
        self.drop_large(most - capacity)
        if self.large_count == MOST_LARGE:
            self.drop_first()
        self.large[self.large_count].pointer = <char*>pointer
        self.large[self.large_count].capacity = capacity
        self.large_count += 1
        self.large_cached += capacity
        self.cached += capacity

    cdef void drop_first(self) noexcept:
        """Unmap the unused large block that was freed first."""
        cdef LargeBlock block = self.large[0]
        self.forget(0)
        self.mapped -= block.capacity
        gpunp_unmap(_begin_of(block.pointer), _length_of(block.capacity))

    cdef void drop_large(self, size_t most) noexcept:
        """Unmap unused large blocks until they have at most so many bytes."""
        while self.large_cached > most:
            self.drop_first()

    cdef void drop_small(self) noexcept:
        """Give unused small blocks back to malloc."""
        cdef Bin* bin
        cdef int i
        for i in range(gpunp_recycled_count if self is _default else 0):
            if (<CpuBuffer>gpunp_recycled[i]).ptr != NULL:
                self.take_block(gpunp_recycled[i])
        for i in range(NUM_BINS):
            bin = &self.bins[i]
            while bin.count:
                bin.count -= 1
                free(bin.items[bin.count])
        self.cached = self.large_cached

    cdef int drop_cached(self) except -1:
        self.drop_small()
        self.drop_large(0)
        return 0

    cdef int zero(self, void* pointer, size_t nbytes) noexcept:
        if pointer != self.newest or pointer == NULL or nbytes != self.newest_nbytes:
            return False
        if self.newest_was_used and nbytes < LEAST_DROPPED:
            return False
        return gpunp_drop_pages(_begin_of(pointer), _length_of(self.newest_capacity))

    cdef size_t reserved_bytes(self) except? 0:
        return self.mapped + self.small_used + self.cached - self.large_cached

    cdef int device_bytes(self, size_t* free_bytes, size_t* total) except -1:
        free_bytes[0], total[0] = gpunp_free_host_memory(), self.memory_of_host
        return 0

    def malloc(self, nbytes):
        """Allocate memory.

        Parameters
        ----------
        nbytes : int
            The least size, in bytes.

        Returns
        -------
        Buffer
            The memory returns to the pool when the last reference to it is gone.

        Raises
        ------
        MemoryError
            Stating the request, the usage and the limit. Existing buffers stay usable.
        ValueError
            If the size is negative.
        """
        if nbytes < 0:
            raise ValueError(f"malloc: the size must not be negative, it is {nbytes}")
        return self.allocate(self.device, nbytes)

    def free_all_blocks(self, stream=None):
        """Return all memory that is not in use to the system.

        Parameters
        ----------
        stream : None
            The CPU device has no streams.
        """
        self.drop_cached()

    def n_free_blocks(self):
        """Return how many blocks are kept for reuse.

        Returns
        -------
        int
        """
        cdef Py_ssize_t count = self.large_count
        cdef int i
        for i in range(NUM_BINS):
            count += self.bins[i].count
        return count


cdef MemoryPool default_pool():
    global _default
    if _default is None:
        pool = MemoryPool()
        limit = os.environ.get("GPUNP_CPU_MEMORY_LIMIT", "").strip()
        if limit:
            pool.set_limit(limit)
        # Creating it ran Python code, during which another thread may have set it.
        if _default is None:
            _default = pool
    return _default


def get_default_memory_pool():
    """Return the pool that the arrays of the CPU device come from.

    Returns
    -------
    MemoryPool
    """
    return default_pool()
