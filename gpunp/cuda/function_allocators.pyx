"""Allocators made from functions of the user, in Python or in C, and those of RMM and PyTorch."""
import operator

from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport CUdeviceptr, CUpointer_attribute, cuPointerGetAttribute

from gpunp.cuda.driver cimport index_of, is_exiting, primary_context, use_context
from gpunp.cuda.memory_blocks cimport BaseMemory, size_of
from gpunp.cuda.pointers cimport beginning_of
from gpunp.cuda.stream cimport Stream, current_stream, refuse_capture
from gpunp.pooling cimport observed, print_error, tell

from gpunp.cuda.driver import device_count

ctypedef void* (*AllocateFunction)(void* param, size_t size, int device_id)
ctypedef void (*FreeFunction)(void* param, void* pointer, int device_id)

# How many devices there are; 0 before it is asked.
cdef int _devices = 0


cdef class _PythonMemory(BaseMemory):
    """Memory that a Python function frees."""

    cdef object free

    def __dealloc__(self):
        if self.owned and not is_exiting():
            try:
                self.free(self.place, self.device_id)
            except BaseException as error:
                print_error(error, self.free)


cdef class _CMemory(BaseMemory):
    """Memory that a C function frees."""

    cdef CFunctionAllocator allocator

    def __dealloc__(self):
        if self.owned and not is_exiting():
            self.allocator.free(self.allocator.param, <void*><uintptr_t>self.place, self.device_id)


cdef object _pointer(BaseMemory memory, size_t size, uintptr_t address, str who):
    """The pointer to memory that was allocated; raise if there is none."""
    memory.size = size
    if address == 0 and size:
        raise MemoryError(f"{who}: the function returned a null pointer for {size:,} bytes on cuda:{memory.device_id}")
    memory.place = address
    memory.owned = address != 0
    require_device(address, memory.device_id, who)
    if observed:
        tell("alloc_postprocess", memory.device_id, size, size, <void*>address)
    return beginning_of(memory, memory.device_id)


cdef int require_device(uintptr_t address, int index, str who) except -1:
    """Raise if memory is on another device, which takes several; managed memory is on all of them."""
    global _devices
    cdef unsigned int managed = 0
    cdef int place = index
    if _devices == 0:
        _devices = device_count()
    if _devices == 1 or address == 0:
        return 0
    cuPointerGetAttribute(&place, CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, <CUdeviceptr>address)
    if place == index:
        return 0
    cuPointerGetAttribute(&managed, CUpointer_attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED, <CUdeviceptr>address)
    if not managed:
        raise ValueError(f"{who}: memory on cuda:{index} was requested, and the allocator gave some on cuda:{place}; "
                         "it must allocate on the driver's current device")
    return 0


cdef int _prepare(BaseMemory memory, object size, str who) except -1:
    size_of(size, who)
    memory.device_id = index_of(None)
    use_context(primary_context(memory.device_id))
    if observed:
        tell("alloc_preprocess", memory.device_id, size, size, NULL)
    return 0


class PythonFunctionAllocator:
    """An allocator that calls two Python functions.

    Parameters
    ----------
    malloc_func : callable
        Called as ``malloc_func(size, device_id)``; returns an address, an integer.
    free_func : callable
        Called as ``free_func(address, device_id)``. Exceptions that it raises are printed.

    Raises
    ------
    TypeError
        If one of them is not callable.
    """

    def __init__(self, malloc_func, free_func):
        for function, name in ((malloc_func, "malloc_func"), (free_func, "free_func")):
            if not callable(function):
                raise TypeError(f"PythonFunctionAllocator: {name} must be callable, not {type(function).__name__}")
        self._malloc_func, self._free_func = malloc_func, free_func

    def malloc(self, size):
        """Allocate memory on the current device.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            Its memory is freed by ``free_func`` once nothing uses it.

        Raises
        ------
        TypeError
            If ``malloc_func`` does not return an integer.
        MemoryError
            If it returns 0.
        """
        cdef _PythonMemory memory = _PythonMemory.__new__(_PythonMemory)
        _prepare(memory, size, "PythonFunctionAllocator")
        address = self._malloc_func(size, memory.device_id)
        try:
            address = operator.index(address)
        except TypeError:
            raise TypeError("PythonFunctionAllocator: malloc_func must return an address, an integer, not "
                            f"{type(address).__name__}") from None
        if address < 0:
            raise ValueError(f"PythonFunctionAllocator: malloc_func returned {address}, which is not an address")
        memory.free = self._free_func
        return _pointer(memory, size, address, "PythonFunctionAllocator")


