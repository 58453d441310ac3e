"""Classification and conversion of operands: device arrays, Python numbers, host values."""
from cpython.object cimport PyObject

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device
from gpunp.dtype_codes cimport NUM_DTYPES
from gpunp.ufunc.plan cimport Operand

# Kinds of operands; the dtype codes are the kinds of strongly typed values.
cdef enum:
    # Python numbers take part in promotion only by their kind (NEP 50).
    WEAK_INT = NUM_DTYPES
    WEAK_FLOAT, WEAK_COMPLEX, KINDS
    HOST_ARRAY = 100    # to be uploaded
    FOREIGN             # not converted by gpunp; the type itself may handle the call

# The kind of an operand that is not a device array.
cdef int classify(object value) except -1
# Write a host value into ``target`` as an element of dtype ``code``.
cdef int store_scalar(unsigned char* target, int code, object value) except -1
# Upload a host operand, applying the policy for host operands.
cdef ndarray upload(object value, Device device, str name)
# Upload the operands of a ufunc whose kind is HOST_ARRAY; the returned list keeps them alive.
cdef list upload_operands(object ufunc, PyObject** args, Operand* operands, int* kinds, Device device)
# The argument of resolve_dtypes for a kind.
cdef object promotion_type(int kind)
