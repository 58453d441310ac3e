"""Memory on devices that does not come from a pool of gpunp."""
from cuda.bindings.cydriver cimport CUdeviceptr


cdef class BaseMemory:
    cdef CUdeviceptr place
    cdef readonly size_t size
    cdef readonly int device_id
    cdef bint owned         # whether the memory is freed with the object
