"""Devices, the memory they own and the kernels they run: the interface the engines see."""
from libc.stdint cimport uint32_t

from gpunp.tuning cimport Tuning


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
    # What engines choose by, for this GPU; a dict from Python.
    cdef readonly Tuning tuning

    cdef Buffer allocate(self, size_t nbytes)
    cdef Kernel kernel(self, str unit, str name)
    cdef int launch(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                    unsigned int block, unsigned int shared_bytes,
                    const void* params, size_t params_nbytes) except -1
    cdef int copy_from_host(self, void* target, const void* source, size_t nbytes) except -1
    cdef int copy_to_host(self, void* target, const void* source, size_t nbytes) except -1
    cdef int copy_within(self, void* target, const void* source, size_t nbytes) except -1
    # From ``first`` in a buffer of this device to ``to`` in one of another device of this kind, in the order of the
    # current streams of both; the host does not wait.
    cdef int copy_to_peer(self, Buffer source, const void* first, Buffer target, void* to, size_t nbytes) except -1
    cdef int fill_bytes(self, void* target, int value, size_t nbytes) except -1
    cdef int synchronize_stream(self) except -1
    # The word in which the next launch of this thread reports errors of its data; ``call`` names the call in
    # them. It must be taken shortly before the launch.
    cdef uint32_t* report_word(self, str call) except NULL
    # Raise the oldest error that a launch of this thread reported, if there is one.
    cdef int raise_report(self) except -1
    cdef object host_empty(self, tuple shape, object dtype)


cdef Device current_device()
cdef Device as_device(object value)

# The exception for what one launch reported; ``later``: it is raised after the call that caused it.
cdef object report_error(uint32_t bits, str call, bint later)

cdef inline int check_status(Device device) except -1:
    """Raise what an earlier kernel of this thread reported, without a synchronisation."""
    # The CPU device raises in the call itself.
    if not device.is_cpu:
        return device.raise_report()
    return 0
