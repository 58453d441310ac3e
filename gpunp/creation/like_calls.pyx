"""Usual calls of NumPy's functions that create arrays, with ``like=``: no protocol and no code of Python.

NumPy takes half a microsecond to find the protocol of the reference array. What is not as simple as the functions here
expect, errors included, goes on to NumPy, which finds the handlers.
"""
import types

import numpy

cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_GET_SIZE, PySequence_Fast_ITEMS
from cpython.tuple cimport PyTuple_CheckExact
from libc.math cimport ceil, copysign
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from gpunp.array.layout cimport names_code
from gpunp.array.ndarray cimport MAX_NDIM, ndarray, new_array, new_view
from gpunp.array.operators cimport hooks
from gpunp.array.returning cimport released
from gpunp.array.short cimport SHORT_BYTES, is_short
from gpunp.array.transfer cimport array_of_numbers, is_word
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F4, F8, I8
from gpunp.ufunc.copying cimport fill
from gpunp.ufunc.operands cimport store_scalar
from gpunp.ufunc.vectorcalls cimport PyVectorcall_NARGS, Vectorcall, honour_vectorcall, replace_vectorcall

from gpunp.array.ndarray import BEHAVIOUR
from gpunp.creation.fill import fill_range
from gpunp.ufunc.function_calls import array_function

cdef enum:
    MOST_PARAMETERS = 8

# Returns the new array, or None. Arguments that were not given are NULL.
ctypedef object (*Create)(PyObject** values, Device device)

cdef str _LIKE = "like", _C = "C", _K = "K"
cdef dict _behaviour = BEHAVIOUR
cdef object _protocol = array_function
cdef object _float64 = numpy.float64
cdef object _dispatcher_type = type(numpy.sum)


cdef class Creation:
    """A function of NumPy that creates arrays: its parameters but ``like``, and what creates the array here."""

    cdef tuple names
    cdef int positional     # how many arguments need no name
    cdef int unnamed        # how many cannot have one
    cdef Create create


cdef inline bint _is_default(PyObject* value) noexcept:
    return value == NULL or value == <PyObject*>None


cdef inline bint _integer(PyObject* value, long long default, long long* out) except -1:
    """Whether an argument is an integer of Python that a word can hold, or not given."""
    if value == NULL:
        out[0] = default
        return True
    return is_word(<object>value, out)


cdef ndarray _uninitialized(PyObject* shape, PyObject* dtype, int default, PyObject* order, PyObject* place,
                            Device device):
    """A new array in C order, or None."""
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef PyObject** extents = &shape
    cdef Py_ssize_t i, ndim = 1
    cdef long long extent
    cdef int code = default
    if shape == NULL or not _is_default(place) or not (order == NULL or order == <PyObject*>_C):
        return None
    if not _is_default(dtype) and not names_code(<object>dtype, &code):
        return None
    if PyTuple_CheckExact(<object>shape) or PyList_CheckExact(<object>shape):
        ndim, extents = PySequence_Fast_GET_SIZE(<object>shape), PySequence_Fast_ITEMS(<object>shape)
        if ndim > MAX_NDIM:
            return None
    for i in range(ndim):
        if not _integer(extents[i], 0, &extent) or extent < 0:
            return None
        dims[i] = extent
    return new_array(code, ndim, dims, device)


cdef int _fill(ndarray made, const unsigned char* element) except -1:
    cdef Py_ssize_t i
    if not is_short(made):
        return fill(made, element)
    for i in range(made.size_):
        # Without a call of a function for elements of the most common size.
        if made.itemsize_ == 8:
            memcpy(made._data + 8 * i, element, 8)
        else:
            memcpy(made._data + i * made.itemsize_, element, made.itemsize_)
    return 0


cdef int _set_zero(ndarray made) except -1:
    check_status(made.device_)
    return made.device_.fill_bytes(made.data_ptr(), 0, made.size_ * made.itemsize_) if made.size_ else 0


cdef object _empty(PyObject** values, Device device):
    return _uninitialized(values[0], values[1], F8, values[2], values[3], device)


