"""Events: points in streams."""
from cuda.bindings.cydriver cimport CUcontext, CUevent

# What functions that streams call, which need the interpreter's lock, and the threads that have it know of each other.
cdef struct HostCalls:
    int waiting     # whether a thread waits for a device without the lock; if several do, it may be 0 too early
    int wanting     # threads of the driver that want the lock
    int existing    # calls

cdef HostCalls host_calls


cdef class Event:
    cdef CUevent handle
    cdef CUcontext context
    cdef readonly int device_index
    cdef readonly bint timing
    # The Capture (gpunp/cuda/capture.pyx) of the stream that it was recorded on, or None.
    cdef object capture

    cdef int require_real(self, str call) except -1
