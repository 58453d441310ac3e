"""The device array.

The class holds layout and memory. Operators, indexing and methods are installed from outside: C functions
through ``hooks``, Python functions through `gpunp.array.completion.install`.
"""
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from gpunp.array.dtype import DTYPES, dtype_code
from gpunp.array.nbytes cimport gpunp_multiply, nbytes_of
from gpunp.array.operators cimport hooks
from gpunp.array.strides cimport is_c_contiguous, is_f_contiguous, product
from gpunp.array.tuples cimport tuple_of
from gpunp.device cimport BY_EXPORT, RESERVED, Buffer, Device, flush_because, provide
from gpunp.dtype_codes cimport itemsize_of
from gpunp.recycling cimport recycle
from gpunp.status cimport GPUNP_STATUS_INDEX_OUT_OF_BOUNDS
from gpunp.watching cimport shared_of, watches, written

from gpunp.deferring import refuse_nested_use
from gpunp.device import register_report

cdef extern from "Python.h":
    void PyObject_GC_Track(object value)

cdef extern from *:
    ndarray take "gpunp_take_as" (object type)
    ndarray released "gpunp_released" (ndarray variable)

cdef tuple _dtypes = DTYPES
cdef dict _codes = {dtype: code for code, dtype in enumerate(DTYPES)}

register_report(GPUNP_STATUS_INDEX_OUT_OF_BOUNDS, IndexError, "an index was out of bounds for its axis")

# Implementations of special methods in Python, by name; gpunp/array/completion.pyx fills it.
cdef dict _behaviour = {}
BEHAVIOUR = _behaviour


cdef int code_of(object dtype) except -1:
    """Code of a dtype object; the caller handles the byte order."""
    cdef object code = _codes.get(dtype)
    return dtype_code(dtype) if code is None else <int>code


cdef object dtype_of(int code):
    return _dtypes[code]


cdef tuple shape_tuple(ndarray self):
    return tuple_of(self.ndim_, self.shape_)


cdef int require_writeable(ndarray array) except -1:
    if array.scalar:
        raise TypeError("a scalar is immutable, as in NumPy: it is the result of a call that returns a number; "
                        "gpunp.asarray(scalar) returns a writable array")
    if not array.writeable:
        raise ValueError("assignment destination is read-only; write into a copy()")
    if watches and shared_of(array.buffer) is not None:
        raise BufferError("the memory of the array is shared with the host")
    return 0


cdef inline int _make_room(ndarray self, int ndim) except -1:
    self.ndim_ = 0
    self.shape_ = self.inline_dims
    if ndim > INLINE_NDIM:
        self.shape_ = <Py_ssize_t*>malloc(2 * ndim * sizeof(Py_ssize_t))
        if self.shape_ == NULL:
            raise MemoryError()
    self.strides_ = self.shape_ + ndim
    self.ndim_ = ndim
    return 0


cdef inline int _set_dims(ndarray self, int ndim, const Py_ssize_t* shape) except -1:
    _make_room(self, ndim)
    memcpy(self.shape_, shape, ndim * sizeof(Py_ssize_t))
    self.size_ = product(ndim, shape)
    return 0


cdef int settle_array(ndarray array) except -1:
    if watches:
        written(array.buffer)
    if array.buffer.uses or <size_t>array._data >= RESERVED:
        if array.device_.flush() and array.buffer.writes:
            refuse_nested_use()
    if <size_t>array._data >= RESERVED:
        provide(array.buffer)
        settle_address(array)
    return 0


cdef void settle_address(ndarray array) noexcept:
    if array.buffer.ptr != NULL:
        array._data = <char*>array.buffer.ptr + (<size_t>array._data - array.buffer.reserved)


cdef ndarray new_array(int code, int ndim, const Py_ssize_t* shape, Device device, bint later=False):
    cdef ndarray self = take(ndarray)
    cdef Py_ssize_t nbytes = itemsize_of(code), size = 1, extent
    cdef int long_axes = 0, d
    _make_room(self, ndim)
    self.code, self.itemsize_ = code, nbytes
    for d in range(ndim - 1, -1, -1):
        extent = shape[d]
        self.shape_[d], self.strides_[d] = extent, nbytes
        size *= extent
        if extent > 1:
            long_axes += 1
            if gpunp_multiply(nbytes, extent, &nbytes):
                nbytes_of(code, ndim, shape)    # which raises
    if size == 0:
        nbytes = 0
        memset(self.strides_, 0, ndim * sizeof(Py_ssize_t))
    self.size_ = size
    self.c_contiguous = self.writeable = True
    self.f_contiguous = long_axes <= 1 or size == 0
    self.scalar = False
    if self.device_ is not device:
        self.device_ = device
    self.buffer = device.reserve(nbytes) if later else device.allocate(nbytes)
    _set_data(self)
    if later or not device.is_cpu:
        PyObject_GC_Track(self)
    return released(self)


cdef inline void _set_data(ndarray self) noexcept:
    self._data = <char*>self.buffer.reserved if self.buffer.reserved else <char*>self.buffer.ptr


