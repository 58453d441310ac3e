"""Lanes: the dimensions besides the axis of a scan or a fold, sorted and merged for a launch."""
from gpunp.array.axes cimport merge_axes, sort_axes
from gpunp.array.ndarray cimport MAX_NDIM

cdef enum:
    LANE_OPERANDS = 3

cdef struct Lanes:
    int ndim
    Py_ssize_t size
    Py_ssize_t[MAX_NDIM] shape
    Py_ssize_t[LANE_OPERANDS][MAX_NDIM] strides


cdef inline void find_lanes(Lanes* lanes, int ndim, const Py_ssize_t* shape, int axis,
                            int operands, const Py_ssize_t** strides) noexcept:
    """Collect all dimensions but ``axis``, sorted by descending stride of operand 0, and merge them."""
    cdef int d, k, n = 0
    lanes.size = 1
    for d in range(ndim):
        if d == axis:
            continue
        lanes.size *= shape[d]
        if shape[d] == 1:
            continue
        lanes.shape[n] = shape[d]
        for k in range(operands):
            lanes.strides[k][n] = strides[k][d]
        n += 1
    sort_axes(n, lanes.shape, lanes.strides, operands, 0)
    lanes.ndim = merge_axes(n, lanes.shape, lanes.strides, operands)
