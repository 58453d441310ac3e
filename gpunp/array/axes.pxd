"""The axes that the operands of a launch share: sorted by stride, and merged where one stride covers several.

Strides are in bytes; each operand has a row of MAX_NDIM of them.
"""
from gpunp.array.ndarray cimport MAX_NDIM


cdef inline Py_ssize_t magnitude(Py_ssize_t stride) noexcept nogil:
    return -stride if stride < 0 else stride


cdef inline void sort_axes(int ndim, Py_ssize_t* shape, Py_ssize_t (*strides)[MAX_NDIM], int operands,
                           int key) noexcept nogil:
    """Sort axes by the strides of operand ``key``, the largest first; axes of equal stride keep their order."""
    cdef int i, j, k
    for i in range(1, ndim):
        j = i
        while j > 0 and magnitude(strides[key][j - 1]) < magnitude(strides[key][j]):
            shape[j - 1], shape[j] = shape[j], shape[j - 1]
            for k in range(operands):
                strides[k][j - 1], strides[k][j] = strides[k][j], strides[k][j - 1]
            j -= 1


cdef inline int merge_into(int ndim, int operands, const Py_ssize_t* shape, const Py_ssize_t* strides, int most,
                           Py_ssize_t* to_shape, Py_ssize_t* to_strides) noexcept nogil:
    """Drop axes of length one, and merge neighboring axes that every operand traverses with one stride.

    Returns the number of axes left, or -1 if there are more than ``most``. The result may alias the input.
    """
    cdef int d, k, last = -1
    cdef Py_ssize_t extent
    cdef bint even
    for d in range(ndim):
        extent = shape[d]
        if extent == 1:
            continue
        even = last >= 0
        if even:
            for k in range(operands):
                if to_strides[k * MAX_NDIM + last] != strides[k * MAX_NDIM + d] * extent:
                    even = False
                    break
        if even:
            to_shape[last] *= extent
        else:
            last += 1
            if last == most:
                return -1
            to_shape[last] = extent
        for k in range(operands):
            to_strides[k * MAX_NDIM + last] = strides[k * MAX_NDIM + d]
    return last + 1


cdef inline int merge_axes(int ndim, Py_ssize_t* shape, Py_ssize_t (*strides)[MAX_NDIM],
                           int operands) noexcept nogil:
    """`merge_into` in place; returns the number of axes left, 0 if all had length one."""
    return merge_into(ndim, operands, shape, &strides[0][0], MAX_NDIM, shape, &strides[0][0])