cdef inline void _set_flags(ndarray self) noexcept:
    if self.ndim_ == 1:
        self.c_contiguous = self.f_contiguous = self.strides_[0] == self.itemsize_ or self.size_ <= 1
        return
    self.c_contiguous = is_c_contiguous(self.ndim_, self.shape_, self.strides_, self.itemsize_)
    self.f_contiguous = is_f_contiguous(self.ndim_, self.shape_, self.strides_, self.itemsize_)


cdef ndarray new_from_buffer(Buffer buffer, char* data, int code, int ndim,
                             const Py_ssize_t* shape, const Py_ssize_t* strides, bint writeable):
    cdef ndarray self = take(ndarray)
    cdef int d
    _make_room(self, ndim)
    self.size_ = 1
    for d in range(ndim):
        self.shape_[d], self.strides_[d] = shape[d], strides[d]
        self.size_ *= shape[d]
    self.code, self.itemsize_ = code, itemsize_of(code)
    _set_flags(self)
    self.writeable = writeable
    self.scalar = False
    if self.device_ is not buffer.device:
        self.device_ = buffer.device
    self.buffer, self._data = buffer, data
    # Only memory that others own can be part of a reference cycle.
    if buffer.owner is not None or buffer.memory is not None or buffer.reserved or not buffer.device.is_cpu:
        PyObject_GC_Track(self)
    return released(self)


cdef ndarray new_array_strided(int code, int ndim, const Py_ssize_t* shape,
                               const Py_ssize_t* strides, Device device, bint later=False):
    cdef Py_ssize_t nbytes = nbytes_of(code, ndim, shape)
    cdef Buffer buffer = device.reserve(nbytes) if later else device.allocate(nbytes)
    cdef ndarray self = new_from_buffer(buffer, <char*>buffer.ptr, code, ndim, shape, strides, True)
    _set_data(self)
    if self.size_ == 0:
        memset(self.strides_, 0, ndim * sizeof(Py_ssize_t))
    return released(self)


cdef ndarray new_view(ndarray parent, char* data, int code, int ndim,
                      const Py_ssize_t* shape, const Py_ssize_t* strides):
    cdef ndarray self
    cdef Py_ssize_t offset
    if parent.scalar and ndim:
        # A view with dimensions is writable, so it is over a copy of the scalar.
        offset = data - parent.address()
        parent = unmarked_copy(parent)
        return new_from_buffer(parent.buffer, parent.data_ptr() + offset, code, ndim, shape, strides, True)
    self = new_from_buffer(parent.buffer, data, code, ndim, shape, strides, parent.writeable)
    self.scalar = parent.scalar
    if not parent.scalar:
        self.base_ = parent if parent.base_ is None else parent.base_
    return released(self)


cdef ndarray unmarked_copy(ndarray source):
    cdef ndarray self = new_array(source.code, source.ndim_, source.shape_, source.device_)
    hooks.copy(self, source)
    return released(self)


