"""Conversion of arrays with one element to numbers on the host.

A *scalar* is an array without dimensions where NumPy would return a scalar. It is immutable, so its value is fetched
only once.
"""
from _thread import get_ident

from cpython.long cimport PyLong_FromDouble
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from gpunp.array.ndarray cimport dtype_of, ndarray, require_writeable, shape_tuple, unmarked_copy
from gpunp.array.operators cimport (
    FOR_BOOL, FOR_BYTES, FOR_COMPLEX, FOR_FLOAT, FOR_HASH, FOR_INDEX, FOR_INT, FOR_ITEM, hooks,
)
from gpunp.device cimport BY_READ, check_status, flush_because
from gpunp.dtype_codes cimport BOOL, F4, F8, I1, I2, I4, I8, U2, U4, U8, is_complex, is_integer

cdef dict _names = {FOR_INT: "int", FOR_FLOAT: "float", FOR_COMPLEX: "complex"}


cdef object python_number(int code, const void* value):
    """The number that NumPy's scalar of a real dtype converts to."""
    if code == F8:
        return (<const double*>value)[0]
    if code == F4:
        return <double>(<const float*>value)[0]
    if code == I8:
        return (<const int64_t*>value)[0]
    if code == BOOL:
        return (<const uint8_t*>value)[0] != 0
    if code == I4:
        return (<const int32_t*>value)[0]
    if code == U8:
        return (<const uint64_t*>value)[0]
    if code == U4:
        return (<const uint32_t*>value)[0]
    if code == I2:
        return (<const int16_t*>value)[0]
    if code == U2:
        return (<const uint16_t*>value)[0]
    return (<const int8_t*>value)[0] if code == I1 else (<const uint8_t*>value)[0]


cdef int _read(ndarray self, void* value) except -1:
    """Read the only element of an array on the CPU device; that of a scalar counts as a download only once."""
    if self.fetched is not None:
        memcpy(value, self.read_ptr(), self.itemsize_)
        return 0
    flush_because(self.device_, BY_READ)
    self.device_.copy_to_host(value, self.data_ptr(), self.itemsize_)
    if self.scalar:
        # Not a number: the memory has it, and counting references takes longer than to read it again.
        self.fetched = Ellipsis
    return 0


cdef object _fetched_number(ndarray self):
    """The only element of an array of a real dtype but float16, as a number of Python; waits for the device."""
    cdef double[2] value
    if self.device_.is_cpu:
        _read(self, value)
        return python_number(self.code, value)
    if self.fetched is not None:
        return self.fetched
    flush_because(self.device_, BY_READ)
    self.device_.copy_to_host(value, self.data_ptr(), self.itemsize_)
    check_status(self.device_)
    found = python_number(self.code, value)
    if self.scalar and _is_constant(self):
        self.fetched = found
    return found


cdef bint _is_constant(ndarray scalar) except -1:
    """Whether the memory of a scalar is not that of a graph, which a launch may change."""
    return not getattr(scalar.buffer if scalar.buffer.memory is None else scalar.buffer.memory, "is_replayed", False)


cdef object _fetched(ndarray self):
    """Fetch the only element as a NumPy scalar; waits for the device."""
    cdef char[16] value
    if is_real(self.code):
        return dtype_of(self.code).type(_fetched_number(self))
    if self.device_.is_cpu:
        _read(self, value)
        return np.frombuffer(value[:self.itemsize_], dtype_of(self.code))[0]
    if self.fetched is not None:
        return self.fetched
    flush_because(self.device_, BY_READ)
    self.device_.copy_to_host(value, self.data_ptr(), self.itemsize_)
    check_status(self.device_)
    found = np.frombuffer(value[:self.itemsize_], dtype_of(self.code))[0]
    if self.scalar and _is_constant(self):
        self.fetched = found
    return found


