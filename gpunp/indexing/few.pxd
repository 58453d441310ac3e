"""Few elements of arrays on the CPU device that index arrays, lists of integers or masks select."""
from gpunp.array.ndarray cimport ndarray

# What a key, an array or a list, selects; None if it is not as simple as this module expects.
cdef ndarray take_few(ndarray array, object key)
# Write a value there; False if it is not that simple, and nothing was written.
cdef bint put_few(ndarray array, object key, object value) except -1
