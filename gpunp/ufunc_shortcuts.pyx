"""Methods of ufuncs whose calls on few elements need no launch on the CPU device: accumulate, at and reduceat.

As in `gpunp.function_shortcuts`, what is not as simple as the functions here expect goes on to the methods themselves.
"""
import numpy

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int64_t, uint64_t

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.array.returning cimport released
from gpunp.array.short cimport is_number, is_row
from gpunp.array.transfer cimport array_of_numbers
from gpunp.dtype_codes cimport F8, I8
from gpunp.ufunc.copying cimport overlaps

from gpunp.dispatch.registry import HANDLERS, SHORT_FUNCTIONS
from gpunp.ufunc.function_calls import use_methods
from gpunp.ufunc.operators import use_short_methods

cdef enum:
    ADD, SUBTRACT, MULTIPLY, MAXIMUM, MINIMUM

ctypedef fused Number:
    double
    int64_t

cdef dict _handlers = HANDLERS
# The ufuncs that fold here.
cdef dict _operations = {
    numpy.add: ADD, numpy.subtract: SUBTRACT, numpy.multiply: MULTIPLY, numpy.maximum: MAXIMUM, numpy.minimum: MINIMUM,
}


cdef inline Number _combined(int operation, Number a, Number b) noexcept:
    if Number is double:
        if a != a and operation >= MAXIMUM:
            return a
    if operation == MAXIMUM:
        return a if a >= b else b
    if operation == MINIMUM:
        return a if a <= b else b
    if Number is double:
        return a + b if operation == ADD else a - b if operation == SUBTRACT else a * b
    else:
        # Unsigned, because integers wrap around.
        return <int64_t>(<uint64_t>a + <uint64_t>b if operation == ADD else <uint64_t>a - <uint64_t>b
                         if operation == SUBTRACT else <uint64_t>a * <uint64_t>b)


cdef void _accumulate(const Number* x, Number* out, Py_ssize_t n, int operation) noexcept:
    """In NumPy's order."""
    cdef Py_ssize_t i
    cdef Number total = x[0]
    out[0] = total
    for i in range(1, n):
        total = _combined(operation, total, x[i])
        out[i] = total


cdef object _accumulated(object a, int operation):
    cdef ndarray source, made
    if not (is_row(a, F8) or is_row(a, I8)) or (<ndarray>a).size_ == 0:
        return None
    source = <ndarray>a
    made = new_array(source.code, 1, source.shape_, source.device_)
    if source.code == F8:
        _accumulate[double](<const double*>source.read_ptr(), <double*>made._data, source.size_, operation)
    else:
        _accumulate[int64_t](<const int64_t*>source.read_ptr(), <int64_t*>made._data, source.size_, operation)
    return released(made)


cdef inline bint _means_all(object axis) except -1:
    return axis is None or is_number(axis, 0)


def cumsum(a, axis=None, dtype=None, out=None):
    found = _accumulated(a, ADD) if dtype is None and out is None and _means_all(axis) else None
    return _handlers[numpy.cumsum](a, axis, dtype, out) if found is None else found


def cumprod(a, axis=None, dtype=None, out=None):
    found = _accumulated(a, MULTIPLY) if dtype is None and out is None and _means_all(axis) else None
    return _handlers[numpy.cumprod](a, axis, dtype, out) if found is None else found


def accumulate(ufunc, array):
    """``ufunc.accumulate(array)``; None where there is no short way."""
    operation = _operations.get(ufunc)
    return None if operation is None else _accumulated(array, operation)


cdef void _fold_segments(const Number* x, const int64_t* starts, Number* out, Py_ssize_t count, Py_ssize_t n,
                         int operation) noexcept:
    cdef Py_ssize_t i, j, end
    cdef Number total
    for i in range(count):
        end = starts[i + 1] if i + 1 < count else n
        total = x[starts[i]]
        for j in range(starts[i] + 1, end):
            total = _combined(operation, total, x[j])
        out[i] = total


def reduceat(ufunc, array, indices):
    """``ufunc.reduceat(array, indices)``; None where there is no short way."""
    cdef ndarray source, made
    cdef const int64_t* starts
    cdef Py_ssize_t i
    operation = _operations.get(ufunc)
    if operation is None or not (is_row(array, F8) or is_row(array, I8)):
        return None
    if PyList_CheckExact(indices):
        indices = array_of_numbers(indices, None, (<ndarray>array).device_)
    if not is_row(indices, I8):
        return None
    source = <ndarray>array
    starts = <const int64_t*>(<ndarray>indices).read_ptr()
    for i in range((<ndarray>indices).size_):
        if not 0 <= starts[i] < source.size_:
            return None
    made = new_array(source.code, 1, (<ndarray>indices).shape_, source.device_)
    if source.code == F8:
        _fold_segments[double](<const double*>source.read_ptr(), starts, <double*>made._data, made.size_, source.size_,
                               operation)
    else:
        _fold_segments[int64_t](<const int64_t*>source.read_ptr(), starts, <int64_t*>made._data, made.size_,
                                source.size_, operation)
    return released(made)


cdef void _combine_at(Number* target, const int64_t* places, Py_ssize_t count, Py_ssize_t n, const Number* values,
                      Py_ssize_t step, int operation) noexcept:
    cdef Py_ssize_t i
    cdef Number* element
    for i in range(count):
        element = target + (places[i] + n if places[i] < 0 else places[i])
        element[0] = _combined(operation, element[0], values[i * step])


def at(ufunc, array, indices, values):
    """``ufunc.at(array, indices, values)``: whether there was a short way."""
    cdef ndarray target, given
    cdef const int64_t* places
    cdef const void* data
    cdef double real
    cdef int64_t integer
    cdef Py_ssize_t i, count, step = 0
    cdef int overflow = 0
    operation = _operations.get(ufunc)
    if (operation is None or not (is_row(array, F8) or is_row(array, I8)) or not (<ndarray>array).writeable
            or not is_row(indices, I8)):
        return False
    target, count = <ndarray>array, (<ndarray>indices).size_
    if PyFloat_CheckExact(values) and target.code == F8:
        real = PyFloat_AS_DOUBLE(values)
        data = &real
    elif PyLong_CheckExact(values):
        integer = PyLong_AsLongLongAndOverflow(values, &overflow)
        real = <double>integer
        if overflow:
            return False
        data = <const void*>&real if target.code == F8 else <const void*>&integer
    elif is_row(values, target.code) and (<ndarray>values).size_ == count:
        given = <ndarray>values
        if given.address() == target.address() or overlaps(given, target):
            return False
        data, step = given.read_ptr(), 1
    else:
        return False
    places = <const int64_t*>(<ndarray>indices).read_ptr()
    if (<ndarray>indices).address() == target.address() or overlaps(<ndarray>indices, target):
        return False
    for i in range(count):
        if not -target.size_ <= places[i] < target.size_:
            return False
    if target.code == F8:
        _combine_at[double](<double*>target.data_ptr(), places, count, target.size_, <const double*>data, step,
                            operation)
    else:
        _combine_at[int64_t](<int64_t*>target.data_ptr(), places, count, target.size_, <const int64_t*>data, step,
                             operation)
    return True


# A test compares the parameters with those of NumPy.
SHORT_FUNCTIONS.update({numpy.cumprod: cumprod, numpy.cumsum: cumsum})
use_methods({numpy.cumprod: cumprod, numpy.cumsum: cumsum})
use_short_methods(accumulate, reduceat, at)
