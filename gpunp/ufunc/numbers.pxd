"""Operators of arrays with one element on the CPU device, which is the host: without a launch."""
from gpunp.array.ndarray cimport ndarray

# The result for an operator of gpunp/array/operators.pxd, or None. One of the operands must be an array.
cdef ndarray of_numbers(int op, object left, object right)
# The same for an operator with one operand, which has no axes.
cdef ndarray of_number(int op, ndarray operand)
