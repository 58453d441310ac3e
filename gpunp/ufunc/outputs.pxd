from cpython.object cimport PyObject

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device
from gpunp.ufunc.plan cimport Loop, Operand


cdef tuple given_outputs(object ufunc, object out)
cdef int check_outputs(object ufunc, Loop loop, tuple outs, int ndim, const Py_ssize_t* shape,
                       Device device) except -1
cdef int warn_of_inputs(Loop loop, const int* kinds) except -1
cdef int check_output_dtypes(object ufunc, Loop loop, tuple outs, object casting) except -1
cdef ndarray where_mask(object where, Device device)
cdef list separate(PyObject** args, tuple outs, Operand* operands, int nin, list keep)
cdef bint share_memory(list results) noexcept
cdef bint second_stays(PyObject** args, Loop loop, list results) noexcept
