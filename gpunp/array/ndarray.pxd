"""The device array: shape, strides, dtype and a buffer; algorithms are installed through ``hooks``."""
from gpunp.array.operators cimport Operators
from gpunp.device cimport RESERVED, Buffer, Device

cdef enum:
    MAX_NDIM = 64
    INLINE_NDIM = 6


cdef class ndarray(Operators):
    cdef char* _data            # read it through data_ptr() or address() only
    cdef Py_ssize_t* shape_     # ndim entries
    cdef Py_ssize_t* strides_   # ndim entries, in bytes
    cdef Py_ssize_t[12] inline_dims     # 2 * INLINE_NDIM
    cdef int ndim_
    cdef int code               # of dtype_codes
    cdef int itemsize_
    cdef bint c_contiguous
    cdef bint f_contiguous
    cdef bint writeable
    cdef bint scalar            # represents a NumPy scalar: zero-dimensional and immutable
    cdef Py_ssize_t size_
    cdef Buffer buffer
    cdef Device device_
    cdef object base_           # the array this one is a view of, or None
    cdef object fetched         # the value of a scalar as a NumPy scalar, once it was fetched
    cdef object __weakref__

    cdef inline char* data_ptr(self) except? NULL:
        """The only access to the memory; deferred operations that use it run first."""
        if self.buffer.uses or <size_t>self._data >= RESERVED:
            settle_array(self)
        return self._data

    cdef inline char* read_ptr(self) except? NULL:
        """The same for memory that is only read, right before it is."""
        if self.buffer.writes or <size_t>self._data >= RESERVED:
            settle_array(self)
        return self._data

    cdef inline char* address(self) noexcept:
        """The address for views and comparisons of addresses; what is there may not be computed yet."""
        if <size_t>self._data >= RESERVED:
            settle_address(self)
        return self._data


# Run deferred operations, and set the address of the array.
cdef int settle_array(ndarray array) except -1
# Set the address of the array if its buffer has memory by now.
cdef void settle_address(ndarray array) noexcept


# A new uninitialized C-ordered array; one without elements has strides of 0, as in NumPy. If ``later``, its memory
# is allocated when it is needed.
cdef ndarray new_array(int code, int ndim, const Py_ssize_t* shape, Device device, bint later=*)
# A new uninitialized array with the given strides over a buffer of its own; an empty one has strides of 0.
cdef ndarray new_array_strided(int code, int ndim, const Py_ssize_t* shape,
                               const Py_ssize_t* strides, Device device, bint later=*)
# A view into ``parent``'s buffer: ``data`` is the address of its first element.
cdef ndarray new_view(ndarray parent, char* data, int code, int ndim,
                      const Py_ssize_t* shape, const Py_ssize_t* strides)
# An array over a buffer, without a base: ``data`` is the address of its first element.
cdef ndarray new_from_buffer(Buffer buffer, char* data, int code, int ndim,
                             const Py_ssize_t* shape, const Py_ssize_t* strides, bint writeable)
cdef int code_of(object dtype) except -1
cdef object dtype_of(int code)
cdef tuple shape_tuple(ndarray self)
# Raise when ``array`` must not be written to.
cdef int require_writeable(ndarray array) except -1
# A copy that is not marked as a scalar.
cdef ndarray unmarked_copy(ndarray source)


cdef inline ndarray as_scalar(ndarray fresh):
    """Mark a new result as a scalar if it has no dimensions, where NumPy would return a scalar."""
    if fresh.ndim_ == 0:
        fresh.scalar = True
        fresh.writeable = False
    return fresh
