"""A pool of page-locked host memory, which large downloads use.

Page-locking fresh memory costs more than a staged copy into it, so a block is page-locked when it is used
for the second time: a result that is kept costs nothing extra, and a loop of downloads runs at full speed.
"""
import os

import numpy

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free
cimport cython
from cuda.bindings.cydriver cimport (
    CUcontext, CUresult, cuCtxPopCurrent, cuCtxPushCurrent, cuMemHostRegister, cuMemHostUnregister)

from gpunp.cuda.driver cimport index_of, is_exiting, primary_context, use_context
from gpunp.cuda.memory_blocks cimport size_of
from gpunp.memory_limits import parse_limit

cdef extern from *:
    """
    #include <stdlib.h>
    #include <sys/mman.h>
    // Aligned to huge pages, which are faulted in and page-locked many times faster.
    static void* gpunp_huge_alloc(size_t nbytes) {
        void* memory = nullptr;
        if (posix_memalign(&memory, (size_t)2 << 20, nbytes)) return nullptr;
        madvise(memory, nbytes, MADV_HUGEPAGE);
        return memory;
    }
    """
    void* gpunp_huge_alloc(size_t nbytes) noexcept nogil

cdef enum:
    PAGE = 2 << 20
    # Downloads of fewer bytes are staged into NumPy's own memory.
    SMALLEST = 1 << 20
    DEFAULT_LIMIT = 1 << 30


@cython.final
@cython.no_gc
cdef class _Block:
    """One piece of host memory of the pool."""

    cdef void* ptr
    cdef size_t capacity
    cdef CUcontext context      # that it is page-locked in; null while it is pageable

    def __dealloc__(self):
        if self.context != NULL and not is_exiting():
            cuCtxPushCurrent(self.context)
            # It may wait for the device, and the device for a function of Python (see host_calls.pyx).
            with nogil:
                cuMemHostUnregister(self.ptr)
            cuCtxPopCurrent(&self.context)
        free(self.ptr)

    cdef bint pin(self) except -1:
        """Page-lock the block; return False if the driver refuses."""
        cdef CUcontext context
        cdef CUresult result
        if self.context == NULL:
            context = primary_context(index_of(None))
            use_context(context)
            with nogil:
                result = cuMemHostRegister(self.ptr, self.capacity, 1)
            if result != 0:
                return False
            self.context = context
        return True


@cython.final
@cython.no_gc
cdef class _HostMemory:
    """The base of a NumPy array over a block; its deallocation returns the block to the pool."""

    cdef PinnedMemoryPool pool
    cdef _Block block
    cdef size_t nbytes

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.block.ptr, self.nbytes, 0, flags)

    def __dealloc__(self):
        if self.pool is not None:
            self.pool.give_back(self.block)


cdef class _Pooled:
    """What owns memory of the pool behind a `PinnedMemoryPointer`."""

    cdef _HostMemory memory

    def __init__(self, _HostMemory memory not None):
        self.memory = memory

    @property
    def ptr(self):
        """The address, an integer."""
        return <uintptr_t>self.memory.block.ptr

    @property
    def size(self):
        """Bytes."""
        return self.memory.nbytes