cdef object _zeros(PyObject** values, Device device):
    cdef ndarray made = _uninitialized(values[0], values[1], F8, values[2], values[3], device)
    if made is not None:
        _set_zero(made)
    return released(made)


cdef object _ones(PyObject** values, Device device):
    cdef unsigned char[16] one
    cdef ndarray made = _uninitialized(values[0], values[1], F8, values[2], values[3], device)
    if made is not None:
        store_scalar(one, made.code, 1)
        _fill(made, one)
    return released(made)


cdef object _full(PyObject** values, Device device):
    cdef unsigned char[16] element
    cdef ndarray made
    cdef long long integer
    cdef int default
    if values[1] == NULL:
        return None
    if PyFloat_CheckExact(<object>values[1]):
        default = F8
    elif _integer(values[1], 0, &integer):
        default = I8
    else:
        return None
    made = _uninitialized(values[0], values[2], default, values[3], values[4], device)
    # Other conversions may lose digits, about which NumPy has rules.
    if made is None or not (made.code == F8 or made.code == default or made.code == F4 and default == F8):
        return None
    store_scalar(element, made.code, <object>values[1])
    _fill(made, element)
    return released(made)


cdef object _matrix(PyObject** shape, PyObject* columns, PyObject* diagonal, PyObject* dtype, PyObject* order,
                    PyObject* place, Device device):
    """Zeros with ones on a diagonal."""
    cdef unsigned char[16] one
    cdef long long k, rows, width
    cdef Py_ssize_t length, step
    cdef ndarray made
    if shape[0] == NULL or not _integer(shape[0], 0, &rows) or rows < 0 or not _integer(diagonal, 0, &k):
        return None
    width = rows
    if not _is_default(columns) and not _integer(columns, 0, &width) or width < 0:
        return None
    extents = (rows, width)
    made = _uninitialized(<PyObject*>extents, dtype, F8, order, place, device)
    if made is None:
        return None
    _set_zero(made)
    length = min(rows + min(k, 0), width - max(k, 0))
    if -rows < k < width and length > 0:
        step = made.strides_[0] + made.strides_[1]
        store_scalar(one, made.code, 1)
        fill(new_view(made, made.address() + (made.strides_[1] * k if k > 0 else -made.strides_[0] * k), made.code, 1,
                      &length, &step), one)
    return made


cdef object _eye(PyObject** values, Device device):
    return _matrix(values, values[1], values[2], values[3], values[4], values[5], device)


cdef object _identity(PyObject** values, Device device):
    return _matrix(values, NULL, NULL, values[1], NULL, NULL, device)


cdef bint _real(PyObject* value, double* out, bint* is_float) except -1:
    """Whether an argument is a number that double precision holds exactly."""
    cdef long long integer
    if PyFloat_CheckExact(<object>value):
        out[0], is_float[0] = PyFloat_AS_DOUBLE(<object>value), True
        return True
    if _integer(value, 0, &integer) and -(1LL << 52) < integer < 1LL << 52:
        out[0] = integer
        return True
    return False


