"""Memory orders and shape arguments, for code that creates arrays."""
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device

# The character C, F, A or K of an ``order=`` argument; None is K.
cdef int order_code(object order) except -1
# Fill ``out`` from an int or a sequence of ints; return the number of dimensions.
cdef int parse_shape(object shape, Py_ssize_t* out) except -1
# Axes of ``source`` from the smallest stride to the largest; axes of equal stride stay in C order.
cdef void keep_axes(ndarray source, int* axes) noexcept
cdef ndarray new_like(ndarray source, int code, int order, Device device)
# Whether a value is one of the objects that usually name a dtype; set its code.
cdef bint names_code(object dtype, int* code) except -1
