"""Launches of elementwise kernels that are compiled at run time."""
from cpython.object cimport PyObject

from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.compiler.module cimport Module
from gpunp.custom.parameters cimport Parameters
from gpunp.custom.plan cimport MAX_PARAMS
from gpunp.device cimport Device, Kernel
from gpunp.ufunc.plan cimport Operand

# What a compiled kernel depends on besides dtypes; compared and hashed as bytes.
cdef struct Key:
    void* device
    int rank
    int width
    int space                               # axes of `_ind`, or -1
    unsigned char wide
    unsigned char wide_space
    unsigned char many_threads
    unsigned char unused
    unsigned char[2 * MAX_PARAMS] forms     # of each parameter, and its axes if it is raw


cdef class Variant:
    """A compiled kernel."""
    cdef Key key
    cdef Kernel kernel
    cdef Module module
    cdef int words              # of its parameters


cdef class Typing:
    """The dtypes of all parameters in a call, and the kernels compiled for them."""
    cdef unsigned char[MAX_PARAMS] kinds
    cdef int[MAX_PARAMS] codes
    cdef int width              # elements of a vector
    cdef int vectors            # of a thread
    cdef dict variants
    cdef Variant last


# One call: its arguments, and the operands that are broadcast.
cdef struct Call:
    int given
    int ndim
    unsigned int block
    PyObject* arrays[MAX_PARAMS]            # NULL: a scalar, or an output that is not given
    unsigned char[MAX_PARAMS] kinds
    int count
    Operand[MAX_PARAMS] operands
    int[MAX_PARAMS] param                   # the parameters of the operands
    Py_ssize_t[MAX_NDIM] shape


cdef class Elementwise(Parameters):
    """The parts of an elementwise kernel, and its compiled variants."""
    cdef readonly str operation
    cdef readonly str preamble
    cdef readonly str loop_prep
    cdef readonly str after_loop
    cdef readonly tuple options
    cdef readonly tuple link             # code to link, as `compile_source` takes it
    cdef bint ordered           # the operation depends on the order of the elements
    cdef bint axes              # the operation asks `_ind` for the index of each axis
    cdef bint[MAX_PARAMS] in_memory

# Run the kernel; returns the outputs.
cdef list execute(Elementwise self, Typing typing, Call* call, tuple args, Device device, object size)
