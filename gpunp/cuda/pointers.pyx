"""Pointers into device memory, which keep it alive, and copies from and to them."""
import operator

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer
from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUdeviceptr, cuMemcpyDtoDAsync, cuMemcpyDtoHAsync, cuMemcpyHtoDAsync, cuMemsetD8Async)

from gpunp.cuda.driver cimport check, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport Stream, current_stream, device_at
from gpunp.device cimport Buffer

from gpunp.cuda.stream import as_stream


cdef MemoryPointer pointer_to(Buffer buffer):
    cdef MemoryPointer pointer = MemoryPointer.__new__(MemoryPointer)
    pointer.mem = buffer
    pointer.device_ = buffer.device
    return pointer


cdef MemoryPointer beginning_of(object memory, int device_index):
    cdef MemoryPointer pointer = MemoryPointer.__new__(MemoryPointer)
    pointer.mem = memory
    pointer.device_ = device_at(device_index)
    return pointer


cdef size_t _host_address(object memory, str call) except? 0:
    """The address of host memory from an integer, a pointer of ctypes or an object with ``ptr``."""
    address = getattr(memory, "ptr", memory)
    address = getattr(address, "value", address)
    try:
        return <uintptr_t>(0 if address is None else operator.index(address))
    except TypeError:
        raise TypeError(f"{call}: host memory is given as an address, a ctypes.c_void_p or an object with .ptr, not "
                        f"{type(memory).__name__}") from None


