"""Memory orders and shape arguments, for those who make arrays."""
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device

# The character C, F, A or K of an ``order=`` argument; None is K.
cdef int order_code(object order) except -1
# Fill ``out`` from an int or a sequence of ints; gives the number of dimensions.
cdef int parse_shape(object shape, Py_ssize_t* out) except -1
# Dense strides; ``axes`` lists the axes from the fastest varying to the slowest.
cdef void fill_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize, const int* axes,
                       Py_ssize_t* strides) noexcept
# Axes of ``source`` from the smallest stride to the largest; equal ones stay in C order.
cdef void keep_axes(ndarray source, int* axes) noexcept
cdef ndarray new_like(ndarray source, int code, int order, Device device)
