"""Python's operators and conversions to numbers, as calls of ``hooks``."""
from cpython.object cimport Py_EQ, Py_GT, Py_LE, Py_LT, Py_NE


cdef class Operators:
    """Base class of ndarray with Python's operators and conversions, which call the functions in ``hooks``."""

    def __richcmp__(self, other, int op):
        if op == Py_LT:
            return hooks.binary(OP_LESS, self, other)
        if op == Py_LE:
            return hooks.binary(OP_LESS_EQUAL, self, other)
        if op == Py_EQ:
            return hooks.binary(OP_EQUAL, self, other)
        if op == Py_NE:
            return hooks.binary(OP_NOT_EQUAL, self, other)
        if op == Py_GT:
            return hooks.binary(OP_GREATER, self, other)
        return hooks.binary(OP_GREATER_EQUAL, self, other)

    def __neg__(self):
        return hooks.unary(OP_NEGATIVE, self)

    def __pos__(self):
        return hooks.unary(OP_POSITIVE, self)

    def __abs__(self):
        return hooks.unary(OP_ABSOLUTE, self)

    def __invert__(self):
        return hooks.unary(OP_INVERT, self)

    def __add__(self, other):
        return hooks.binary(OP_ADD, self, other)

    def __radd__(self, other):
        return hooks.binary(OP_ADD, other, self)

    def __iadd__(self, other):
        return hooks.inplace(OP_ADD, self, other)

    def __sub__(self, other):
        return hooks.binary(OP_SUBTRACT, self, other)

    def __rsub__(self, other):
        return hooks.binary(OP_SUBTRACT, other, self)

    def __isub__(self, other):
        return hooks.inplace(OP_SUBTRACT, self, other)

    def __mul__(self, other):
        return hooks.binary(OP_MULTIPLY, self, other)

    def __rmul__(self, other):
        return hooks.binary(OP_MULTIPLY, other, self)

    def __imul__(self, other):
        return hooks.inplace(OP_MULTIPLY, self, other)

    def __truediv__(self, other):
        return hooks.binary(OP_TRUE_DIVIDE, self, other)

    def __rtruediv__(self, other):
        return hooks.binary(OP_TRUE_DIVIDE, other, self)

    def __itruediv__(self, other):
        return hooks.inplace(OP_TRUE_DIVIDE, self, other)

    def __floordiv__(self, other):
        return hooks.binary(OP_FLOOR_DIVIDE, self, other)

    def __rfloordiv__(self, other):
        return hooks.binary(OP_FLOOR_DIVIDE, other, self)

    def __ifloordiv__(self, other):
        return hooks.inplace(OP_FLOOR_DIVIDE, self, other)

    def __mod__(self, other):
        return hooks.binary(OP_REMAINDER, self, other)

    def __rmod__(self, other):
        return hooks.binary(OP_REMAINDER, other, self)

    def __imod__(self, other):
        return hooks.inplace(OP_REMAINDER, self, other)

    def __divmod__(self, other):
        return hooks.binary(OP_DIVMOD, self, other)

    def __rdivmod__(self, other):
        return hooks.binary(OP_DIVMOD, other, self)

    def __lshift__(self, other):
        return hooks.binary(OP_LEFT_SHIFT, self, other)

    def __rlshift__(self, other):
        return hooks.binary(OP_LEFT_SHIFT, other, self)

    def __ilshift__(self, other):
        return hooks.inplace(OP_LEFT_SHIFT, self, other)

    def __rshift__(self, other):
        return hooks.binary(OP_RIGHT_SHIFT, self, other)

    def __rrshift__(self, other):
        return hooks.binary(OP_RIGHT_SHIFT, other, self)

    def __irshift__(self, other):
        return hooks.inplace(OP_RIGHT_SHIFT, self, other)

    def __and__(self, other):
        return hooks.binary(OP_AND, self, other)

    def __rand__(self, other):
        return hooks.binary(OP_AND, other, self)

    def __iand__(self, other):
        return hooks.inplace(OP_AND, self, other)

    def __or__(self, other):
        return hooks.binary(OP_OR, self, other)

    def __ror__(self, other):
        return hooks.binary(OP_OR, other, self)

    def __ior__(self, other):
        return hooks.inplace(OP_OR, self, other)

    def __xor__(self, other):
        return hooks.binary(OP_XOR, self, other)

    def __rxor__(self, other):
        return hooks.binary(OP_XOR, other, self)

    def __ixor__(self, other):
        return hooks.inplace(OP_XOR, self, other)

    def __matmul__(self, other):
        return hooks.binary(OP_MATMUL, self, other)

    def __rmatmul__(self, other):
        return hooks.binary(OP_MATMUL, other, self)

    def __imatmul__(self, other):
        return hooks.inplace(OP_MATMUL, self, other)

    def __pow__(self, other, modulus):
        return NotImplemented if modulus is not None else hooks.binary(OP_POWER, self, other)

    def __rpow__(self, other, modulus):
        return NotImplemented if modulus is not None else hooks.binary(OP_POWER, other, self)

    def __ipow__(self, other):
        return hooks.inplace(OP_POWER, self, other)

    def __bool__(self):
        return hooks.number(self, FOR_BOOL)

    def __int__(self):
        return hooks.number(self, FOR_INT)

    def __float__(self):
        return hooks.number(self, FOR_FLOAT)

    def __complex__(self):
        return hooks.number(self, FOR_COMPLEX)

    def __index__(self):
        return hooks.number(self, FOR_INDEX)

    def __hash__(self):
        return hooks.number(self, FOR_HASH)

    def __bytes__(self):
        return hooks.number(self, FOR_BYTES)

    def _scalar_item(self):
        """The only element of a size-1 array as a Python number."""
        return hooks.number(self, FOR_ITEM)