@cython.cdivision(True)
cdef object _arange(PyObject** values, Device device):
    """As `gpunp.creation.ranges.arange`, without launches for few elements."""
    cdef PyObject* ends[3]
    cdef double[3] number
    cdef bint is_float = False
    cdef double count, delta
    cdef Py_ssize_t i, length
    cdef int64_t first, step
    cdef int code
    cdef ndarray made
    if values[0] == NULL or not _is_default(values[4]):
        return None
    # A single number is the end.
    memset(ends, 0, sizeof(ends))
    ends[1], ends[2] = values[0], values[2]
    if not _is_default(values[1]):
        ends[0], ends[1] = values[0], values[1]
    number[0], number[2] = 0, 1
    for i in range(3):
        if ends[i] != NULL and not _real(ends[i], &number[i], &is_float):
            return None
    code = F8 if is_float else I8
    if number[2] == 0 or (not _is_default(values[3]) and not names_code(<object>values[3], &code)):
        return None
    if code != F8 and (code != I8 or is_float):
        return None
    count = (number[1] - number[0]) / number[2]
    # A range that begins with -0.0 needs another look, as does one whose numbers are not finite.
    delta = number[0] + number[2] - number[0]
    if not 0 < count < 1LL << 52 or not delta or (number[0] == 0 and copysign(1.0, number[0]) < 0):
        return None
    length = <Py_ssize_t>ceil(count)
    if length > SHORT_BYTES // 8 or not device.is_cpu:
        if code == I8:
            return fill_range(length, <int64_t>number[0], <int64_t>number[2], numpy.dtype(numpy.int64), device)
        return fill_range(length, number[0], delta if length > 1 else number[0], numpy.dtype(_float64), device)
    made = new_array(code, 1, &length, device)
    if length == 1:
        # The step to the next element may be infinite.
        delta = 0
    if code == F8:
        for i in range(length):
            (<double*>made._data)[i] = number[0] + i * delta
    else:
        first, step = <int64_t>number[0], <int64_t>number[2]
        for i in range(length):
            (<int64_t*>made._data)[i] = first + i * step
    return released(made)


cdef object _converted(PyObject* value, PyObject* dtype, PyObject* copy, Device device, bint copies):
    """``np.array`` and its relatives in any order; ``copies`` is the default of ``copy``."""
    cdef ndarray source, made
    cdef int code
    if value == NULL or not (copy == NULL or copy == <PyObject*>None or copy == <PyObject*>True):
        return None
    if copy != NULL:
        copies = copy == <PyObject*>True
    if type(<object>value) is not ndarray:
        return array_of_numbers(<object>value, None if dtype == NULL else <object>dtype, device)
    source = <ndarray>value
    code = source.code
    if not _is_default(dtype) and not names_code(<object>dtype, &code):
        return None
    if code != source.code or source.device_ is not device or source.scalar:
        return None
    if not copies:
        return source
    if not is_short(source):
        return None
    made = new_array(code, source.ndim_, source.shape_, device)
    memcpy(made._data, source.read_ptr(), source.size_ * source.itemsize_)
    return released(made)


cdef inline bint _keeps_order(PyObject* order) noexcept:
    return _is_default(order) or order == <PyObject*>_K


cdef object _array(PyObject** values, Device device):
    if not _keeps_order(values[3]) or values[5] != NULL or values[6] != NULL:
        return None
    if not (values[4] == NULL or values[4] == <PyObject*>True or values[4] == <PyObject*>False):
        return None
    return _converted(values[0], values[1], values[2], device, copies=True)


cdef object _asarray(PyObject** values, Device device):
    if not _keeps_order(values[2]) or not _is_default(values[3]):
        return None
    return _converted(values[0], values[1], values[4], device, copies=False)


cdef object _ascontiguousarray(PyObject** values, Device device):
    cdef object found = _converted(values[0], values[1], NULL, device, copies=False)
    cdef ndarray made
    if found is None or (<ndarray>found).ndim_ == 0 or (<ndarray>found).c_contiguous:
        return found if found is not None and (<ndarray>found).ndim_ else None
    made = new_array((<ndarray>found).code, (<ndarray>found).ndim_, (<ndarray>found).shape_, device)
    hooks.copy(made, found)
    return released(made)


# By NumPy's functions, and by the objects that functions in Python hand ``like=`` to.
cdef dict _creations = {}


cdef int _add_creation(object function, tuple names, int positional, Create create, int unnamed=0) except -1:
    cdef Creation made = Creation()
    made.names, made.positional, made.create, made.unnamed = names, positional, create, unnamed
    _creations[function] = made
    return 0


for _function in (numpy.empty, numpy.zeros, numpy.ones):
    _add_creation(_function, ("shape", "dtype", "order", "device"), 3,
                  _empty if _function is numpy.empty else _zeros if _function is numpy.zeros else _ones)
