"""The ufuncs: what ``gpunp.add`` and its like are."""
from gpunp.ufunc.plan cimport Loop


cdef class Ufunc:
    cdef readonly object row
    cdef readonly int nin
    cdef readonly int nout
    cdef bint comparison
    cdef object found_ufunc     # NumPy's or SciPy's object, once looked up
    cdef list resolved          # Loop by the kinds of the inputs, KINDS ** nin entries
    cdef dict loops             # Loop by the codes of its input dtypes

    cdef Loop loop_for(self, int* kinds)


cdef object call(Ufunc self, tuple args, tuple outs, object where, object casting, object order,
                 object signature, bint operator)
cdef Ufunc ufunc_named(str name)
