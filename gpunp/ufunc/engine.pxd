"""The class of ufuncs such as ``gpunp.add``."""
from cpython.object cimport PyObject

from gpunp.ufunc.plan cimport Loop


cdef class Ufunc:
    cdef readonly str namespace
    cdef readonly str name
    cdef readonly object identity
    cdef readonly int nin
    cdef readonly int nout
    cdef str family             # of kernel units
    cdef tuple typed            # type signatures of the loops, "ff->f"
    cdef tuple standard         # those of them that are the array API standard's
    cdef bint comparison
    cdef bint compares_objects  # equal and not_equal, which are defined for any object
    cdef bint checks_exponent
    cdef Ufunc by_scalars       # runs instead where `suits_scalars`, or None
    cdef object found_ufunc     # NumPy's or SciPy's object, once looked up
    cdef list resolved          # Loop by the kinds of the inputs, KINDS ** nin entries; None for more than 3 inputs
    cdef dict resolved_by_kinds  # the same for more inputs, by the index that they would have
    cdef dict loops             # Loop by the codes of its input dtypes, so far

    cdef Loop loop_for(self, int* kinds)


cdef object call(Ufunc self, PyObject** args, tuple outs, object where, object casting, object order,
                 object signature, bint operator)
cdef Ufunc ufunc_named(str name)
