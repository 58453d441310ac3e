"""Stacks of matrices: the batch dimensions of three operands, coalesced."""
from libc.stdint cimport int64_t

from gpunp.array.ndarray cimport MAX_NDIM, ndarray

cdef struct Batches:
    int ndim
    int64_t shape[MAX_NDIM]
    # Bytes, of a, b and c; the last dimension is what one call of the backend repeats over.
    int64_t strides[3][MAX_NDIM]
    int64_t index[MAX_NDIM]


cdef inline void open_batches(Batches* batches, ndarray a, ndarray b, ndarray c) noexcept:
    """Merge the batch dimensions that all operands step through evenly."""
    cdef int d, last
    cdef int64_t extent
    batches.ndim = 0
    for d in range(c.ndim_ - 2):
        extent = c.shape_[d]
        if extent == 1:
            continue
        last = batches.ndim - 1
        if last >= 0 and (batches.strides[0][last] == extent * a.strides_[d]
                          and batches.strides[1][last] == extent * b.strides_[d]
                          and batches.strides[2][last] == extent * c.strides_[d]):
            batches.shape[last] *= extent
        else:
            last += 1
            batches.ndim += 1
            batches.shape[last] = extent
        batches.strides[0][last] = a.strides_[d]
        batches.strides[1][last] = b.strides_[d]
        batches.strides[2][last] = c.strides_[d]
        batches.index[last] = 0


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
