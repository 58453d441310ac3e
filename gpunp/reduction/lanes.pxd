"""The dimensions besides the axis of a scan or a fold, ordered and merged for a launch."""
from gpunp.array.ndarray cimport MAX_NDIM, ndarray

cdef enum:
    LANE_OPERANDS = 3

cdef struct Lanes:
    int ndim
    Py_ssize_t size
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[LANE_OPERANDS][MAX_NDIM] strides


cdef inline void find_lanes(Lanes* lanes, int ndim, const Py_ssize_t* shape, int axis,
                            int operands, const Py_ssize_t** strides) noexcept:
    """All dimensions but ``axis``, from operand 0's largest stride to its smallest, merged if possible."""
    cdef int d, i, j, k, n = 0
    cdef bint merges
    lanes.size = 1
    for d in range(ndim):
        if d == axis:
            continue
        lanes.size *= shape[d]
        if shape[d] == 1:
            continue
        j = n
        while j > 0 and abs(strides[0][d]) > abs(lanes.strides[0][j - 1]):
            lanes.shape[j] = lanes.shape[j - 1]
            for k in range(operands):
                lanes.strides[k][j] = lanes.strides[k][j - 1]
            j -= 1
        lanes.shape[j] = shape[d]
        for k in range(operands):
            lanes.strides[k][j] = strides[k][d]
        n += 1
    i = 0
    for j in range(1, n):
        merges = True
        for k in range(operands):
            merges = merges and lanes.strides[k][i] == lanes.strides[k][j] * lanes.shape[j]
        if merges:
            lanes.shape[i] *= lanes.shape[j]
        else:
            i += 1
            lanes.shape[i] = lanes.shape[j]
        for k in range(operands):
            lanes.strides[k][i] = lanes.strides[k][j]
    lanes.ndim = i + 1 if n else 0
