"""Large loops of the CPU device, which write their results past the caches if those cannot hold them."""
from gpunp.device cimport Device

# Whether operands of so many bytes together may be more than the caches hold, and the kernel is one that gains.
cdef bint may_be_streamed(Py_ssize_t nbytes, str symbol) except -1
# Run an elementwise loop with one result, by the function of its kernel.
cdef int launch_large(Device device, void* function, const void* params, int inputs, int itemsize) except -1
