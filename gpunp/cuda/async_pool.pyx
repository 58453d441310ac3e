"""The driver's own pools of memory, as allocators."""
import operator

from libc.stdint cimport uint64_t, uintptr_t
from cuda.bindings.cydriver cimport (
    CUdevice, CUdeviceptr, CUmemPool_attribute, CUmemoryPool, CUresult, cuDeviceGet, cuDeviceGetDefaultMemPool,
    cuDeviceGetMemPool, cuMemAllocFromPoolAsync, cuMemGetInfo, cuMemPoolGetAttribute, cuMemPoolTrimTo)

from gpunp.cuda.driver cimport check, index_of, is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.memory_blocks cimport BaseMemory, free_in_order, size_of
from gpunp.cuda.pointers cimport beginning_of
from gpunp.cuda.pool cimport captures
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport Stream, current_stream, refuse_capture
from gpunp.pooling cimport observed, tell

from gpunp.cuda.driver import device_count
from gpunp.memory_limits import choose_limit
from gpunp.cuda.stream import as_stream


cdef class _PoolMemory(BaseMemory):
    """Memory of one of the driver's pools."""

    cdef Stream stream
    cdef MemoryAsyncPool pool

    def __dealloc__(self):
        if self.owned and not is_exiting():
            self.pool.used[self.device_id] -= self.size
            free_in_order(self.place, self.stream)


