"""Which pool or allocator a device's memory comes from."""
import threading

from cpython.object cimport PyObject
from libc.stdint cimport uintptr_t

from gpunp.cuda.driver cimport MAX_DEVICES, index_of, primary_context, use_context
from gpunp.cuda.memory cimport MemoryPool, default_pool
from gpunp.cuda.memory_blocks cimport BaseMemory, size_of
from gpunp.cuda.pointers cimport MemoryPointer, pointer_to
from gpunp.cuda.pool cimport CudaBuffer, pool_hooks
from gpunp.cuda.stream cimport Stream, current_stream
from gpunp.device cimport Buffer, Device, current_device

cdef extern from *:
    """
    // The allocator that this thread chose with `using_allocator`, or null; _local has the reference.
    static thread_local PyObject* gpunp_thread_allocator = NULL;
    """
    PyObject* gpunp_thread_allocator

cdef enum:
    # Kernels read this many bytes at once.
    ALIGNMENT = 16

cdef list _pools = [None] * MAX_DEVICES
cdef object _allocator = None
cdef object _local = threading.local()


cdef int open_pool(int device_index) except -1:
    pool = default_pool(device_index)
    if _pools[device_index] is None:
        _pools[device_index] = pool
    return 0


cdef Buffer allocate_on(Device device, size_t nbytes):
    if gpunp_thread_allocator != NULL:
        return _allocate_outside(<object>gpunp_thread_allocator, device, nbytes)
    if _allocator is not None:
        return _allocate_outside(_allocator, device, nbytes)
    return (<MemoryPool>_pools[device.index]).allocate(device, nbytes)


cdef size_t room_on(Device device) except? 0:
    return (<MemoryPool>_pools[device.index]).room()


cdef Buffer _allocate_outside(object allocator, Device device, size_t nbytes):
    """Wrap memory from the user's allocator, keeping its object alive; return a pool's buffer as it is."""
    cdef CudaBuffer buffer
    cdef MemoryPointer pointer
    cdef Stream stream = current_stream(device.index)
    if stream.capture is not None:
        # The memory of a graph must live as long as the graph.
        return pool_hooks.allocate(stream.capture, <MemoryPool>_pools[device.index], device, nbytes)
    if isinstance(allocator, MemoryPool):
        if (<MemoryPool>allocator).device_index == device.index:
            return (<MemoryPool>allocator).allocate(device, nbytes)
        return (<MemoryPool>_pools[device.index]).allocate(device, nbytes)
    if device is current_device():
        use_context(primary_context(device.index))
        memory = allocator(nbytes)
    else:
        # Functions such as `malloc_managed` allocate on the current device.
        with device:
            use_context(primary_context(device.index))
            memory = allocator(nbytes)
    found = memory
    if isinstance(memory, MemoryPointer):
        pointer = memory
        if pointer.offset == 0:
            # Of a pool of gpunp, or what it points into.
            found = pointer.mem
            if isinstance(found, BaseMemory):
                memory = found
    if isinstance(found, CudaBuffer):
        buffer = found
        if buffer.device is not device or buffer.nbytes < nbytes:
            raise ValueError(f"set_allocator: {nbytes} bytes on {device} were requested, but the allocator gave "
                             f"{buffer.nbytes} on {buffer.device}")
        return buffer
    buffer = CudaBuffer.__new__(CudaBuffer)
    buffer.ptr = <void*>_checked_address(memory, device, nbytes)
    buffer.owner = memory
    buffer.nbytes = nbytes
    buffer.device = device
    return buffer


cdef uintptr_t _checked_address(object memory, Device device, size_t nbytes) except? 0:
    """The address of memory from the user's allocator, unless it cannot be what was asked for."""
    cdef BaseMemory known
    if isinstance(memory, BaseMemory):
        known = memory
        if (known.place != 0 and known.place % ALIGNMENT == 0 and known.size >= nbytes
                and known.device_id == device.index):
            return known.place
    address = getattr(memory, "ptr", None)
    if type(address) is not int:
        what = "None" if address is None else f"a {type(address).__name__} there"
        raise TypeError(f"set_allocator: the allocator must return an object with .ptr, an integer, not {what} of "
                        f"{type(memory).__name__}")
    if address == 0 and nbytes:
        raise MemoryError(f"set_allocator: the allocator returned a null pointer for {nbytes:,} bytes on {device}")
    if address < 0 or address % ALIGNMENT:
        raise ValueError(f"set_allocator: the allocator returned the address {address:#x}, which is not a multiple of "
                         f"{ALIGNMENT} bytes")
    size = getattr(memory, "size", None)
    if type(size) is int and size < nbytes:
        raise ValueError(f"set_allocator: {nbytes} bytes on {device} were requested, but the allocator gave {size}")
    place = getattr(memory, "device_id", device.index)
    if place != device.index:
        raise ValueError(f"set_allocator: {nbytes} bytes on {device} were requested, but the allocator gave memory on "
                         f"cuda:{place}")
    return address


