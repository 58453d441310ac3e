"""What launches of weighted sums share."""
from gpunp.array.ndarray cimport ndarray
from gpunp.statistics.params cimport WeightParams

# Describe sums of weights by bin, in a workspace of 20 bytes a bin, which is cleared.
cdef int describe_weights(WeightParams* p, ndarray index, ndarray weights, Py_ssize_t bins, void* workspace,
                          ndarray out) except -1
