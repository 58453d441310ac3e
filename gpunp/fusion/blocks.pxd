"""Groups on the CPU device: block by block, so that intermediate values stay in the cache."""
from gpunp.device cimport Device
from gpunp.fusion.group cimport Group

# Elements of a block, if tests set it, else 0.
cdef Py_ssize_t block_elements() noexcept
# Run a group; always True.
cdef bint run_blocks(Device device, Group* group) except -1
