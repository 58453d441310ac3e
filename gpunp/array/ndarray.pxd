"""The device array: shape, strides, dtype and a buffer; algorithms arrive through ``hooks``."""
from gpunp.array.operators cimport Operators
from gpunp.device cimport Buffer, Device

cdef enum:
    MAX_NDIM = 64
    INLINE_NDIM = 6


cdef class ndarray(Operators):
    cdef char* _data            # read it through data_ptr() only
    cdef Py_ssize_t* shape_     # ndim entries
    cdef Py_ssize_t* strides_   # ndim entries, in bytes
    cdef Py_ssize_t[12] inline_dims     # 2 * INLINE_NDIM
    cdef int ndim_
    cdef int code               # of dtype_codes
    cdef int itemsize_
    cdef bint c_contiguous
    cdef bint f_contiguous
    cdef bint writeable
    cdef bint scalar            # stands for a NumPy scalar: no dimensions, never written to again
    cdef Py_ssize_t size_
    cdef Buffer buffer
    cdef Device device_
    cdef object base_           # the array this one is a view of, or None
    cdef object fetched         # the NumPy scalar on the host, once a scalar was asked for it
    cdef object __weakref__

    cdef inline char* data_ptr(self) noexcept:
        """The one door to the memory: where a pending expression will be run."""
        return self._data


# A new uninitialised C-ordered array; one without elements has strides of 0, as in NumPy.
cdef ndarray new_array(int code, int ndim, const Py_ssize_t* shape, Device device)
# A new uninitialised array with the given strides over a buffer of its own; if empty, of 0.
cdef ndarray new_array_strided(int code, int ndim, const Py_ssize_t* shape,
                               const Py_ssize_t* strides, Device device)
# A view into ``parent``'s buffer: ``data`` is the address of its first element.
cdef ndarray new_view(ndarray parent, char* data, int code, int ndim,
                      const Py_ssize_t* shape, const Py_ssize_t* strides)
# An array over a whole buffer that is not (yet) an array's.
cdef ndarray new_from_buffer(Buffer buffer, char* data, int code, int ndim,
                             const Py_ssize_t* shape, const Py_ssize_t* strides, bint writeable)
cdef int code_of(object dtype) except -1
cdef object dtype_of(int code)
cdef tuple shape_tuple(ndarray self)
# Raise when ``array`` must not be written to.
cdef int require_writeable(ndarray array) except -1
# A copy that is no scalar.
cdef ndarray unmarked_copy(ndarray source)


cdef inline ndarray as_scalar(ndarray fresh):
    """Mark a new result, if it has no dimensions, as what NumPy returns a scalar for."""
    if fresh.ndim_ == 0:
        fresh.scalar = True
        fresh.writeable = False
    return fresh