cdef class CFunctionAllocator:
    """An allocator that calls two C functions, by their addresses.

    Parameters
    ----------
    param : int
        An address that both functions get.
    malloc_func : int
        The address of ``void* malloc(void* param, size_t size, int device_id)``.
    free_func : int
        The address of ``void free(void* param, void* pointer, int device_id)``.
    owner : object
        What keeps the functions loaded; kept alive with the memory.

    Raises
    ------
    ValueError
        If an address of a function is 0.
    """

    cdef void* param
    cdef AllocateFunction allocate
    cdef FreeFunction free
    cdef object owner

    def __init__(self, param, malloc_func, free_func, owner):
        cdef uintptr_t place = operator.index(param)
        cdef uintptr_t first = operator.index(malloc_func), second = operator.index(free_func)
        if first == 0 or second == 0:
            raise ValueError("CFunctionAllocator: the address of a function is 0; pass ctypes.cast(f, c_void_p).value")
        self.param = <void*>place
        self.allocate = <AllocateFunction>first
        self.free = <FreeFunction>second
        self.owner = owner

    def malloc(self, size):
        """Allocate memory on the current device.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            Its memory is freed by the second function once nothing uses it.

        Raises
        ------
        MemoryError
            If the first function returns a null pointer.
        """
        cdef _CMemory memory = _CMemory.__new__(_CMemory)
        cdef void* pointer
        _prepare(memory, size, "CFunctionAllocator")
        pointer = self.allocate(self.param, size, memory.device_id)
        memory.allocator = self
        return _pointer(memory, size, <uintptr_t>pointer, "CFunctionAllocator")


cdef class _RmmMemory(BaseMemory):
    """Memory of a buffer of RMM, which frees it in the order of its stream."""

    cdef object buffer


cdef class _TorchMemory(BaseMemory):
    """Memory of PyTorch's allocator."""

    def __dealloc__(self):
        if self.owned and not is_exiting():
            _torch_delete(self.place)


cdef object _rmm_buffer = None, _rmm_stream = None
cdef object _torch_alloc = None, _torch_delete = None, _torch_exhausted = None


cdef Stream _prepare_in_order(BaseMemory memory, object size, str who):
    """Prepare memory of another library; return the current stream, in whose order it is allocated and freed."""
    cdef Stream stream
    _prepare(memory, size, who)
    stream = current_stream(memory.device_id)
    if stream.capture is not None:
        refuse_capture(stream, who, "allocates memory of another library; memory of a graph comes from "
                       "gpunp.cuda.alloc")
    return stream


def rmm_allocator(size):
    """Allocate from RMM's memory resource of the current device, in the order of the current stream.

    An allocator for `set_allocator`: arrays then share the pool of other libraries that use RMM.

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
        If RMM does not have that much memory.
    """
    global _rmm_buffer, _rmm_stream
    cdef _RmmMemory memory = _RmmMemory.__new__(_RmmMemory)
    cdef Stream stream = _prepare_in_order(memory, size, "rmm_allocator")
    if _rmm_buffer is None:
        from rmm import DeviceBuffer
        from rmm.pylibrmm.stream import Stream as rmm_stream
        _rmm_buffer, _rmm_stream = DeviceBuffer, rmm_stream
    if stream.handle == NULL:
        memory.buffer = _rmm_buffer(size=size)
    else:
        memory.buffer = _rmm_buffer(size=size, stream=_rmm_stream(stream))
    return _pointer(memory, size, memory.buffer.ptr, "rmm_allocator")


def torch_allocator(size):
    """Allocate from PyTorch's caching allocator, in the order of the current stream of gpunp.

    An allocator for `set_allocator`: arrays then share what PyTorch keeps.

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
        If PyTorch does not have that much memory.
    """
    global _torch_alloc, _torch_delete, _torch_exhausted
    cdef _TorchMemory memory = _TorchMemory.__new__(_TorchMemory)
    cdef Stream stream = _prepare_in_order(memory, size, "torch_allocator")
    if size == 0:
        return _pointer(memory, 0, 0, "torch_allocator")
    if _torch_delete is None:
        import torch
        _torch_alloc, _torch_exhausted = torch.cuda.caching_allocator_alloc, torch.cuda.OutOfMemoryError
        _torch_delete = torch.cuda.caching_allocator_delete
    try:
        address = _torch_alloc(size, memory.device_id, <uintptr_t>stream.handle)
    except _torch_exhausted as error:
        raise MemoryError(f"torch_allocator: PyTorch has no {size:,} bytes on cuda:{memory.device_id}: "
                          f"{error}") from None
    return _pointer(memory, size, address, "torch_allocator")
