"""The engine of all reductions."""

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, Kernel
from gpunp.reduction.plan cimport Launch, ReduceParams, Variant


cdef class Loops:
    """The kernels that fold one input dtype to one result dtype, cached for the device last used."""
    cdef tuple fast             # (unit, symbol), or None
    cdef tuple general
    cdef bint cast              # the input is converted to the result's dtype first
    cdef bint runs              # the fast kernels fold short runs of elements
    cdef int result             # code of the result's dtype
    cdef Device device
    cdef Kernel rows
    cdef Kernel columns
    cdef Kernel anywhere

    cdef Kernel kernel(self, Device device, Variant variant)


cdef class Reduction:
    """A record of the table, with a cache of its loops."""
    cdef readonly str name
    cdef readonly object record
    cdef object ufunc
    cdef bint undecided           # may need gpunp.reduction.undecided
    cdef bint ordered
    cdef dict loops             # 16 * input code + result code -> Loops
    cdef list plain             # Loops by input code, for calls without dtype and out
    cdef dict results           # (input code, dtype, code of out) -> result code

    cdef Loops find(self, int source, int result)
    cdef int result_code(self, int source, object dtype, object out) except -1

# Options of one call: the kernels' flags and their values.
cdef struct Options:
    unsigned int flags
    double correction
    double initial[2]
    long long initial_integer

cdef ndarray fold(Reduction r, ndarray a, object axis, Loops loops, object out, bint keepdims, object where,
                  const Options* options)

# Elements that are not in memory yet, which a kernel may compute while it reduces them; set by who defers operations.
cdef struct FusionHooks:
    # The place in bytes of the first element in a buffer that has no elements yet, or -1.
    Py_ssize_t (*pending)(ndarray a) except -2
    # Launch a kernel that computes the elements of ``a``, whose place in the buffer is the address in the parameters;
    # 0 if there is none. ``loops`` has the kernel to take the place of.
    int (*reduce)(ndarray a, Loops loops, const Launch* launch, const ReduceParams* p) except -1
    # Defer a reduction along the last axes and return its result, or None if it must run now.
    ndarray (*defer)(ndarray a, const bint* reduced, Loops loops, const Options* options, bint moments, int ndim,
                     const Py_ssize_t* shape)

cdef FusionHooks fusion_hooks
