"""The memory that an array needs."""
from gpunp.dtype_codes cimport itemsize_of

cdef extern from *:
    """
    static inline int gpunp_multiply(Py_ssize_t a, Py_ssize_t b, Py_ssize_t* result) {
        return __builtin_mul_overflow(a, b, result);
    }
    """
    bint gpunp_multiply(Py_ssize_t a, Py_ssize_t b, Py_ssize_t* result) noexcept nogil


cdef inline Py_ssize_t nbytes_of(int code, int ndim, const Py_ssize_t* shape) except -1:
    """Bytes of a dense array. Empty axes count as length 1 in the check, so that every stride is representable."""
    cdef Py_ssize_t nbytes = itemsize_of(code)
    cdef bint empty = False
    cdef int d
    for d in range(ndim):
        if shape[d] == 0:
            empty = True
        elif gpunp_multiply(nbytes, shape[d], &nbytes):
            raise ValueError("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
                             f"possible size: shape {tuple([shape[d] for d in range(ndim)])}")
    return 0 if empty else nbytes
