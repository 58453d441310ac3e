"""Devices, the memory they own and the kernels they run: the interface that the engines use."""
from libc.stdint cimport uint32_t

from gpunp.tuning cimport Tuning


cdef enum:
    # Addresses from here on are reserved: they stand for memory that is not allocated yet.
    RESERVED = 0x4000000000000000


cdef enum FlushReason:
    # What ends a chain of deferred operations; for reports only. gpunp/fusion/observing.pyx has the words.
    BY_KERNEL, BY_READ, BY_WAIT, BY_EVENT, BY_EXPORT, BY_MEMORY, BY_REQUEST, BY_LOOP, BY_STREAM, BY_LENGTH, BY_PAUSE


cdef class Buffer:
    cdef void* ptr              # NULL as long as the address is only reserved
    cdef readonly size_t nbytes
    cdef readonly Device device
    # Keeps foreign memory (a host array, a DLPack producer) alive; None if the device owns the memory.
    cdef readonly object owner
    cdef size_t reserved        # the address that arrays have until there is memory, or 0
    cdef Buffer memory          # the memory of a reserved buffer, once it is allocated
    cdef int uses               # operands of deferred operations that are in this buffer
    cdef int writes             # those that are written
    cdef bint reduced           # a reduction has computed the elements for itself
    cdef bint exposed           # others know the address, so operations on it are not deferred


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
    # Elementwise operations that were called and have not run yet; and what records them, or None.
    cdef readonly int pending
    cdef object trace
    # The fewest elements of an operation that is deferred, and of one for which fusion is asked whether it is: they
    # differ while operations are observed, or a decorated function runs.
    cdef Py_ssize_t least_elements
    cdef Py_ssize_t deferred_elements
    cdef int flush_reason       # of the next flush; a FlushReason

    cdef Buffer allocate(self, size_t nbytes)
    cdef Kernel kernel(self, str unit, str name)
    # A buffer whose memory is allocated by `provide`.
    cdef Buffer reserve(self, size_t nbytes)
    # Bytes that can still be allocated, as far as it is known; other processes may take them.
    cdef size_t room(self) except? 0
    # Run what is deferred, then launch: it may use memory whose addresses the kernel has.
    cdef int launch(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                    unsigned int block, unsigned int shared_bytes,
                    const void* params, size_t params_nbytes) except -1
    # Launch, for callers that have taken all addresses since the last operation that may have been deferred.
    cdef int start(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                   unsigned int block, unsigned int shared_bytes,
                   const void* params, size_t params_nbytes) except -1
    # Run the deferred operations of all threads.
    cdef int flush(self) except -1
    # The queue to which this thread launches, or None if its launches cannot be left to other threads; and a change
    # of it that returns the queue before.
    cdef object queue(self)
    cdef object exchange_queue(self, object queue)
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
# Allocate the memory of a reserved buffer unless that is done.
cdef int provide(Buffer buffer) except -1

cdef struct DeviceHooks:
    int (*flush)(Device device) except -1
    # Bytes of the buffers of deferred operations that have no memory yet.
    size_t (*pending_bytes)(Device device) noexcept

cdef DeviceHooks device_hooks
cdef size_t pending_bytes_of(Device device) noexcept


cdef inline int flush_because(Device device, FlushReason reason) except -1:
    if device.pending:
        device.flush_reason = reason
        return device.flush()
    return 0


# The exception for the bits that one launch reported; ``later`` if a later call raises it.
cdef object report_error(uint32_t bits, str call, bint later)

cdef inline int check_status(Device device) except -1:
    """Raise errors that earlier kernels of this thread reported, without synchronization."""
    # The CPU device raises errors in the call that caused them.
    if not device.is_cpu:
        return device.raise_report()
    return 0
