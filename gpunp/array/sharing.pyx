"""Host memory that stands for the memory of device arrays, as long as somebody holds it: who writes it writes them.

While a buffer is shared, the bytes on the host are the true ones. They are uploaded before each operation on the device
that uses the buffer. Operations that would write it there raise `BufferError`, so that their caller runs them on the
host's bytes. `gpunp.running.sharing` says which arrays a program shares.
"""
import sys
import time
import weakref

import numpy

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.object cimport PyObject
from libc.stdint cimport uintptr_t
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport BY_EXPORT, Buffer, flush_because
from gpunp.watching cimport is_watchable, set_shared, shared_of

from gpunp.array.convert import asnumpy
from gpunp.array.host_copies import tell

cdef extern from "Python.h":
    void PyErr_Fetch(PyObject**, PyObject**, PyObject**)
    void PyErr_Restore(PyObject*, PyObject*, PyObject*)


cdef class SharedMemory:
    """The bytes of a buffer on the host. It ends when nobody holds its memory any more.

    Parameters
    ----------
    array : ndarray
        In the buffer.
    """

    cdef Buffer buffer
    cdef object memory
    cdef object owner           # a weak reference to the array of which all others in the buffer are views
    cdef Py_ssize_t holders     # exported buffers
    cdef bint stays             # as long as the owner lives, as somebody has the address
    cdef bint has_ended

    def __init__(self, ndarray array not None):
        cdef char* address
        if array.buffer.uses:
            flush_because(array.device_, BY_EXPORT)
        array.data_ptr()
        self.buffer = array.buffer
        self.memory = numpy.empty(self.buffer.nbytes, "u1")
        address = <char*><uintptr_t>self.memory.ctypes.data
        self.buffer.device.copy_to_host(address, self.buffer.ptr, self.buffer.nbytes)
        self.buffer.exposed = True
        set_shared(self.buffer, self)
        owner = array if array.base_ is None else array.base_
        self.owner = weakref.ref(owner, lambda reference: self.end())

    def refresh(self):
        """Bring what may have been written on the host to the device."""
        cdef const char* address = <const char*><uintptr_t>self.memory.ctypes.data
        start = time.perf_counter()
        self.buffer.device.copy_from_host(self.buffer.ptr, address, self.buffer.nbytes)
        tell("upload of shared memory", "", self.buffer.nbytes, time.perf_counter() - start)

    def end(self):
        """Let the device have the memory for itself again."""
        if self.has_ended or sys.is_finalizing():
            return
        self.has_ended = True
        self.refresh()
        self.buffer.device.synchronize_stream()
        self.buffer.exposed = False
        set_shared(self.buffer, None)
        self.owner = None

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, <void*><uintptr_t>self.memory.ctypes.data, self.buffer.nbytes, 0, flags)
        self.holders += 1

    def __releasebuffer__(self, Py_buffer* view):
        cdef PyObject* kind
        cdef PyObject* value
        cdef PyObject* traceback
        self.holders -= 1
        if not self.holders and not self.stays:
            # An error that is on its way stays: the holder may end because of it.
            PyErr_Fetch(&kind, &value, &traceback)
            try:
                self.end()
            finally:
                PyErr_Restore(kind, value, traceback)


def is_shared(ndarray array not None):
    """Whether an array has host memory that stands for its own."""
    return shared_of(array.buffer) is not None


def shared(ndarray array not None, bint stays=False):
    """Return a NumPy array over host memory that stands for that of a device array.

    Parameters
    ----------
    array : ndarray
    stays : bool, optional
        Whether the memory remains as long as the array, for callers that keep only its address.

    Returns
    -------
    numpy.ndarray or None
        None if it cannot be shared: nobody could tell when others write the memory of the device.
    """
    cdef SharedMemory found
    cdef ndarray owner = array if array.base_ is None else array.base_
    known = shared_of(array.buffer)
    if array.scalar or not array.size_:
        return None
    if known is None and (array.buffer.exposed or array.buffer.owner is not None or not is_watchable()):
        return None
    found = SharedMemory(owner) if known is None else known
    found.stays = found.stays or stays
    data = numpy.frombuffer(found, "u1")
    offset = <uintptr_t>array.address() - <uintptr_t>array.buffer.ptr
    host = numpy.ndarray(array.shape, array.dtype, data, offset, array.strides)
    host.flags.writeable = array.writeable
    return host


def store(ndarray array not None, ndarray result not None):
    """Write a result of the device to the memory that an array shares."""
    shared(array)[...] = asnumpy(result)


def shared_or_copy(ndarray array not None):
    """Return the shared memory of an array as a NumPy array, or a copy if it has none."""
    host = shared(array) if shared_of(array.buffer) is not None else None
    return asnumpy(array) if host is None else host
