"""Launches of the kernels on stacks of small matrices, and plain products of two matrices."""
from gpunp.array.ndarray cimport ndarray

cdef struct ProductHooks:
    # c = a @ b for C-ordered matrices, vectors or stacks of as many matrices, of one floating point dtype; the
    # CUDA library fills it.
    int (*multiply)(ndarray a, ndarray b, ndarray c) except -1

cdef ProductHooks product_hooks
