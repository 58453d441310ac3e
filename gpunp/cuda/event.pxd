"""Events: points in streams."""
from cuda.bindings.cydriver cimport CUcontext, CUevent


cdef class Event:
    cdef CUevent handle
    cdef CUcontext context
    cdef readonly int device_index
    cdef readonly bint timing
    # The Capture (gpunp/cuda/capture.pyx) of the stream that it was recorded on, or None.
    cdef object capture

    cdef int require_real(self, str call) except -1
