from cpython.object cimport PyObject

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand


cdef tuple given_outputs(object ufunc, object out)
# The device of a call without device arrays among its operands.
cdef Device device_of_results(tuple outs, object where)
cdef int check_outputs(object ufunc, Loop loop, tuple outs, int ndim, const Py_ssize_t* shape,
                       Device device) except -1
cdef int warn_of_inputs(Loop loop, const int* kinds) except -1
cdef int check_output_dtypes(object ufunc, Loop loop, tuple outs, object casting) except -1
cdef ndarray where_mask(object where, Device device)
cdef object into_outputs(Loop loop, PyObject** args, ndarray mask, Operand* operands, Operand* masked, int ndim,
                         const Py_ssize_t* shape, Device device, tuple outs, object order,
                         ElementwiseParams* params)