cdef class ndarray(Operators):
    """An array on a device.

    Arrays are made by functions (`gpunp.asarray`, `gpunp.zeros`, ...), by any ``numpy`` function
    of another device array, or by ``gpunp.ndarray(shape, dtype)``, which is uninitialized.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype-like, default float64
    buffer : ndarray, optional
        A contiguous device array, of whose memory the new array is a view.
    offset : int, default 0
        Position of the first element in `buffer`, in bytes.
    strides : tuple of int, optional
        In bytes.
    order : {"C", "F"}, default "C"
    device : Device or str, optional
        The current device by default, or that of `buffer`.
    memptr : MemoryPointer, optional
        Memory of a device, such as ``gpunp.cuda.alloc(nbytes)`` or ``array.data``, instead of `buffer`.
    """

    def __init__(self, shape, dtype=None, buffer=None, offset=0, strides=None, order=None, device=None, *, memptr=None):
        # Runs only for calls of the class; C code creates arrays by __new__.
        cdef ndarray made
        if memptr is not None:
            if buffer is not None:
                raise TypeError("ndarray: memptr and buffer both name the memory; give one of them")
            buffer = memptr
        made = _behaviour["construct"](shape, dtype, buffer, offset, strides, order, device)
        if self.shape_ != NULL:
            raise TypeError("ndarray: an array cannot be initialized a second time")
        _set_dims(self, made.ndim_, made.shape_)
        memcpy(self.strides_, made.strides_, made.ndim_ * sizeof(Py_ssize_t))
        self.code = made.code
        self.itemsize_ = made.itemsize_
        self.c_contiguous = made.c_contiguous
        self.f_contiguous = made.f_contiguous
        self.writeable = made.writeable
        self.device_ = made.device_
        self.buffer = made.buffer
        self.base_ = made.base_
        self._data = made._data

    def __dealloc__(self):
        if self.shape_ != NULL and self.shape_ != self.inline_dims:
            free(self.shape_)

    @property
    def shape(self):
        """The extents of the axes, a tuple of ints. Assigning to it reshapes the array itself."""
        return shape_tuple(self)

    @shape.setter
    def shape(self, value):
        cdef ndarray view
        cdef int d
        if self.scalar:
            raise AttributeError("attribute 'shape' of a scalar is not writable; use reshape")
        view = _behaviour["reshaped_view"](self, value)
        if self.shape_ != self.inline_dims:
            free(self.shape_)
        _set_dims(self, view.ndim_, view.shape_)
        for d in range(view.ndim_):
            self.strides_[d] = view.strides_[d]
        self.c_contiguous, self.f_contiguous = view.c_contiguous, view.f_contiguous

    @shape.deleter
    def shape(self):
        raise AttributeError("Cannot delete array shape")

    @property
    def strides(self):
        """Bytes from one element to the next along each axis."""
        return tuple_of(self.ndim_, self.strides_)

    @property
    def dtype(self):
        """The NumPy dtype of the elements."""
        return _dtypes[self.code]

    @property
    def ndim(self):
        """Number of axes."""
        return self.ndim_

    @property
    def size(self):
        """Number of elements."""
        return self.size_

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self.itemsize_

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.size_ * self.itemsize_

    @property
    def device(self):
        """The `gpunp.Device` that holds the elements."""
        return self.device_

    @property
    def base(self):
        """The array that this one is a view of, or None."""
        return self.base_

    @property
    def data_address(self):
        """Device address of the first element, an integer, for use outside gpunp."""
        if self.buffer.uses:
            flush_because(self.device_, BY_EXPORT)
        self.buffer.exposed = True
        return <size_t>self.data_ptr()

    @property
    def _element_place(self):
        """A number that differs between elements of living arrays as their addresses do, for comparisons only."""
        return <size_t>self.address()

    @property
    def buffer_address(self):
        """Device address and length in bytes of the memory that this array is a view into."""
        self.data_ptr()
        return <size_t>self.buffer.ptr, self.buffer.nbytes

    @property
    def _flag_bits(self):
        """(c_contiguous, f_contiguous, writeable)"""
        return self.c_contiguous, self.f_contiguous, self.writeable

    def _set_writeable(self, bint value):
        if value and self.scalar:
            raise ValueError("cannot set WRITEABLE flag to True of a scalar; gpunp.asarray(scalar) is an array")
        if value and self.base_ is not None and not (<ndarray>self.base_).writeable:
            raise ValueError("cannot set WRITEABLE flag to True of this array: its base is read-only")
        self.writeable = value

    @property
    def _is_scalar(self):
        """Whether the array represents a NumPy scalar."""
        return self.scalar

    def _mark_scalar(self):
        """Mark a new array as a scalar if it has no dimensions, and return it."""
        return as_scalar(self)

    def _unmark_scalar(self):
        """Turn a new scalar to which there is no other reference back into an array, and return it."""
        if self.scalar:
            self.scalar, self.writeable, self.fetched = False, True, None
        return self

    @property
    def T(self):
        """The transpose, a view with the axes reversed."""
        cdef Py_ssize_t[MAX_NDIM] shape
        cdef Py_ssize_t[MAX_NDIM] strides
        cdef int d, n = self.ndim_
        for d in range(n):
            shape[d] = self.shape_[n - 1 - d]
            strides[d] = self.strides_[n - 1 - d]
        return new_view(self, self.address(), self.code, n, shape, strides)

    def __len__(self):
        if self.ndim_ == 0:
            raise TypeError("len() of unsized object")
        return self.shape_[0]

    def __iter__(self):
        if self.ndim_ == 0:
            raise TypeError("iteration over a 0-d array")
        return (hooks.getitem(self, i) for i in range(self.shape_[0]))

    def __contains__(self, value):
        return bool(_behaviour["__contains__"](self, value))

    def __getitem__(self, key):
        return hooks.getitem(self, key)

    def __setitem__(self, key, value):
        hooks.setitem(self, key, value)

    def __delitem__(self, key):
        raise ValueError("cannot delete array elements")

    __array_priority__ = 100.0

    def __array__(self, dtype=None, copy=None):
        return _behaviour["__array__"](self, dtype, copy)

    def __array_function__(self, func, types, args, kwargs):
        return _behaviour["__array_function__"](self, func, types, args, kwargs)

    def __repr__(self):
        return _behaviour["__repr__"](self)

    def __str__(self):
        return _behaviour["__str__"](self)

    def __format__(self, spec):
        return _behaviour["__format__"](self, spec)

    def __reduce__(self):
        return _behaviour["__reduce__"](self)

    def __copy__(self):
        return _behaviour["__copy__"](self)

    def __deepcopy__(self, memo):
        return _behaviour["__deepcopy__"](self, memo)


cdef int _clear(PyObject* array) noexcept:
    if (<ndarray>array).shape_ != (<ndarray>array).inline_dims:
        return False
    (<ndarray>array).buffer = None
    if (<ndarray>array).base_ is not None:
        (<ndarray>array).base_ = None
    if (<ndarray>array).fetched is not None:
        (<ndarray>array).fetched = None
    return True


recycle(ndarray, <void*>_clear)
