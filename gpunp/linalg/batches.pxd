"""Stacks of matrices: the batch dimensions of three operands, coalesced."""
from libc.stdint cimport int64_t

from gpunp.array.axes cimport merge_axes
from gpunp.array.ndarray cimport MAX_NDIM, ndarray

cdef struct Batches:
    int ndim
    Py_ssize_t shape[MAX_NDIM]
    # In bytes, for a, b and c. One call of the backend handles the whole last dimension.
    Py_ssize_t strides[3][MAX_NDIM]
    Py_ssize_t index[MAX_NDIM]


cdef inline void open_batches(Batches* batches, ndarray a, ndarray b, ndarray c) noexcept:
    """Merge adjacent batch dimensions that all three operands traverse with one stride."""
    cdef int d
    for d in range(c.ndim_ - 2):
        batches.shape[d] = c.shape_[d]
        batches.strides[0][d] = a.strides_[d]
        batches.strides[1][d] = b.strides_[d]
        batches.strides[2][d] = c.strides_[d]
    batches.ndim = merge_axes(c.ndim_ - 2, batches.shape, batches.strides, 3)
    for d in range(batches.ndim):
        batches.index[d] = 0


cdef inline int64_t inner_count(const Batches* batches) noexcept:
    return batches.shape[batches.ndim - 1] if batches.ndim else 1


cdef inline int64_t inner_stride(const Batches* batches, int operand) noexcept:
    return batches.strides[operand][batches.ndim - 1] if batches.ndim else 0


cdef inline bint next_batch(Batches* batches, char** data) noexcept:
    """Step the three pointers through the outer dimensions; False after the last."""
    cdef int d, k
    for d in range(batches.ndim - 2, -1, -1):
        batches.index[d] += 1
        for k in range(3):
            data[k] += batches.strides[k][d]
        if batches.index[d] < batches.shape[d]:
            return True
        for k in range(3):
            data[k] -= batches.shape[d] * batches.strides[k][d]
        batches.index[d] = 0
    return False
