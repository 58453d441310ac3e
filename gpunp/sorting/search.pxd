"""What the launches of the searches share with those of the set functions."""
from libc.stdint cimport int64_t

from gpunp.device cimport Device

# The key type that elements of a dtype are compared by.
cdef str key_of(int code)
# Blocks for one element a thread, but no more than the device holds at once.
cdef unsigned int blocks_of(Device device, int64_t elements, int64_t block, int64_t resident) noexcept
# Bytes of shared memory that a block may have, and a multiprocessor about has.
cdef int64_t shared_limit(Device device) except -1
