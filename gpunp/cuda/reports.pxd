"""The status words of each thread on CUDA devices."""
from libc.stdint cimport uint32_t

from gpunp.device cimport Device


# A word for the next launch of this thread on the current stream of the device; ``call`` names it in errors.
cdef uint32_t* take_word(Device device, str call) except NULL
# Raise the oldest error that this thread has not been told of; cheap where there is none.
cdef int raise_oldest(Device device) except -1
# After a wait: say what kernels of threads that have ended reported, which no call can raise any more.
cdef int settle_ended(Device device) except -1