cdef class PinnedMemoryPool:
    """Page-locked host memory, kept for reuse.

    Parameters
    ----------
    limit : int or str, optional
        The most memory the pool holds, used and kept: bytes, ``"4GiB"`` or ``"50%"`` of the host's.
        By default ``GPUNP_PINNED_LIMIT``, else 1 GiB. Beyond it arrays get ordinary memory.
    """

    cdef size_t limit_, used, cached
    cdef list kept

    def __init__(self, limit=None):
        if limit is None:
            limit = os.environ.get("GPUNP_PINNED_LIMIT", "").strip() or DEFAULT_LIMIT
        self.kept = []
        self.set_limit(limit)

    cdef _HostMemory take(self, size_t nbytes, bint pin_now):
        """Take memory for ``nbytes`` bytes; None beyond the limit or if the host has none."""
        cdef _Block block = None, candidate
        cdef _HostMemory memory
        cdef size_t capacity = (nbytes + PAGE - 1) // PAGE * PAGE
        # Best fit, but no block that is more than a quarter too large.
        for candidate in self.kept:
            if capacity <= candidate.capacity <= capacity + capacity // 4 and (
                    block is None or candidate.capacity < block.capacity):
                block = candidate
        if block is not None:
            self.kept.remove(block)
            self.cached -= block.capacity
            self.used += block.capacity
            pin_now = True
        else:
            while self.kept and self.used + self.cached + capacity > self.limit_:
                # Other threads may run while a block is freed.
                self.cached -= (<_Block>self.kept[0]).capacity
                self.kept.pop(0)
            if self.used + capacity > self.limit_:
                return None
            block = _Block.__new__(_Block)
            block.ptr = gpunp_huge_alloc(capacity)
            if block.ptr == NULL:
                return None
            block.capacity = capacity
            self.used += capacity
        memory = _HostMemory.__new__(_HostMemory)
        memory.pool = self
        memory.block = block
        memory.nbytes = nbytes
        if pin_now:
            block.pin()
        return memory

    cdef void give_back(self, _Block block) noexcept:
        self.used -= block.capacity
        if not is_exiting() and self.used + self.cached + block.capacity <= self.limit_:
            self.cached += block.capacity
            self.kept.append(block)

    def set_limit(self, limit):
        """Set the most memory that the pool holds; 0 turns it off.

        Parameters
        ----------
        limit : int or str
            Bytes, or a text such as ``"4GiB"`` or ``"50%"`` of the host's memory.

        Raises
        ------
        ValueError
            If the limit is not understood, or negative.
        """
        host = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.limit_ = parse_limit(limit, host)

    def free_all_blocks(self):
        """Return all memory that no array uses to the system."""
        # Other threads may return blocks while these are freed.
        kept, self.kept = self.kept, []
        self.cached = 0
        kept.clear()

    def get_limit(self):
        """Return the most memory that the pool holds.

        Returns
        -------
        int
            Bytes.
        """
        return self.limit_

    def n_free_blocks(self):
        """Return how many blocks are kept for the next array.

        Returns
        -------
        int
        """
        return len(self.kept)

    def used_bytes(self):
        """Return the size of the blocks that living arrays use.

        Returns
        -------
        int
            Bytes.
        """
        return self.used

    def cached_bytes(self):
        """Return the size of the blocks that are kept for the next array.

        Returns
        -------
        int
            Bytes.
        """
        return self.cached

    def malloc(self, nbytes):
        """Allocate page-locked memory.

        Parameters
        ----------
        nbytes : int

        Returns
        -------
        PinnedMemoryPointer
            The memory returns to the pool when the last reference to it is gone. It is page-locked beyond the limit of
            the pool, too; the pool does not keep it then.

        Raises
        ------
        MemoryError
            If the host has not so much.
        """
        from gpunp.cuda.pinned_memory import PinnedMemoryPointer, pooled
        cdef _HostMemory memory = None
        cdef size_t count = size_of(nbytes, "PinnedMemoryPool.malloc")
        if count:
            memory = self.take(count, True)
        if memory is None or memory.block.context == NULL:
            return pooled(count)
        return PinnedMemoryPointer(_Pooled(memory), 0)

    def free(self, mem=None, size=None):
        """Do nothing: memory returns to the pool when the last reference to it is gone.

        Parameters
        ----------
        mem : PinnedMemoryPointer, optional
        size : int, optional
        """

    def empty(self, shape, dtype=float):
        """An uninitialized NumPy array over memory of the pool, page-locked at once.

        Parameters
        ----------
        shape : int or tuple of ints
        dtype : data-type, optional
            By default float64.

        Returns
        -------
        numpy.ndarray
            Writable, in C order.
        """
        return _array(self, _as_shape(shape), numpy.dtype(dtype), True)

    def __repr__(self):
        return f"<PinnedMemoryPool, {self.used:,} bytes used, {self.cached:,} kept, limit {self.limit_:,}>"


cdef PinnedMemoryPool _pool = None


cdef tuple _as_shape(object shape):
    return tuple(shape) if hasattr(shape, "__iter__") else (shape,)


cdef object _array(PinnedMemoryPool pool, tuple shape, object dtype, bint pin_now):
    cdef _HostMemory memory = None
    cdef object nbytes = dtype.itemsize
    for extent in shape:
        nbytes *= extent
    # Invalid shapes and object dtypes are left to numpy.empty, which raises its own errors.
    if nbytes >= (1 if pin_now else SMALLEST) and not dtype.hasobject and min(shape, default=0) >= 0:
        memory = pool.take(nbytes, pin_now)
    if memory is None:
        return numpy.empty(shape, dtype)
    return numpy.ndarray(shape, dtype, memory)


cdef object host_array(tuple shape, object dtype, bint pin_now):
    return _array(get_default_pinned_memory_pool(), shape, dtype, pin_now)


def get_default_pinned_memory_pool():
    """Return the pool of host memory that large downloads come from.

    Returns
    -------
    PinnedMemoryPool
    """
    global _pool
    if _pool is None:
        pool = PinnedMemoryPool()
        # Creating it ran Python code, during which another thread may have set it.
        if _pool is None:
            _pool = pool
    return _pool


def pinned_empty(shape, dtype=float):
    """An uninitialized NumPy array in page-locked memory, the fastest to copy to and from a device.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    dtype : dtype, default float
        Element type.

    Returns
    -------
    numpy.ndarray
        In ordinary memory where the pool's limit is reached.
    """
    return host_array(_as_shape(shape), numpy.dtype(dtype), True)
