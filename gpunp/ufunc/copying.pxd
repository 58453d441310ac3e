"""Copies between arrays of one device: broadcast, converted, and safe where they overlap."""
from gpunp.array.ndarray cimport ndarray

# Copy with broadcasting and conversion (casting "unsafe").
cdef int copy_into(ndarray target, ndarray source) except -1
# Write one value, given as bytes of the target's dtype, everywhere.
cdef int fill(ndarray target, const void* value) except -1
# Whether two arrays touch the same bytes without being the same elements in the same places.
cdef bint overlaps(ndarray a, ndarray b) noexcept
