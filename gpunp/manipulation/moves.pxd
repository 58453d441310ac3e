"""What the copies between arrays use of the kernels that only move elements."""
from gpunp.array.ndarray cimport ndarray

# Copy elements whose last axis runs backwards, a vector a thread; False where that does not apply.
cdef bint copy_backwards(ndarray target, ndarray source) except -1
