"""What the memory pools of all devices have in common: size classes, numbers, limits and hooks."""
from cpython.exc cimport PyErr_SetObject, PyErr_WriteUnraisable
from libc.stdint cimport uintptr_t
from libc.stdlib cimport realloc

from gpunp.device cimport pending_bytes_of

import warnings

from gpunp.device import get_device
from gpunp.memory_limits import choose_limit


cdef int grow(Bin* bin) noexcept:
    cdef int wanted = 2 * bin.capacity if bin.capacity else 8
    cdef void** longer = <void**>realloc(bin.items, wanted * sizeof(void*))
    if longer == NULL:
        return 0
    bin.items = longer
    bin.capacity = wanted
    return 1


observed = False
hooked = False
cdef object _observer = None
cdef tuple _hooks = ()


def set_observer(observer):
    """Set the function that memory hooks are called through; None if there are none."""
    global _observer, observed
    _observer = observer
    observed = observer is not None


cdef void print_error(object error, object where) noexcept:
    # Cython would leave the process for a SystemExit.
    PyErr_SetObject(type(error), error)
    PyErr_WriteUnraisable(where)


# Exceptions of hooks are printed, not raised, so that they cannot leak memory.
cdef void tell(str event, int device_index, size_t size, size_t mem_size, void* pointer) noexcept:
    try:
        _observer(event, device_index, size, mem_size, <uintptr_t>pointer)
    except BaseException as error:
        print_error(error, _observer)


cdef void call_hooks(str event, void* pointer, size_t nbytes, object stream) noexcept:
    for hook in _hooks:
        try:
            hook(event, <uintptr_t>pointer, nbytes, stream)
        except BaseException as error:
            print_error(error, hook)


def add_allocation_hook(hook):
    """Call a hook at every allocation and deallocation of device memory.

    Parameters
    ----------
    hook : callable
        Called as ``hook(event, pointer, nbytes, stream)``; the event is "allocate" or "free", and the stream is
        None for memory of the CPU device. Exceptions that it raises are printed.

    Raises
    ------
    TypeError
        If the hook is not callable.
    """
    global _hooks, hooked
    if not callable(hook):
        raise TypeError(f"add_allocation_hook: a callable is needed, not {type(hook).__name__}")
    _hooks = (*_hooks, hook)
    hooked = True


def remove_allocation_hook(hook):
    """Stop calling a hook that `add_allocation_hook` was given.

    Parameters
    ----------
    hook : callable

    Raises
    ------
    ValueError
        If the hook was not added, or was removed already.
    """
    global _hooks, hooked
    if hook not in _hooks:
        raise ValueError("remove_allocation_hook: this hook was not added")
    _hooks = tuple(other for other in _hooks if other is not hook)
    hooked = len(_hooks) > 0