cdef class MemoryPointer:
    """A position in memory on a device, which it keeps alive.

    Parameters
    ----------
    mem : Memory or other memory
        What owns the memory, with the attributes ``ptr``, ``size`` and ``device_id``.
    offset : int, default 0
        The position in bytes from its beginning.

    Notes
    -----
    Sums and differences with integers are pointers into the same memory. There is no use after free: memory is freed
    when its last pointer, and the last array made with ``ndarray(shape, dtype, memptr=pointer)``, are gone.
    """

    def __init__(self, mem not None, offset=0):
        size = mem.size
        offset = operator.index(offset)
        if not 0 <= offset <= size:
            raise ValueError(f"MemoryPointer: the offset {offset} is outside of the memory of {size} bytes")
        self.mem, self.offset = mem, offset
        self.device_ = device_at(mem.device_id)

    cdef size_t place(self) except? 0:
        if isinstance(self.mem, Buffer):
            return <size_t>(<Buffer>self.mem).ptr + self.offset
        return <size_t>self.mem.ptr + self.offset

    cdef size_t require_room(self, object size, str call) except? 0:
        """The size in bytes of a copy, if there are so many from here on."""
        count = operator.index(size)
        room = self.mem.size - self.offset
        if not 0 <= count <= room:
            raise ValueError(f"{call}: {count} bytes were requested, and there are {room} from the pointer on")
        return count

    @property
    def ptr(self):
        """The address, an integer."""
        return self.place()

    @property
    def address(self):
        """The same, under the name that buffers have."""
        return self.place()

    @property
    def device(self):
        """The device that the memory is on."""
        return self.device_

    @property
    def device_id(self):
        """The number of the device."""
        return self.device_.index

    @property
    def size(self):
        """Bytes from the pointer to the end of the memory."""
        return self.mem.size - self.offset

    @property
    def nbytes(self):
        """The same."""
        return self.mem.size - self.offset

    def copy_from(self, source, size=None):
        """Copy from memory of a device or of the host; queued on the current stream.

        Parameters
        ----------
        source : MemoryPointer, bytes-like, int or ctypes.c_void_p
            The memory; an address is one of the host.
        size : int, optional
            Bytes; by default all of a bytes-like object.

        Raises
        ------
        ValueError
            If the memory, or the source, has fewer bytes.
        """
        cdef Py_buffer view
        cdef size_t count
        if isinstance(source, MemoryPointer):
            self.copy_from_device(source, source.size if size is None else size)
            return
        if not PyObject_CheckBuffer(source) or hasattr(source, "contents") or hasattr(source, "value"):
            if size is None:
                raise TypeError("copy_from: an address needs the number of bytes, size=")
            self.copy_from_host(source, size)
            return
        PyObject_GetBuffer(source, &view, PyBUF_SIMPLE)
        try:
            count = self.require_room(view.len if size is None else size, "copy_from")
            if count > <size_t>view.len:
                raise ValueError(f"copy_from: {count} bytes were requested from {view.len} of the host")
            self.device_.flush()
            self.device_.copy_from_host(<void*>self.place(), view.buf, count)
        finally:
            PyBuffer_Release(&view)

    def copy_to(self, target):
        """Copy to host memory, and wait for the copy.

        Parameters
        ----------
        target : writable bytes-like
            It is filled.

        Raises
        ------
        ValueError
            If the target is larger than the memory from the pointer on.
        """
        cdef Py_buffer view
        PyObject_GetBuffer(target, &view, PyBUF_SIMPLE | PyBUF_WRITABLE)
        try:
            self.require_room(view.len, "copy_to")
            self.device_.copy_to_host(view.buf, <void*>self.place(), view.len)
        finally:
            PyBuffer_Release(&view)

    def copy_from_device(self, MemoryPointer src not None, size):
        """Copy from memory of the same device or another one, in the order of the current stream.

        Parameters
        ----------
        src : MemoryPointer
        size : int
            Bytes.
        """
        self.copy_from_device_async(src, size, None)

    def copy_from_device_async(self, MemoryPointer src not None, size, stream=None):
        """Copy from memory of the same device or another one, on a stream.

        Parameters
        ----------
        src : MemoryPointer
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        cdef size_t count = self.require_room(size, "copy_from_device")
        cdef Stream queue = self.queue(stream)
        src.require_room(size, "copy_from_device")
        self.device_.flush()
        src.device_.flush()
        use_context(primary_context(self.device_.index))
        if count:
            # With unified addressing, the driver finds the device of each address.
            check(unlocked(host_calls.existing, cuMemcpyDtoDAsync, <CUdeviceptr>self.place(),
                           <CUdeviceptr>src.place(), count, queue.handle), "cuMemcpyDtoDAsync")

    def copy_from_host(self, mem, size):
        """Copy from host memory, which may change as soon as this returns.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or object with ``ptr``
            Its address.
        size : int
            Bytes.
        """
        cdef size_t count = self.require_room(size, "copy_from_host")
        cdef size_t source = _host_address(mem, "copy_from_host")
        self.device_.flush()
        self.device_.copy_from_host(<void*>self.place(), <const void*>source, count)

    def copy_from_host_async(self, mem, size, stream=None):
        """Copy from host memory on a stream; page-locked memory must not change before the copy has run.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or object with ``ptr``
            Its address.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        cdef size_t count = self.require_room(size, "copy_from_host_async")
        cdef size_t source = _host_address(mem, "copy_from_host_async")
        cdef Stream queue = self.queue(stream)
        self.device_.flush()
        use_context(primary_context(self.device_.index))
        if count:
            check(unlocked(host_calls.existing, cuMemcpyHtoDAsync, <CUdeviceptr>self.place(),
                           <const void*>source, count, queue.handle), "cuMemcpyHtoDAsync")

    def copy_from_async(self, mem, size, stream=None):
        """Copy from memory of a device or of the host, on a stream.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes.c_void_p or object with ``ptr``
            The memory; an address is one of the host.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def copy_to_host(self, mem, size):
        """Copy to host memory, and wait for the copy.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or object with ``ptr``
            Its address.
        size : int
            Bytes.
        """
        cdef size_t count = self.require_room(size, "copy_to_host")
        self.device_.copy_to_host(<void*>_host_address(mem, "copy_to_host"), <void*>self.place(), count)

    def copy_to_host_async(self, mem, size, stream=None):
        """Copy to host memory on a stream; the memory is filled once the copy has run.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or object with ``ptr``
            Its address.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        cdef size_t count = self.require_room(size, "copy_to_host_async")
        cdef size_t target = _host_address(mem, "copy_to_host_async")
        cdef Stream queue = self.queue(stream)
        self.device_.flush()
        use_context(primary_context(self.device_.index))
        if count:
            check(unlocked(host_calls.existing, cuMemcpyDtoHAsync, <void*>target, <CUdeviceptr>self.place(), count,
                           queue.handle), "cuMemcpyDtoHAsync")

    def memset(self, value, size):
        """Set bytes; queued on the current stream.

        Parameters
        ----------
        value : int
            Of each byte.
        size : int
            Bytes.
        """
        self.memset_async(value, size, None)

    def memset_async(self, value, size, stream=None):
        """Set bytes on a stream.

        Parameters
        ----------
        value : int
            Of each byte.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        cdef size_t count = self.require_room(size, "memset")
        cdef unsigned char byte = operator.index(value) & 255
        cdef Stream queue = self.queue(stream)
        self.device_.flush()
        use_context(primary_context(self.device_.index))
        if count:
            check(unlocked(host_calls.existing, cuMemsetD8Async, <CUdeviceptr>self.place(), byte, count, queue.handle),
                  "cuMemsetD8Async")

    cdef Stream queue(self, object stream):
        """The stream of a copy, which must be on the device of the memory."""
        cdef Stream found
        if stream is None:
            return current_stream(self.device_.index)
        found = as_stream(stream, self.device_)
        if found.device_index != self.device_.index:
            raise ValueError(f"the stream is on cuda:{found.device_index} and the memory on {self.device_}; take a "
                             "stream of that device")
        return found

    cdef MemoryPointer moved(self, object distance):
        cdef MemoryPointer pointer
        offset = self.offset + operator.index(distance)
        if not 0 <= offset <= self.mem.size:
            raise ValueError(f"a pointer at {offset} bytes would be outside of the memory of {self.mem.size}")
        pointer = MemoryPointer.__new__(MemoryPointer)
        pointer.mem, pointer.offset, pointer.device_ = self.mem, offset, self.device_
        return pointer

    def __add__(self, distance):
        return self.moved(distance)

    def __radd__(self, distance):
        return self.moved(distance)

    def __sub__(self, distance):
        return self.moved(-operator.index(distance))

    def __int__(self):
        return self.place()

    def __repr__(self):
        return f"<MemoryPointer to {self.place():#x} on {self.device_}>"
