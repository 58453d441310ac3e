"""Numbers of Python from elements in host memory."""
from gpunp.dtype_codes cimport F2, is_complex

# The number that NumPy's scalar of a real dtype but float16 converts to.
cdef object python_number(int code, const void* value)


cdef inline bint is_real(int code) noexcept:
    """Whether elements become numbers of Python without NumPy: real dtypes but float16."""
    return code != F2 and not is_complex(code)
