"""Launches of users' reduction kernels."""
from cpython.object cimport PyObject

from gpunp.array.ndarray cimport MAX_NDIM
from gpunp.compiler.module cimport Module
from gpunp.custom.parameters cimport Parameters
from gpunp.custom.plan cimport MAX_PARAMS
from gpunp.custom.reduction_plan cimport MAX_ARRAYS
from gpunp.device cimport Device, Kernel
from gpunp.ufunc.plan cimport Operand

# What a compiled kernel depends on besides dtypes; compared and hashed as bytes.
cdef struct Key:
    void* device
    int variant
    int capacity
    unsigned int repeated
    unsigned int unused
    unsigned char[2 * MAX_PARAMS] raw       # axes and layout of each raw array


cdef class Compilation:
    """A compiled kernel."""
    cdef Key key
    cdef Kernel kernel
    cdef Module module
    cdef size_t partial         # bytes of a partial result; 0: not asked yet
    cdef int given              # words of numbers and raw arrays


cdef class Typing:
    """The dtypes of all parameters in a call, and the kernels compiled for them."""
    cdef unsigned char[MAX_PARAMS] kinds
    cdef int[MAX_PARAMS] codes
    cdef dict compiled
    cdef Compilation last


# One call: its arguments, those that are broadcast and reduced, and the results.
cdef struct Call:
    PyObject* arrays[MAX_PARAMS]            # NULL: a number, or an output that is not given
    unsigned char[MAX_PARAMS] kinds
    int count                               # inputs that are arrays and not raw
    Operand[MAX_ARRAYS] operands
    int ndim
    Py_ssize_t[MAX_NDIM] shape
    bint[MAX_NDIM] reduced
    int out_ndim
    Py_ssize_t[MAX_NDIM] out_shape
    Py_ssize_t folded, size                 # elements of a result; results


cdef class Reduction(Parameters):
    """The parts of a reduction kernel."""
    cdef readonly str map_expr
    cdef readonly str reduce_expr
    cdef readonly str post_map_expr
    cdef readonly str preamble
    cdef readonly str identity
    cdef readonly str reduce_type
    cdef readonly bint reduce_dims
    cdef readonly tuple options
    cdef readonly bint indexed              # whether an expression depends on the index

# Reduce along axes; returns the outputs. ``kept`` keeps temporary arrays.
cdef list execute(Reduction self, Typing typing, Call* call, tuple args, Device device, object axis, bint keepdims,
                  list kept)
