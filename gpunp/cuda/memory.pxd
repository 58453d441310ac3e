"""Memory pools as programs see them."""
from gpunp.cuda.pool cimport Pool


cdef class MemoryPool(Pool):
    pass


# The default pool of a device, whose small blocks streams keep; created at its first use.
cdef MemoryPool default_pool(int device_index)
