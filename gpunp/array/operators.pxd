"""Python's operators, as calls of ``hooks``."""
from cpython.object cimport PyObject

# Operators in the order of OPERATORS in gpunp/ufunc/operators.pyx, which fills the hooks at import.
cdef enum Op:
    OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_TRUE_DIVIDE, OP_FLOOR_DIVIDE, OP_REMAINDER, OP_DIVMOD,
    OP_POWER, OP_LEFT_SHIFT, OP_RIGHT_SHIFT, OP_AND, OP_OR, OP_XOR, OP_MATMUL,
    OP_LESS, OP_LESS_EQUAL, OP_EQUAL, OP_NOT_EQUAL, OP_GREATER, OP_GREATER_EQUAL,
    OP_NEGATIVE, OP_POSITIVE, OP_ABSOLUTE, OP_INVERT, NUM_OPS

# The conversion for which an element is fetched to the host.
cdef enum Purpose:
    FOR_BOOL, FOR_INT, FOR_FLOAT, FOR_COMPLEX, FOR_INDEX, FOR_ITEM, FOR_HASH, FOR_BYTES

cdef struct Hooks:
    # binary(op, left, right): a new array, or NotImplemented for an operand type that gpunp does not handle.
    object (*binary)(int op, object left, object right)
    object (*unary)(int op, object operand)
    # inplace(op, target, other): target, or NotImplemented.
    object (*inplace)(int op, object target, object other)
    # copy(target, source): elementwise copy with broadcasting and dtype conversion (casting 'unsafe').
    int (*copy)(object target, object source) except -1
    object (*getitem)(object array, object key)
    int (*setitem)(object array, object key, object value) except -1
    # number(array, purpose): the only element as a Python object.
    object (*number)(object array, int purpose)
    # array_ufunc(self, args, nargs, names): the vectorcall of __array_ufunc__.
    object (*array_ufunc)(object self, PyObject** args, Py_ssize_t nargs, PyObject* names)

cdef Hooks hooks


cdef class Operators:
    pass
