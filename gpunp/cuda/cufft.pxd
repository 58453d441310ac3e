"""cuFFT plans, and the layouts they are made from."""
cimport cython
from libc.stdint cimport int64_t
from cuda.bindings.cydriver cimport CUstream

from gpunp.device cimport Device

# Values of cufft.h and library_types.h.
cdef enum:
    FORWARD = -1
    INVERSE = 1
    DATA_R_32F = 0
    DATA_R_64F = 1
    DATA_C_32F = 4
    DATA_C_64F = 5


# Layout of input and output, counted in elements; every field is an int64, so that the bytes serve as a cache key.
cdef struct Layout:
    int64_t rank
    int64_t in_type
    int64_t out_type
    int64_t batch
    int64_t[3] n
    int64_t[3] in_embed
    int64_t[3] out_embed
    int64_t in_stride
    int64_t in_distance
    int64_t out_stride
    int64_t out_distance


# Batch axes that one plan cannot express: the plan is executed once per position, at these byte distances.
cdef struct Calls:
    int ndim
    int64_t[64] extent
    int64_t[64] in_step
    int64_t[64] out_step


cdef class LibraryPlan:
    cdef int handle
    cdef bint made
    cdef Device device
    cdef readonly size_t work_size
    # Held by a call, which runs no Python code meanwhile.
    cdef cython.pymutex lock
    # The stream and the work area last set on the plan.
    cdef CUstream stream
    cdef void* area
    cdef readonly str text      # the layout, for users to read

# Make a plan; the context of the device must be current.
cdef LibraryPlan make_plan(Device device, Layout* layout)
# Queue all executions of a plan on the device's current stream.
cdef int queue_plan(LibraryPlan plan, Calls* calls, char* source, char* target, int direction) except -1
