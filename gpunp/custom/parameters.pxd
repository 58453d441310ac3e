"""The arguments of elementwise and reduction kernels: arrays, numbers and host arrays for each parameter."""
from cpython.object cimport PyObject

from gpunp.custom.plan cimport MAX_PARAMS
from gpunp.device cimport Device

cdef enum:
    # Kinds of arguments: dtype codes of arrays; those of scalars, or of Python numbers, plus SINGLE; no argument.
    SINGLE = 64
    ABSENT = 255


cdef class Parameters:
    """What a kernel has parameters for."""
    cdef readonly str name
    cdef readonly object signature
    cdef readonly int nin
    cdef readonly int nout
    cdef readonly int nargs
    cdef bint[MAX_PARAMS] raw
    cdef readonly dict cached_codes         # generated sources by device, dtypes and layouts, for debugging

# Set the parameters, after a check of the kernel's name; ``kind`` is the class in messages.
cdef int set_parameters(Parameters self, str kind, object name, object in_params, object out_params) except -1
# Fill in the array (NULL: a number, or an output that is not given) and the kind of each argument, and return their
# device. Host arrays are uploaded, and kept in ``kept`` beside other temporary arrays.
cdef Device read_arguments(Parameters self, tuple args, PyObject** arrays, unsigned char* kinds, list kept)
# The dtype codes of all parameters for the kinds of arguments.
cdef tuple resolve_kinds(Parameters self, const unsigned char* kinds)
# The stream that a call names, as a context manager.
cdef object stream_of(object stream)
