"""What the operands of a call are: device arrays, Python numbers, host values."""
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device

# Kinds of operands beside the dtype codes 0-13, which stand for strongly typed values.
cdef enum:
    WEAK_INT = 14       # Python numbers take part in promotion only by their kind (NEP 50)
    WEAK_FLOAT = 15
    WEAK_COMPLEX = 16
    KINDS = 17
    HOST_ARRAY = 100    # to be uploaded
    FOREIGN = 101       # somebody else's type

# The kind of an operand that is not a device array.
cdef int classify(object value) except -1
# Write a host value into ``target`` as an element of dtype ``code``.
cdef int store_scalar(unsigned char* target, int code, object value) except -1
# The device array of a host operand; applies the policy for host operands.
cdef ndarray upload(object value, Device device, str name)
# What resolve_dtypes takes for a kind.
cdef object promotion_type(int kind)
