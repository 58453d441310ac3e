"""Groups on the CPU device: threads share the blocks."""
from libc.stdint cimport int64_t

from gpunp.device cimport Device
from gpunp.fusion.group cimport Group

# Run body(context, begin, end) for parts of [0, count) by threads; `cost`: of one, in operations on elements.
cdef int share(Device device, void (*body)(void*, int64_t, int64_t) noexcept nogil, void* context, Py_ssize_t count,
               Py_ssize_t cost) except -1
# Run a group; always True.
cdef bint run_blocks(Device device, Group* group) except -1