cdef class MemoryAsyncPool:
    """The driver's pools of memory, one per device, in the order of streams.

    Parameters
    ----------
    pool_handles : {"current", "default"}, int or sequence of int, default "current"
        The pool of each device: the one that is set for the device, its default pool, or the handles of pools.

    Notes
    -----
    ``set_allocator(MemoryAsyncPool().malloc)`` makes arrays use them. Other libraries of the process may use the same
    pools. The default pool of gpunp is a pool of the driver, too, in front of which streams keep small blocks; it is
    faster.
    """

    cdef list handles
    cdef list used
    cdef list limits

    def __init__(self, pool_handles="current"):
        cdef int count = device_count(), i
        self.used = [0] * count
        self.limits = [0] * count
        if isinstance(pool_handles, str):
            if pool_handles not in ("current", "default"):
                raise ValueError("MemoryAsyncPool: pool_handles is 'current', 'default' or handles, not "
                                 f"{pool_handles!r}")
            given = [_handle_of(i, pool_handles == "default") for i in range(count)]
        elif isinstance(pool_handles, int):
            given = [pool_handles]
        else:
            given = [operator.index(handle) for handle in pool_handles]
        if len(given) != count:
            raise ValueError(f"MemoryAsyncPool: there are {count} devices and {len(given)} handles of pools; give one "
                             "for each device")
        self.handles = given

    def malloc(self, size):
        """Allocate memory on the current device, in the order of the current stream.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer

        Raises
        ------
        MemoryError
            If there is not that much memory, or the limit is reached.
        """
        cdef _PoolMemory memory = _PoolMemory.__new__(_PoolMemory)
        cdef CUdeviceptr pointer = 0
        cdef CUresult result
        cdef int index = index_of(None)
        cdef Stream stream = current_stream(index)
        cdef size_t count = size_of(size, "MemoryAsyncPool.malloc")
        if stream.capture is not None:
            refuse_capture(stream, "MemoryAsyncPool.malloc", "allocates from the pool of the driver; memory of a graph "
                           "comes from gpunp.cuda.alloc")
        memory.device_id, memory.size, memory.stream, memory.pool = index, count, stream, self
        if count == 0:
            return beginning_of(memory, index)
        if observed:
            tell("alloc_preprocess", index, count, count, NULL)
        if self.limits[index] and self.used[index] + count > self.limits[index]:
            raise self.out_of_memory(index, count)
        use_context(primary_context(index))
        result = unlocked(host_calls.existing, cuMemAllocFromPoolAsync, &pointer, count, self.handle(index),
                          stream.handle)
        if result == CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise self.out_of_memory(index, count)
        check(result, "cuMemAllocFromPoolAsync")
        memory.place, memory.owned = pointer, True
        self.used[index] += count
        if observed:
            tell("alloc_postprocess", index, count, count, <void*>pointer)
        return beginning_of(memory, index)

    cdef CUmemoryPool handle(self, int index) except? NULL:
        cdef uintptr_t number = self.handles[index]
        return <CUmemoryPool>number

    cdef object out_of_memory(self, int index, object size):
        limit = f"{self.limits[index]:,}" if self.limits[index] else "none"
        return MemoryError(f"out of memory on cuda:{index}: requested {size:,} bytes, used {self.used[index]:,} of "
                           f"this MemoryAsyncPool, limit {limit}. Delete arrays, or raise the limit "
                           "(MemoryAsyncPool.set_limit)")

    cdef object attribute(self, CUmemPool_attribute which):
        cdef uint64_t value = 0
        check(cuMemPoolGetAttribute(self.handle(index_of(None)), which, &value), "cuMemPoolGetAttribute")
        return value

    def free_all_blocks(self, stream=None):
        """Return memory that is not in use to the system, for the current device; waits for a stream.

        Parameters
        ----------
        stream : Stream, optional
            The current one by default.
        """
        if captures:
            raise RuntimeError("free_all_blocks: a graph is being captured, so that the device cannot be waited for; "
                               "call it before or after the capture")
        as_stream(stream).synchronize()
        check(unlocked(host_calls.existing, cuMemPoolTrimTo, self.handle(index_of(None)), 0), "cuMemPoolTrimTo")

    def n_free_blocks(self):
        """Raise NotImplementedError: the driver does not tell the number of free blocks.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError("MemoryAsyncPool.n_free_blocks: the driver does not tell the number of free blocks; "
                                  "free_bytes() has their size")

    def used_bytes(self):
        """The bytes of the pool of the current device that are in use, also by other libraries.

        Returns
        -------
        int
        """
        return self.attribute(CUmemPool_attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT)

    def total_bytes(self):
        """The bytes that the pool of the current device reserves, in use or not.

        Returns
        -------
        int
        """
        return self.attribute(CUmemPool_attribute.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)

    def free_bytes(self):
        """The bytes that the pool of the current device reserves and that are not in use.

        Returns
        -------
        int
        """
        return self.total_bytes() - self.used_bytes()

    def set_limit(self, size=None, fraction=None):
        """Set the most memory that this object hands out on the current device; there is none by default.

        Parameters
        ----------
        size : int or str, optional
            Bytes, or text such as ``"4GiB"`` or ``"50%"`` of the device's memory; 0 for no limit.
        fraction : float, optional
            A fraction of the device's memory, between 0 and 1, instead of ``size``.
        """
        cdef size_t free_bytes = 0, total = 0
        cdef int index = index_of(None)
        use_context(primary_context(index))
        check(cuMemGetInfo(&free_bytes, &total), "cuMemGetInfo")
        self.limits[index] = choose_limit(size, fraction, total)

    def get_limit(self):
        """The most memory that this object hands out on the current device.

        Returns
        -------
        int
            Bytes; 0 means no limit.
        """
        return self.limits[index_of(None)]

    @property
    def memoryAsyncHasStat(self):
        """Whether the driver tells the bytes in use; always True with CUDA 13."""
        return True

    def __repr__(self):
        return f"<MemoryAsyncPool of {len(self.handles)} devices>"


cdef object _handle_of(int index, bint default):
    """The handle of a pool of a device: its default pool, or the one that is set for it."""
    cdef CUmemoryPool pool = NULL
    cdef CUdevice device = 0
    primary_context(index)
    check(cuDeviceGet(&device, index), "cuDeviceGet")
    if default:
        check(cuDeviceGetDefaultMemPool(&pool, device), "cuDeviceGetDefaultMemPool")
    else:
        check(cuDeviceGetMemPool(&pool, device), "cuDeviceGetMemPool")
    return <uintptr_t>pool
