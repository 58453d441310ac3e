"""Functions of NumPy along an axis that need no launch for few elements on the CPU device.

As in `gpunp.function_shortcuts`, what is not as simple as the functions here expect goes on to the handlers. The
module is imported at the first call of one of these functions.
"""
import numpy

from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_GET_SIZE, PySequence_Fast_ITEMS
from cpython.tuple cimport PyTuple_CheckExact
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from gpunp.array.ndarray cimport MAX_NDIM, ndarray, new_array
from gpunp.array.returning cimport released
from gpunp.array.short cimport is_number, is_row, is_short
from gpunp.dtype_codes cimport F8, I8

from gpunp.dispatch.registry import HANDLERS, SHORT_FUNCTIONS
from gpunp.ufunc.function_calls import use_methods

cdef enum:
    MOST_ARRAYS = 16    # that are joined

cdef dict _handlers = HANDLERS
cdef str _SAME_KIND = "same_kind"
cdef object _not_given = numpy._NoValue


cdef ndarray _joined(object arrays, object axis_given):
    """C-ordered arrays of one dtype along an axis, or None."""
    cdef Py_ssize_t i, j, count = PySequence_Fast_GET_SIZE(arrays), outer = 1, nbytes
    cdef PyObject** items = PySequence_Fast_ITEMS(arrays)
    cdef const char* data[MOST_ARRAYS]
    cdef Py_ssize_t[MOST_ARRAYS] runs
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef ndarray first, each, made
    cdef int d, ndim, axis
    cdef char* to
    if not 0 < count <= MOST_ARRAYS or not PyLong_CheckExact(axis_given) or not is_short(<object>items[0]):
        return None
    first = <ndarray>items[0]
    ndim = first.ndim_
    if not -ndim <= axis_given < ndim:
        return None
    axis = axis_given
    axis += ndim if axis < 0 else 0
    for d in range(ndim):
        shape[d] = first.shape_[d]
    shape[axis] = 0
    for i in range(count):
        if not is_short(<object>items[i]):
            return None
        each = <ndarray>items[i]
        if each.code != first.code or each.ndim_ != ndim:
            return None
        nbytes = each.itemsize_
        for d in range(ndim):
            if d != axis and each.shape_[d] != shape[d]:
                return None
            if d >= axis:
                nbytes *= each.shape_[d]
        shape[axis] += each.shape_[axis]
        data[i], runs[i] = each.read_ptr(), nbytes
    for d in range(axis):
        outer *= shape[d]
    made = new_array(first.code, ndim, shape, first.device_)
    to = made._data
    for j in range(outer):
        for i in range(count):
            memcpy(to, data[i] + j * runs[i], runs[i])
            to += runs[i]
    return released(made)


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting=_SAME_KIND):
    if out is None and dtype is None and casting is _SAME_KIND and (PyTuple_CheckExact(arrays)
                                                                    or PyList_CheckExact(arrays)):
        found = _joined(arrays, axis)
        if found is not None:
            return found
    return _handlers[numpy.concatenate](arrays, axis, out, dtype=dtype, casting=casting)


def diff(a, n=1, axis=-1, prepend=_not_given, append=_not_given):
    cdef ndarray source, made
    cdef const char* data
    cdef Py_ssize_t i, length
    if ((is_row(a, F8) or is_row(a, I8)) and is_number(n, 1) and (is_number(axis, -1) or is_number(axis, 0))
            and prepend is _not_given and append is _not_given and (<ndarray>a).size_ > 0):
        source = <ndarray>a
        data, length = source.read_ptr(), source.size_ - 1
        made = new_array(source.code, 1, &length, source.device_)
        if source.code == F8:
            for i in range(length):
                (<double*>made._data)[i] = (<const double*>data)[i + 1] - (<const double*>data)[i]
        else:
            # Unsigned, because integers wrap around.
            for i in range(length):
                (<int64_t*>made._data)[i] = <int64_t>((<const uint64_t*>data)[i + 1] - (<const uint64_t*>data)[i])
        return released(made)
    return _handlers[numpy.diff](a, n, axis, prepend, append)


cdef inline bint _has_axes(tuple arrays, int ndim):
    """Whether there is one array, and it has as many axes as that."""
    return len(arrays) == 1 and type(arrays[0]) is ndarray and (<ndarray>arrays[0]).ndim_ >= ndim


def atleast_1d(*arys):
    return arys[0] if _has_axes(arys, 1) else _handlers[numpy.atleast_1d](*arys)


def atleast_2d(*arys):
    return arys[0] if _has_axes(arys, 2) else _handlers[numpy.atleast_2d](*arys)


def atleast_3d(*arys):
    return arys[0] if _has_axes(arys, 3) else _handlers[numpy.atleast_3d](*arys)


# A test compares the parameters with those of NumPy.
_short = {
    getattr(numpy, short.__name__): short for short in (atleast_1d, atleast_2d, atleast_3d, concatenate, diff)
}
SHORT_FUNCTIONS.update(_short)
use_methods(_short)
