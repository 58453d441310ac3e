"""Launch helpers shared by the searches and the set functions."""
from libc.stdint cimport int64_t

from gpunp.device cimport Device

# The key type by which elements of a dtype are compared.
cdef str key_of(int code)
# Number of blocks for one element per thread, but at most ``resident`` per multiprocessor.
cdef unsigned int blocks_of(Device device, int64_t elements, int64_t block, int64_t resident) noexcept
# Most bytes of shared memory per block, which is about that of a multiprocessor.
cdef int64_t shared_limit(Device device) except -1
