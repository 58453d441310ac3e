"""Launches of the kernels on stacks of small matrices, and plain products of two matrices."""
from gpunp.array.ndarray cimport ndarray

cdef struct ProductHooks:
    # Computes c = a @ b for C-ordered matrices, vectors or stacks of equal batch shape, of one inexact dtype.
    # Set by gpunp.linalg.cublas when that is imported.
    int (*multiply)(ndarray a, ndarray b, ndarray c) except -1

cdef ProductHooks product_hooks
