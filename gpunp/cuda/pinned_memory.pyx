"""Page-locked host memory: blocks of it, and pointers into it."""
import operator

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUcontext, CUresult, cuCtxPopCurrent, cuCtxPushCurrent, cuMemFreeHost, cuMemHostAlloc)

from gpunp.cuda.driver cimport check, index_of, is_exiting, primary_context, use_context
from gpunp.cuda.memory_blocks cimport size_of

from gpunp.cuda.pinned import get_default_pinned_memory_pool

cdef object _allocator = None


cdef class PinnedMemory:
    """Page-locked host memory that the driver allocates.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int, default 0
        The sum of ``gpunp.cuda.runtime.hostAllocPortable`` (1), ``...Mapped`` (2) and ``...WriteCombined`` (4).

    Raises
    ------
    MemoryError
        If the host has not so much.
    """

    cdef void* place
    cdef CUcontext context
    cdef readonly size_t size

    def __init__(self, size, unsigned int flags=0):
        cdef CUresult result
        self.size = size_of(size, "PinnedMemory")
        self.context = primary_context(index_of(None))
        if self.size:
            use_context(self.context)
            with nogil:
                result = cuMemHostAlloc(&self.place, self.size, flags)
            if result == CUresult.CUDA_ERROR_OUT_OF_MEMORY:
                raise MemoryError(f"PinnedMemory: the host has no {self.size:,} bytes that can be page-locked")
            check(result, "cuMemHostAlloc")

    def __dealloc__(self):
        cdef CUcontext context = NULL
        if self.place != NULL and not is_exiting():
            cuCtxPushCurrent(self.context)
            with nogil:
                cuMemFreeHost(self.place)
            cuCtxPopCurrent(&context)

    @property
    def ptr(self):
        """The address, an integer; 0 if there are no bytes."""
        return <uintptr_t>self.place

    def __repr__(self):
        return f"<PinnedMemory of {self.size} bytes at {<uintptr_t>self.place:#x}>"


cdef class PinnedMemoryPointer:
    """A position in page-locked host memory, which it keeps alive; ``numpy.frombuffer`` takes it.

    Parameters
    ----------
    mem : PinnedMemory or other memory
        What owns the memory, with the attributes ``ptr`` and ``size``.
    offset : int, default 0
        The position in bytes from its beginning.

    Attributes
    ----------
    mem : object
    offset : int
    """

    cdef readonly object mem
    cdef readonly size_t offset

    def __init__(self, mem not None, offset=0):
        offset = operator.index(offset)
        if not 0 <= offset <= mem.size:
            raise ValueError(f"PinnedMemoryPointer: the offset {offset} is outside of the memory of {mem.size} bytes")
        self.mem, self.offset = mem, offset

    def __getbuffer__(self, Py_buffer* view, int flags):
        cdef uintptr_t address = self.mem.ptr
        PyBuffer_FillInfo(view, self, <char*>address + self.offset, self.mem.size - self.offset, 0, flags)

    @property
    def ptr(self):
        """The address, an integer."""
        return self.mem.ptr + self.offset

    def size(self):
        """Bytes from the pointer to the end of the memory.

        Returns
        -------
        int
        """
        return self.mem.size - self.offset

    def __int__(self):
        return self.ptr

    def __add__(self, distance):
        return PinnedMemoryPointer(self.mem, self.offset + operator.index(distance))

    def __radd__(self, distance):
        return PinnedMemoryPointer(self.mem, self.offset + operator.index(distance))

    def __sub__(self, distance):
        return PinnedMemoryPointer(self.mem, self.offset - operator.index(distance))

    def __repr__(self):
        return f"<PinnedMemoryPointer to {self.ptr:#x}>"


def pooled(nbytes):
    """Page-locked memory outside of the pool, whose limit is reached."""
    return PinnedMemoryPointer(PinnedMemory(nbytes), 0)


def alloc_pinned_memory(size):
    """Allocate page-locked host memory from the current allocator, by default the pool.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    PinnedMemoryPointer

    Raises
    ------
    MemoryError
        If the host has not so much.
    """
    if _allocator is not None:
        memory = _allocator(size)
        if type(getattr(memory, "ptr", None)) is not int:
            raise TypeError("alloc_pinned_memory: the allocator must return an object with an integer .ptr, not "
                            f"{type(memory).__name__}")
        return memory
    return get_default_pinned_memory_pool().malloc(size)


def set_pinned_memory_allocator(allocator=None):
    """Choose where `alloc_pinned_memory` gets memory from.

    Parameters
    ----------
    allocator : callable, optional
        Takes a size in bytes and returns a `PinnedMemoryPointer`; by default the pool.

    Raises
    ------
    TypeError
        If the allocator is not callable.
    """
    global _allocator
    if allocator is not None and not callable(allocator):
        raise TypeError(f"set_pinned_memory_allocator: a callable or None is needed, not {type(allocator).__name__}")
    _allocator = allocator
