"""The radix sort over the whole device."""
from gpunp.device cimport Device
from gpunp.sorting.params cimport SortParams

# Sort rows of any length, in batches.
cdef int sort_radix(SortParams* p, Device device) except -1
