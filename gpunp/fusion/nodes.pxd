"""Operands of deferred operations: which there can be, and the references that they hold."""
from gpunp.fusion.trace cimport Node, Place
from gpunp.ufunc.plan cimport Operand

# Whether an operand may be one of a deferred operation.
cdef bint is_recordable(const Operand* operand) noexcept
# Whether the elements of an output are known to lie apart.
cdef bint is_injective(const Operand* out) noexcept
# Fill in an operand of a node. This runs no Python code.
cdef void set_place(Place* place, const Operand* operand, bint writes) noexcept
# What an operation reads and writes if it runs by itself.
cdef Py_ssize_t bytes_of(const Node* node) noexcept
# Drop the references of an operation that has run. Memory that is freed may run Python code.
cdef void release(Node* node) noexcept
