"""Events: points in streams."""
from cuda.bindings.cydriver cimport CUcontext, CUevent


cdef class Event:
    cdef CUevent handle
    cdef CUcontext context
    cdef readonly int device_index
    cdef readonly bint timing
