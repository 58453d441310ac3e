"""Devices, the memory they own and the kernels they run: the interface that the engines use."""
from libc.stdint cimport uint32_t

from gpunp.tuning cimport Tuning


cdef class Buffer:
    cdef void* ptr
    cdef readonly size_t nbytes
    cdef readonly Device device
    # Keeps foreign memory (a host array, a DLPack producer) alive; None if the device owns the memory.
    cdef readonly object owner


cdef class Kernel:
    cdef readonly str unit
    cdef readonly str name
    cdef void* function


cdef class Device:
    cdef readonly str kind
    cdef readonly int index
    cdef readonly bint is_cpu
    # Number of streaming multiprocessors (1 on the CPU), from which grids are sized.
    cdef readonly int multiprocessors
    # The thresholds of this GPU by which engines choose; a dict in Python.
    cdef readonly Tuning tuning

    cdef Buffer allocate(self, size_t nbytes)
    cdef Kernel kernel(self, str unit, str name)
    cdef int launch(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                    unsigned int block, unsigned int shared_bytes,
                    const void* params, size_t params_nbytes) except -1
    cdef int copy_from_host(self, void* target, const void* source, size_t nbytes) except -1
    cdef int copy_to_host(self, void* target, const void* source, size_t nbytes) except -1
    cdef int copy_within(self, void* target, const void* source, size_t nbytes) except -1
    # Copy from ``first`` in a buffer of this device to ``to`` in a buffer of another device of this kind, in the
    # order of the current streams of both; does not block the host.
    cdef int copy_to_peer(self, Buffer source, const void* first, Buffer target, void* to, size_t nbytes) except -1
    cdef int fill_bytes(self, void* target, int value, size_t nbytes) except -1
    cdef int synchronize_stream(self) except -1
    # The status word in which the next launch of this thread reports errors in its data; ``call`` names the call in
    # messages. Take it right before the launch, without changing the current stream in between.
    cdef uint32_t* report_word(self, str call) except NULL
    # Raise the oldest error that a launch of this thread reported, if there is one.
    cdef int raise_report(self) except -1
    cdef object host_empty(self, tuple shape, object dtype)


cdef Device current_device()
cdef Device as_device(object value)

# The exception for the bits that one launch reported; ``later`` if a later call raises it.
cdef object report_error(uint32_t bits, str call, bint later)

cdef inline int check_status(Device device) except -1:
    """Raise errors that earlier kernels of this thread reported, without synchronization."""
    # The CPU device raises errors in the call that caused them.
    if not device.is_cpu:
        return device.raise_report()
    return 0
