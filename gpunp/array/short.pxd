"""Which arrays on the CPU device are so short that a call needs no launch."""
from cpython.long cimport PyLong_CheckExact

from gpunp.array.ndarray cimport ndarray

cdef enum:
    SHORT_BYTES = 1 << 14   # of arrays that are read or written without a launch
    FEW_BYTES = 1 << 10     # where a kernel is faster for more


cdef inline bint is_short(object value, Py_ssize_t nbytes=SHORT_BYTES) noexcept:
    """Whether a value is an array whose elements lie one after the other in host memory, and are few.

    They have been computed, and are not shared with the host.
    """
    cdef ndarray a
    if type(value) is not ndarray:
        return False
    a = <ndarray>value
    return (a.device_.is_cpu and a.c_contiguous and a.size_ * a.itemsize_ <= nbytes
            and a.size_ < a.device_.deferred_elements and a.buffer.writes == 0)


cdef inline bint is_row(object value, int code, Py_ssize_t nbytes=SHORT_BYTES) noexcept:
    """Whether a value is such an array of one axis and a dtype."""
    return is_short(value, nbytes) and (<ndarray>value).ndim_ == 1 and (<ndarray>value).code == code


cdef inline bint is_number(object value, int number) except -1:
    """Whether a value is an integer of Python, and this one."""
    return PyLong_CheckExact(value) and value == number
