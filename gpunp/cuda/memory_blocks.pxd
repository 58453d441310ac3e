"""Memory on devices that does not come from a pool of gpunp."""
from cuda.bindings.cydriver cimport CUdeviceptr

from gpunp.cuda.stream cimport Stream


cdef class BaseMemory:
    cdef CUdeviceptr place
    cdef readonly size_t size
    cdef readonly int device_id
    cdef bint owned         # whether the memory is freed with the object


# Free memory of a pool of the driver in the order of a stream.
cdef void free_in_order(CUdeviceptr place, Stream stream) noexcept

# A number of bytes that is asked for; raises for others than integers, and for negative and enormous ones.
cdef size_t size_of(object size, str call) except? 0
