"""Few elements of arrays on the CPU device that a tuple selects, or a mask of the first axis."""
from gpunp.array.ndarray cimport ndarray

# What a key with index arrays selects; None if it is not as simple as this module expects.
cdef ndarray take_along_axes(ndarray array, object key)
# Write a value there; False if it is not that simple, and nothing was written.
cdef bint put_along_axes(ndarray array, object key, object value) except -1
