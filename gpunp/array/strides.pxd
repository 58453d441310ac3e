"""Arithmetic on shapes and strides, in C; all strides are in bytes."""

cdef inline Py_ssize_t product(int ndim, const Py_ssize_t* shape) noexcept nogil:
    cdef Py_ssize_t size = 1
    cdef int d
    for d in range(ndim):
        size *= shape[d]
    return size


cdef inline void _dense_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize, bint f_order,
                                const int* axes, Py_ssize_t* strides) noexcept nogil:
    """Dense strides, in which empty axes count as length 1, as in NumPy's views; new empty arrays have strides of 0."""
    cdef Py_ssize_t step = itemsize
    cdef int i, d
    for i in range(ndim):
        d = axes[i] if axes != NULL else i if f_order else ndim - 1 - i
        strides[d] = step
        if shape[d] > 1:
            step *= shape[d]


cdef inline void c_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize,
                           Py_ssize_t* strides) noexcept nogil:
    _dense_strides(ndim, shape, itemsize, False, NULL, strides)


cdef inline void f_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize,
                           Py_ssize_t* strides) noexcept nogil:
    _dense_strides(ndim, shape, itemsize, True, NULL, strides)


cdef inline void permuted_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize, const int* axes,
                                  Py_ssize_t* strides) noexcept nogil:
    """Dense strides where ``axes`` lists the axes from the fastest varying to the slowest."""
    _dense_strides(ndim, shape, itemsize, False, axes, strides)


cdef inline bint _is_contiguous(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                                Py_ssize_t itemsize, bint f_order) noexcept nogil:
    cdef Py_ssize_t step = itemsize
    cdef bint contiguous = True
    cdef int i, d
    for i in range(ndim):
        d = i if f_order else ndim - 1 - i
        if shape[d] == 0:
            return True
        if shape[d] != 1:
            if strides[d] != step:
                contiguous = False
            step *= shape[d]
    return contiguous


cdef inline bint is_c_contiguous(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                                 Py_ssize_t itemsize) noexcept nogil:
    return _is_contiguous(ndim, shape, strides, itemsize, False)


cdef inline bint is_f_contiguous(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                                 Py_ssize_t itemsize) noexcept nogil:
    return _is_contiguous(ndim, shape, strides, itemsize, True)


cdef inline void extent(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, Py_ssize_t itemsize,
                        Py_ssize_t* low, Py_ssize_t* high) noexcept nogil:
    """The bytes that an array touches, relative to its first element: [low, high)."""
    cdef int d
    low[0] = 0
    high[0] = itemsize
    for d in range(ndim):
        if shape[d] == 0:
            high[0] = 0
            low[0] = 0
            return
        if strides[d] > 0:
            high[0] += (shape[d] - 1) * strides[d]
        else:
            low[0] += (shape[d] - 1) * strides[d]