def get_default_memory_pool(device=None):
    """Return the pool that arrays of a device come from unless another one was chosen.

    Parameters
    ----------
    device : Device or int, optional
        The current device by default.

    Returns
    -------
    MemoryPool
    """
    return default_pool(index_of(device))


cdef object _known_pool(object allocator):
    """A MemoryPool for one of its methods ``malloc``; others as they are."""
    owner = getattr(allocator, "__self__", None)
    return owner if isinstance(owner, MemoryPool) and allocator == owner.malloc else allocator


def set_allocator(allocator=None):
    """Choose where device memory comes from.

    Parameters
    ----------
    allocator : MemoryPool or callable, optional
        A pool or its method ``malloc``, for the pool's device; a callable that takes a size in bytes and
        returns a pool's buffer, or an object with the attribute ``ptr`` that owns the memory
        (as `rmm_allocator` does); or None for the default pools.

    Raises
    ------
    RuntimeError
        In a block of `using_allocator`.
    TypeError
        If the allocator is neither.
    """
    global _allocator
    cdef int i
    if gpunp_thread_allocator != NULL:
        raise RuntimeError("set_allocator: this thread is in a block of using_allocator; leave it first")
    allocator = _known_pool(allocator)
    if isinstance(allocator, MemoryPool):
        _pools[(<MemoryPool>allocator).device_index] = allocator
        _allocator = None
    elif allocator is None:
        for i in range(MAX_DEVICES):
            _pools[i] = None if _pools[i] is None else default_pool(i)
        _allocator = None
    elif callable(allocator):
        _allocator = allocator
    else:
        raise TypeError("set_allocator: a MemoryPool, a callable or None is needed, not "
                        f"{type(allocator).__name__}")


def get_allocator():
    """Return the function that memory of the current device comes from: what `alloc` calls.

    Returns
    -------
    callable
        What `set_allocator` or `using_allocator` was given, or the method ``malloc`` of a pool.
    """
    cdef object found = _allocator
    if gpunp_thread_allocator != NULL:
        found = <object>gpunp_thread_allocator
    if found is None:
        index = index_of(None)
        found = default_pool(index) if _pools[index] is None else _pools[index]
    return found.malloc if isinstance(found, MemoryPool) else found


cdef class using_allocator:
    """Context manager that chooses where memory comes from in this thread.

    Parameters
    ----------
    allocator : MemoryPool or callable, optional
        As for `set_allocator`; None is the default pool of the current device.

    Raises
    ------
    TypeError
        If the allocator is neither.
    """

    cdef object chosen

    def __init__(self, allocator=None):
        allocator = default_pool(index_of(None)) if allocator is None else _known_pool(allocator)
        if not isinstance(allocator, MemoryPool) and not callable(allocator):
            raise TypeError("using_allocator: a MemoryPool, a callable or None is needed, not "
                            f"{type(allocator).__name__}")
        self.chosen = allocator

    def __enter__(self):
        cdef _ThreadAllocators stack = getattr(_local, "stack", None)
        if stack is None:
            stack = _local.stack = _ThreadAllocators()
        stack.push(self.chosen)

    def __exit__(self, *exc):
        (<_ThreadAllocators?>_local.stack).pop()


cdef class _ThreadAllocators:
    """The allocators that a thread chose; deallocated with the thread, before its C thread-locals are reused."""

    cdef list chosen

    def __cinit__(self):
        self.chosen = []

    def __dealloc__(self):
        global gpunp_thread_allocator
        gpunp_thread_allocator = NULL

    cdef void push(self, object allocator):
        global gpunp_thread_allocator
        self.chosen.append(allocator)
        gpunp_thread_allocator = <PyObject*>allocator

    cdef void pop(self):
        global gpunp_thread_allocator
        cdef object last
        gpunp_thread_allocator = NULL
        self.chosen.pop()
        if self.chosen:
            last = self.chosen[len(self.chosen) - 1]
            gpunp_thread_allocator = <PyObject*>last


def alloc(size):
    """Allocate memory on the current device from the current allocator.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        The memory is freed with the last reference to it.

    Raises
    ------
    MemoryError
        If there is not so much.
    """
    cdef size_t count = size_of(size, "alloc")
    cdef Device device = current_device()
    if device.is_cpu:
        raise RuntimeError("alloc: the current device is the CPU; choose a CUDA device with Device('cuda', 0).use()")
    return pointer_to(allocate_on(device, count))
