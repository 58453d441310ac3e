"""Setup shared by the launches of weighted sums."""
from gpunp.array.ndarray cimport ndarray
from gpunp.statistics.params cimport WeightParams

# Fill in the parameters of sums of weights by bin; clears the workspace, which has 20 bytes per bin.
cdef int describe_weights(WeightParams* p, ndarray index, ndarray weights, Py_ssize_t bins, void* workspace,
                          ndarray out) except -1