_add_creation(numpy.full, ("shape", "fill_value", "dtype", "order", "device"), 4, _full)
_add_creation(numpy.eye, ("N", "M", "k", "dtype", "order", "device"), 5, _eye)
_add_creation(numpy.identity, ("n", "dtype"), 2, _identity)
_add_creation(numpy.arange, ("start", "stop", "step", "dtype", "device"), 4, _arange, 1)
_add_creation(numpy.array, ("object", "dtype", "copy", "order", "subok", "ndmin", "ndmax"), 2, _array)
for _function in (numpy.asarray, numpy.asanyarray):
    _add_creation(_function, ("a", "dtype", "order", "device", "copy"), 3, _asarray)
_add_creation(numpy.ascontiguousarray, ("a", "dtype"), 2, _ascontiguousarray)


cdef object _created(object function, PyObject** args, Py_ssize_t nargs, PyObject* names, Py_ssize_t like,
                     Device device):
    """The new array, or None; ``like`` is the place of that keyword among the names, or -1."""
    cdef PyObject* values[MOST_PARAMETERS]
    cdef PyObject* found = PyDict_GetItem(_creations, function)
    cdef Py_ssize_t i, place
    cdef Creation creation
    # While a program runs, another function answers.
    if found == NULL or PyDict_GetItem(_behaviour, "__array_function__") != <PyObject*>_protocol:
        return None
    creation = <Creation>found
    if nargs > creation.positional:
        return None
    memset(values, 0, sizeof(values))
    for i in range(nargs):
        values[i] = args[i]
    if names != NULL:
        for i in range(len(<tuple>names)):
            if i == like:
                continue
            # Names in programs are interned.
            for place in range(creation.unnamed, len(creation.names)):
                if creation.names[place] is (<tuple>names)[i]:
                    break
            else:
                return None
            if values[place] != NULL:
                return None
            values[place] = args[nargs + i]
    return creation.create(values, device)


# What NumPy's functions written in C do, and the objects that those in Python call with ``like=``.
cdef Vectorcall _numpy_function = NULL
cdef Vectorcall _numpy_dispatcher = NULL


cdef object _call_function(object function, PyObject** args, size_t nargsf, PyObject* names):
    """The vectorcall of NumPy's functions of C that create arrays."""
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf), i
    if names != NULL:
        for i in range(len(<tuple>names) - 1, -1, -1):
            if (<tuple>names)[i] is _LIKE:
                if type(<object>args[nargs + i]) is ndarray:
                    made = _created(function, args, nargs, names, i, (<ndarray>args[nargs + i]).device_)
                    if made is not None:
                        return made
                break
    return _numpy_function(function, args, nargsf, names)


cdef object _call_dispatcher(object function, PyObject** args, size_t nargsf, PyObject* names):
    """The vectorcall of what NumPy's functions of Python call with ``like`` as the first argument."""
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf)
    if nargs > 0 and type(<object>args[0]) is ndarray:
        made = _created(function, args + 1, nargs - 1, names, -1, (<ndarray>args[0]).device_)
        if made is not None:
            return made
    return _numpy_dispatcher(function, args, nargsf, names)


cdef int _shorten(object function) except -1:
    """Replace the vectorcall behind a function of NumPy that takes ``like=``."""
    if isinstance(function, types.BuiltinFunctionType):
        if replace_vectorcall(function, _call_function, &_numpy_function):
            honour_vectorcall(function)
    elif isinstance(function, types.FunctionType):
        dispatcher = function.__globals__.get(f"_{function.__name__}_with_like")
        if type(dispatcher) is _dispatcher_type:
            _creations[dispatcher] = _creations[function]
            replace_vectorcall(dispatcher, _call_dispatcher, &_numpy_dispatcher)
    return 0


def created(function, tuple args, dict kwargs, Device device not None):
    """The array of a call with ``like=`` that came through the protocol, or None; the next one need not come so."""
    cdef list values
    cdef tuple names = tuple(kwargs)
    if function not in _creations:
        return None
    _shorten(function)
    values = [*args, *kwargs.values()]
    return _created(function, PySequence_Fast_ITEMS(values), len(args), <PyObject*>names if kwargs else NULL, -1,
                    device)
