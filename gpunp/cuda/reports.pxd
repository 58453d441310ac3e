"""The status words of each thread on CUDA devices."""
from libc.stdint cimport uint32_t

from gpunp.device cimport Device


# A word for the next launch of this thread on the current stream of the device; ``call`` names it in errors.
cdef uint32_t* take_word(Device device, str call) except NULL
# Raise the oldest error of this thread that was not raised yet; cheap if there is none.
cdef int raise_oldest(Device device) except -1
# After a synchronization: report the errors of ended threads, which no call can raise any more.
cdef int settle_ended(Device device) except -1


cdef class GraphWords:
    # The words of the launches of a graph, each with the name of its call.
    cdef int index              # of the device
    cdef list slabs             # addresses of mapped host memory
    cdef list calls
    cdef bint registered
    cdef unsigned long thread   # that launched the graph last

    cdef uint32_t* take(self, str call) except NULL
    # Called when the graph is launched.
    cdef int launched(self) except -1
    cdef object next_error(self)
