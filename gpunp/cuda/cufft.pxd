"""Plans of cuFFT, and what they are made from."""
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


# Where the elements of both arrays are, in elements; all of one width, so that its bytes are a key.
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


# Batches that one plan cannot hold: calls of the plan at these byte distances.
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
    # What the plan was told last.
    cdef CUstream stream
    cdef void* area
    cdef readonly str text

# A new plan; the context of the device is current.
cdef LibraryPlan make_plan(Device device, Layout* layout)
# Run a plan for every call, in the order of the device's current stream.
cdef int queue_plan(LibraryPlan plan, Calls* calls, char* source, char* target, int direction) except -1
