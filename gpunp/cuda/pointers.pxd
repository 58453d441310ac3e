"""Pointers into memory that they keep alive."""
from gpunp.cuda.stream cimport Stream
from gpunp.device cimport Buffer, Device


cdef class MemoryPointer:
    # What owns the memory: a CudaBuffer, or another object with ptr, size and device_id.
    cdef readonly object mem
    cdef size_t offset
    cdef Device device_

    cdef Stream queue(self, object stream)
    cdef MemoryPointer moved(self, object distance)
    cdef size_t place(self) except? 0
    cdef size_t require_room(self, object size, str call) except? 0


# A pointer to the beginning of a buffer, and to that of other memory on a device.
cdef MemoryPointer pointer_to(Buffer buffer)
cdef MemoryPointer beginning_of(object memory, int device_index)
