"""The dtype codes of the kernels, and predicates that follow from their order."""

cdef extern from "gpunp/dtype_codes.h" namespace "gpunp" nogil:
    enum:
        BOOL, I1, U1, I2, U2, I4, U4, I8, U8, F2, F4, F8, C8, C16, NUM_DTYPES
    # Bytes of an element.
    int itemsize_of "gpunp::dtype_size"(int code)


cdef inline bint is_integer(int code) noexcept nogil:
    """Whether a code is of an integer type; bool is not."""
    return I1 <= code <= U8


cdef inline bint is_signed(int code) noexcept nogil:
    """Whether a code is of a signed integer type."""
    return is_integer(code) and code % 2 == I1


cdef inline bint is_inexact(int code) noexcept nogil:
    """Whether a code is of a floating-point or complex type, as `numpy.inexact`."""
    return F2 <= code <= C16


cdef inline bint is_complex(int code) noexcept nogil:
    return C8 <= code <= C16
