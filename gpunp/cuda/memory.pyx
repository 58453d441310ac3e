"""Memory pools as programs see them: limits and statistics."""
import functools
import os

from cuda.bindings.cydriver cimport cuMemPoolTrimTo

from gpunp.cuda.driver cimport check, index_of
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.memory_blocks cimport size_of
from gpunp.cuda.pointers cimport pointer_to
from gpunp.cuda.pool cimport Pool, captures, default_pools, drop_blocks
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport NUM_BINS, Stream, streams_of
from gpunp.device import get_device


cdef class MemoryPool(Pool):
    """A pool of device memory, in stream order.

    Parameters
    ----------
    allocator : callable, optional
        Where the memory comes from: a function such as `malloc_managed` that takes a size in bytes and returns an
        object with the attribute ``ptr`` that owns the memory. By default a pool of the driver.
    device : Device or int, optional
        The current device by default; it may be the first argument.

    Notes
    -----
    Freed memory stays in the pool for the next allocation (CUDA's stream-ordered allocator with an
    unlimited release threshold); `free_all_blocks` gives it back to the system. Choose a pool of your
    own with ``gpunp.cuda.set_allocator(pool)``. A pool with an ``allocator`` keeps freed blocks of any size for the
    stream that they were used on.
    """

    def __init__(self, allocator=None, device=None):
        if allocator is not None and not callable(allocator):
            if device is not None:
                raise TypeError(f"MemoryPool: allocator must be callable, not {type(allocator).__name__}")
            allocator, device = None, allocator
        if allocator is not None:
            allocator = functools.partial(_checked_source, allocator, get_device(f"cuda:{index_of(device)}"))
        Pool.__init__(self, device, allocator)

    def malloc(self, nbytes):
        """Allocate memory on the current stream.

        Parameters
        ----------
        nbytes : int
            The least size, in bytes.

        Returns
        -------
        MemoryPointer
            The memory returns to the pool when the last reference to it is gone.

        Raises
        ------
        MemoryError
            Stating the request, the usage, the limit and the device. Existing buffers stay usable.
        ValueError
            If the size is negative.
        """
        return pointer_to(self.allocate(self.device, size_of(nbytes, "malloc")))

    def free_all_blocks(self, stream=None):
        """Return all memory that is not in use to the system; waits for the device.

        Parameters
        ----------
        stream : Stream, optional
            Free only the small blocks that this stream keeps, and unused memory of the driver's pool.
            Waits for this stream only.

        Raises
        ------
        TypeError
            If ``stream`` is neither a `Stream` nor None.
        """
        if stream is None or not self.keeps_small:
            if captures:
                raise RuntimeError("free_all_blocks: a graph is being captured, so that the device cannot be waited "
                                   "for; call it before or after the capture")
            self.recover()
            return
        drop_blocks(<Stream?>stream)
        stream.synchronize()
        check(unlocked(host_calls.existing, cuMemPoolTrimTo, self.handle, 0), "cuMemPoolTrimTo")

    def n_free_blocks(self):
        """Return how many small blocks streams keep for reuse.

        Returns
        -------
        int
            Free blocks of the driver's pool, whose number is unknown, are not counted.
        """
        cdef Stream stream
        cdef Py_ssize_t count = 0
        cdef int i
        if self.source is not None:
            return sum(map(len, self.unused.values()))
        if self.keeps_small:
            for stream in streams_of(self.device_index):
                for i in range(NUM_BINS):
                    count += stream.bins[i].count
        return count


def _checked_source(allocator, device, nbytes):
    """Memory from the allocator that a pool was made with, which allocates on the current device."""
    with device:
        memory = allocator(nbytes)
    address = getattr(memory, "ptr", None)
    if type(address) is not int:
        raise TypeError("MemoryPool: the allocator must return an object with an integer .ptr, not "
                        f"{type(memory).__name__}")
    if address == 0:
        raise MemoryError(f"MemoryPool: the allocator returned a null pointer for {nbytes:,} bytes")
    return memory


cdef MemoryPool default_pool(int device_index):
    cdef MemoryPool pool = default_pools[device_index]
    if pool is None:
        pool = MemoryPool(device=device_index)
        pool.keeps_small = True
        limit = os.environ.get("GPUNP_MEMORY_LIMIT", "").strip()
        if limit:
            pool.set_limit(limit)
        # Creating it ran Python code, during which another thread may have set it.
        if default_pools[device_index] is None:
            default_pools[device_index] = pool
    return default_pools[device_index]