cdef int _require_one(ndarray self, int purpose) except -1:
    """Raise unless NumPy converts an array of this shape and dtype to a number for this purpose."""
    if purpose == FOR_INDEX:
        if self.ndim_ != 0 or not is_integer(self.code):
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
    elif purpose == FOR_HASH:
        if not self.scalar:
            raise TypeError("unhashable type: 'gpunp.ndarray'; the number array.item() is hashable")
    elif purpose == FOR_BOOL:
        if self.size_ == 0:
            raise ValueError("The truth value of an empty array is ambiguous. Use `array.size > 0` to check "
                             "that an array is not empty.")
        if self.size_ != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. "
                             "Use a.any() or a.all()")
    elif purpose == FOR_ITEM:
        if self.size_ != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
    elif self.ndim_ != 0:
        raise TypeError(f"only 0-dimensional arrays can be converted to Python scalars; {_names[purpose]}() got "
                        f"shape {shape_tuple(self)}, use .item()")
    return 0


cdef object _number(object array, int purpose):
    cdef ndarray self = <ndarray>array
    cdef double[2] real
    cdef int64_t integer
    if self.ndim_ == 0 and self.device_.is_cpu and purpose <= FOR_ITEM and purpose != FOR_COMPLEX:
        # The most common conversions, which are always possible.
        if self.code == F8 and purpose != FOR_INDEX:
            _read(self, real)
            if purpose == FOR_FLOAT or purpose == FOR_ITEM:
                return real[0]
            return real[0] != 0 if purpose == FOR_BOOL else PyLong_FromDouble(real[0])
        if self.code == I8:
            _read(self, real)
            integer = (<int64_t*>real)[0]
            if purpose == FOR_BOOL:
                return integer != 0
            return <double>integer if purpose == FOR_FLOAT else integer
        if self.code == BOOL and purpose == FOR_BOOL:
            _read(self, real)
            return (<uint8_t*>real)[0] != 0
    if purpose == FOR_BYTES:
        # To Python, bytes(x) of an object with __index__ is x zero bytes, which holds for NumPy's arrays too.
        return bytes(_number(self, FOR_INDEX)) if self.ndim_ == 0 and is_integer(self.code) else self.tobytes()
    _require_one(self, purpose)
    if is_real(self.code):
        value = _fetched_number(self)
        if purpose == FOR_ITEM:
            return value
    else:
        value = _fetched(self)
        if is_complex(self.code) and not self.scalar and (purpose == FOR_FLOAT or purpose == FOR_INT):
            # NumPy's complex scalars warn and drop the imaginary part; its arrays refuse.
            raise TypeError(f"{_names[purpose]}() argument must be a real number, not 'complex'; use .real")
    if purpose == FOR_FLOAT:
        return float(value)
    if purpose == FOR_BOOL:
        return bool(value)
    if purpose == FOR_INT or purpose == FOR_INDEX:
        return int(value)
    if purpose == FOR_COMPLEX:
        return complex(value)
    return hash(value) if purpose == FOR_HASH else value.item()


def host_scalar(ndarray array not None):
    """Return the value of a scalar as a NumPy scalar; waits for the device."""
    return _fetched(array)


def checked_output(ndarray out not None):
    """Return an ``out=`` argument; raise if it is a scalar, which is immutable."""
    if out.scalar:
        require_writeable(out)
    return out


def as_array(ndarray array not None):
    """Return a writable copy of a scalar, or any other array itself."""
    return unmarked_copy(array) if array.scalar else array


# Identifiers of the threads inside `without_fetching`.
cdef set _refusing = set()


cdef class without_fetching:
    """Context manager in which ``__array__`` of scalars raises too, so that inspecting a sequence fetches nothing."""

    cdef object thread

    def __enter__(self):
        thread = get_ident()
        self.thread = None if thread in _refusing else thread
        _refusing.add(thread)

    def __exit__(self, *error):
        if self.thread is not None:
            _refusing.discard(self.thread)


def stays_on_device():
    """Whether the calling thread is inside `without_fetching`."""
    return len(_refusing) > 0 and get_ident() in _refusing


hooks.number = _number
