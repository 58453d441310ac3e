"""Devices, the memory they own and the kernels they run: the interface the engines see."""
from libc.stdint cimport uint32_t


cdef class Buffer:
    cdef void* ptr
    cdef readonly size_t nbytes
    cdef readonly Device device
    # Keeps foreign memory (a host array, a DLPack producer) alive; None where the device owns it.
    cdef readonly object owner


cdef class Kernel:
    cdef readonly str unit
    cdef readonly str name
    cdef void* function


cdef class Device:
    cdef readonly str kind
    cdef readonly int index
    cdef readonly bint is_cpu
    # Streaming multiprocessors (1 on the CPU): what planners size grids by.
    cdef readonly int multiprocessors
    cdef uint32_t* status

    cdef Buffer allocate(self, size_t nbytes)
    cdef Kernel kernel(self, str unit, str name)
    cdef int launch(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                    unsigned int block, unsigned int shared_bytes,
                    const void* params, size_t params_nbytes) except -1
    cdef int copy_from_host(self, void* target, const void* source, size_t nbytes) except -1
    cdef int copy_to_host(self, void* target, const void* source, size_t nbytes) except -1
    cdef int copy_within(self, void* target, const void* source, size_t nbytes) except -1
    cdef int fill_bytes(self, void* target, int value, size_t nbytes) except -1
    cdef int synchronize_stream(self) except -1
    cdef int raise_status(self) except -1
    cdef object host_empty(self, tuple shape, object dtype)


cdef Device current_device()
cdef Device as_device(object value)

cdef inline int check_status(Device device) except -1:
    """Raise what an earlier kernel reported, without a synchronisation."""
    if device.status[0]:
        device.raise_status()
    return 0
