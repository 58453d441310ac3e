"""Copies between arrays of one device: broadcast, converted, and safe where they overlap."""
from gpunp.array.ndarray cimport ndarray

cdef struct CopyHooks:
    # Copy from a source whose last axis has a negative stride on a CUDA device, one vector per thread; False where
    # that does not apply. Set by gpunp.manipulation.moves, whose axis-mapping kernels do the copy.
    bint (*backwards)(ndarray target, ndarray source) except -1

cdef CopyHooks copy_hooks

# Copy with broadcasting and conversion (casting "unsafe").
cdef int copy_into(ndarray target, ndarray source) except -1
# Set every element to one value, given as bytes of the target's dtype.
cdef int fill(ndarray target, const void* value) except -1
# Whether two arrays share bytes without having the same elements in the same places.
cdef bint overlaps(ndarray a, ndarray b) noexcept
