"""Copies between arrays of one device: broadcast, converted, and safe where they overlap."""
from gpunp.array.ndarray cimport ndarray

cdef struct CopyHooks:
    # Copy elements whose last axis runs backwards on a CUDA device, a vector per thread; False where that does not
    # apply. The kernels that map axes do it: gpunp.manipulation.moves fills this when it is imported.
    bint (*backwards)(ndarray target, ndarray source) except -1

cdef CopyHooks copy_hooks

# Copy with broadcasting and conversion (casting "unsafe").
cdef int copy_into(ndarray target, ndarray source) except -1
# Write one value, given as bytes of the target's dtype, everywhere.
cdef int fill(ndarray target, const void* value) except -1
# Whether two arrays touch the same bytes without being the same elements in the same places.
cdef bint overlaps(ndarray a, ndarray b) noexcept