cdef class BasePool:
    """The numbers and the limit of a memory pool."""

    cdef int drop_cached(self) except -1:
        raise NotImplementedError

    cdef size_t reserved_bytes(self) except? 0:
        raise NotImplementedError

    cdef int device_bytes(self, size_t* free_bytes, size_t* total) except -1:
        raise NotImplementedError

    cdef void tell_allocation(self, void* pointer, size_t nbytes, size_t capacity, object stream) noexcept:
        if hooked:
            call_hooks("allocate", pointer, nbytes, stream)
        if observed:
            tell("malloc_postprocess", self.device_index, nbytes, capacity, pointer)

    cdef void tell_free(self, void* pointer, size_t capacity, object stream) noexcept:
        if hooked:
            call_hooks("free", pointer, capacity, stream)
        if observed:
            tell("free_preprocess", self.device_index, capacity, capacity, pointer)
            tell("free_postprocess", self.device_index, capacity, capacity, pointer)

    cdef str place(self):
        return "cpu" if self.device_index < 0 else f"cuda:{self.device_index}"

    cdef int require_within_limit(self, size_t nbytes, size_t wanted) except -1:
        if nbytes > self.limit - min(self.limit, self.used + self.cached):
            self.drop_cached()
            if nbytes > self.limit - min(self.limit, self.used):
                raise self.out_of_memory(wanted)
        return 0

    cdef object out_of_memory(self, size_t nbytes):
        """The MemoryError with the request, the usage, the limit and the free memory, all in bytes."""
        cdef size_t free_bytes = 0, total = 0
        self.device_bytes(&free_bytes, &total)
        limit = f"{self.limit:,}" if self.limit else "none"
        variable = "GPUNP_CPU_MEMORY_LIMIT" if self.device_index < 0 else "GPUNP_MEMORY_LIMIT"
        return MemoryError(
            f"out of memory on {self.place()}: requested {nbytes:,} bytes, used {self.used:,}, "
            f"limit {limit}, {free_bytes:,} of {total:,} free on the device. Delete arrays, or raise the limit "
            f"({variable}, MemoryPool.set_limit)")

    cdef size_t room(self) except? 0:
        cdef size_t free_bytes = 0, total = 0, reserved = self.reserved_bytes()
        self.device_bytes(&free_bytes, &total)
        free_bytes += reserved - min(reserved, self.used)
        return min(free_bytes, self.limit - min(self.limit, self.used)) if self.limit else free_bytes

    def set_limit(self, size=None, fraction=None):
        """Set the most memory the pool may hand out; without arguments, there is no limit.

        Parameters
        ----------
        size : int or str, optional
            Bytes, or text such as ``"4GiB"`` or ``"50%"`` of the device's memory; 0 for no limit.
        fraction : float, optional
            A fraction of the device's memory, between 0 and 1, instead of ``size``.

        Raises
        ------
        ValueError
            If both are given, or one is invalid.
        """
        cdef size_t free_bytes = 0, total = 0
        self.device_bytes(&free_bytes, &total)
        self.limit = choose_limit(size, fraction, total)

    def get_limit(self):
        """Return the most memory the pool may hand out.

        Returns
        -------
        int
            Bytes; 0 means no limit.
        """
        return self.limit

    def reset_peak(self):
        """Reset `peak_bytes` to the bytes in use now."""
        self.peak = self.used

    @property
    def device(self):
        """The `Device` that the memory is on."""
        if self.device_ is None:
            self.device_ = get_device(self.place())
        return self.device_

    def used_bytes(self):
        """Return the size of all living buffers, rounded up to size classes.

        Returns
        -------
        int
            Bytes.
        """
        return self.used

    def pending_bytes(self):
        """Return the size of the results of deferred calls on the device that have no memory yet.

        Those that only other deferred calls read will never need memory. What the calls read is among the
        used bytes.

        Returns
        -------
        int
            Bytes.
        """
        return pending_bytes_of(self.device)

    def cached_bytes(self):
        """Return the size of the blocks that are kept for reuse in front of the system's or the driver's memory.

        Returns
        -------
        int
            Bytes.
        """
        return self.cached

    def total_bytes(self):
        """Return how much memory is reserved on the device, in use or not.

        Returns
        -------
        int
            Bytes.
        """
        return self.reserved_bytes()

    def free_bytes(self):
        """Return how much memory is reserved on the device that no buffer uses.

        Returns
        -------
        int
            Bytes.
        """
        return max(self.total_bytes() - self.used, 0)

    def peak_bytes(self):
        """Return the largest `used_bytes` so far, or since `reset_peak`.

        Returns
        -------
        int
            Bytes.
        """
        return self.peak

    def live_buffers(self):
        """Return how many buffers are alive.

        Returns
        -------
        int
        """
        return self.live_count

    def allocations(self):
        """Return how many buffers were handed out so far.

        Returns
        -------
        int
        """
        return self.total_count

    def statistics(self):
        """Return the numbers of the pool.

        Returns
        -------
        dict of str to int
            ``used_bytes``, ``peak_bytes``, ``pending_bytes``, ``cached_bytes``, ``total_bytes`` and ``limit`` in
            bytes; ``live_buffers`` and ``allocations`` are numbers of buffers.
        """
        return {"used_bytes": self.used, "peak_bytes": self.peak, "pending_bytes": self.pending_bytes(),
                "cached_bytes": self.cached, "total_bytes": self.total_bytes(), "limit": self.limit,
                "live_buffers": self.live_count, "allocations": self.total_count}

    def free_all_free(self):
        """The former name of `free_all_blocks`."""
        warnings.warn("free_all_free is the former name of free_all_blocks; call that", DeprecationWarning,
                      stacklevel=2)
        self.free_all_blocks()

    def __repr__(self):
        return f"<MemoryPool on {self.place()}, {self.used:,} bytes used, peak {self.peak:,}>"
