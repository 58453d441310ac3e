"""What is told about fusion: events for an observer; and which functions are decorated with `fuse`."""
from gpunp.device cimport BY_PAUSE
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand

cdef enum Reason:
    # What ends a group before its chain ends; continues gpunp.device's FlushReason.
    BY_SHAPE = BY_PAUSE + 1
    BY_OVERLAP, BY_OPERANDS, BY_STEPS, BY_FOLD
    # Why an operation is not deferred.
    NOT_LARGE, NOT_ON, NOT_ONE_OUTPUT, NOT_SILENT, NOT_OURS, NOT_AXES, NOT_APART, NOT_QUEUE, NOT_THREAD, NOT_FULL
    NOT_WORTH, NOT_NOW, NOT_FEW_INPUTS

cdef bint observed      # whether somebody observes
cdef bint attention     # whether somebody observes, or a decorated function runs in some thread

# Whether a decorated function runs in this thread, and the name that its kernels get, or None.
cdef bint in_function() noexcept
cdef object function_name()

# Tell of an operation and return its number.
cdef long long announce(Loop loop, const Operand* operands, const Operand* mask, int ndim,
                        const Py_ssize_t* shape) except -2
# The same for a reduction.
cdef long long announce_fold(str name, tuple shape, int source, int result, Py_ssize_t nbytes) except -2
# Tell that an operation is not deferred.
cdef int tell_refusal(long long number, int reason) except -1
# The event of a group, to be told by `tell_all` when no lock is held, or None if no operation in it was announced.
cdef object group_event(list numbers, str kind, Py_ssize_t saved, int reason, object kernel)
# That of a reduction that computes its elements: an operation and a group.
cdef object reduction_event(list numbers, str name, tuple shape, int source, int result, Py_ssize_t nbytes,
                            Py_ssize_t saved, int reason, object kernel)
cdef int tell_all(list events) except -1
