"""Memory pools as programs see them."""
from gpunp.cuda.pool cimport Pool
from gpunp.device cimport Device


cdef class MemoryPool(Pool):
    # Looked up at the first use: the default pool is created while its device is being opened.
    cdef Device device_


# The default pool of a device, whose small blocks streams keep; created at its first use.
cdef MemoryPool default_pool(int device_index)
