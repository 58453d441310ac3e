"""Functions of NumPy whose calls on few elements need no launch on the CPU device.

Their work takes some nanoseconds, and checks of all arguments take some microseconds. What is not as simple as the
functions here expect, errors included, goes on to the handlers.
"""
import numpy

cimport cython
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memmove, memset

from gpunp.array.ndarray cimport as_scalar, ndarray, new_array
from gpunp.array.returning cimport released
from gpunp.array.short cimport FEW_BYTES, is_number, is_row, is_short
from gpunp.dtype_codes cimport BOOL, F8, I8
from gpunp.indexing.few cimport take_few

from gpunp.array_shortcuts import METHODS
from gpunp.dispatch.registry import HANDLERS, SHORT_FUNCTIONS
from gpunp.ufunc.function_calls import use_methods

cdef enum:
    REPEATED_BYTES = 1 << 14    # of the result of `repeat`
    SEARCHED_BYTES = 1 << 12    # of the array of `nonzero`
    MOST_REPEATS = 16
    MOST_BINS = 1024
    MOST_ORDERED = 32       # elements that are sorted by insertion

ctypedef fused Number:
    double
    int64_t

cdef dict _handlers = HANDLERS
cdef str _RAISE = "raise", _LEFT = "left", _SAME_KIND = "same_kind", _KEPT_ORDER = "K"


cdef bint _have_equal_shapes(ndarray a, ndarray b) noexcept:
    cdef int d
    if a.ndim_ != b.ndim_:
        return False
    for d in range(a.ndim_):
        if a.shape_[d] != b.shape_[d]:
            return False
    return True


def copyto(dst, src, casting=_SAME_KIND, where=True):
    cdef ndarray target, source
    cdef const char* data
    kind = type(src)
    if casting is _SAME_KIND and where is True and is_short(dst) and (<ndarray>dst).writeable:
        target = <ndarray>dst
        if kind is ndarray:
            source = <ndarray>src
            if source.code == target.code and is_short(source) and _have_equal_shapes(source, target):
                data = source.read_ptr()
                memmove(target.data_ptr(), data, target.size_ * target.itemsize_)
                return None
        elif target.code == F8 and kind is float or target.code == I8 and kind is int:
            return _fill(target, src)
    return _handlers[numpy.copyto](dst, src, casting, where)


cdef object _fill = METHODS["fill"]


def zeros_like(a, dtype=None, order=_KEPT_ORDER, subok=True, shape=None, **kwargs):
    cdef ndarray made
    if dtype is None and order is _KEPT_ORDER and subok is True and shape is None and not kwargs and is_short(a):
        made = new_array((<ndarray>a).code, (<ndarray>a).ndim_, (<ndarray>a).shape_, (<ndarray>a).device_)
        memset(made._data, 0, made.size_ * made.itemsize_)
        return released(made)
    return _handlers[numpy.zeros_like](a, dtype, order, subok, shape, **kwargs)


def empty_like(prototype, /, dtype=None, order=_KEPT_ORDER, subok=True, shape=None, **kwargs):
    if (dtype is None and order is _KEPT_ORDER and subok is True and shape is None and not kwargs
            and is_short(prototype)):
        return new_array((<ndarray>prototype).code, (<ndarray>prototype).ndim_, (<ndarray>prototype).shape_,
                         (<ndarray>prototype).device_)
    return _handlers[numpy.empty_like](prototype, dtype, order, subok, shape, **kwargs)


def copy(a, order=_KEPT_ORDER, subok=False):
    cdef ndarray made
    if order is _KEPT_ORDER and is_short(a):
        made = new_array((<ndarray>a).code, (<ndarray>a).ndim_, (<ndarray>a).shape_, (<ndarray>a).device_)
        memcpy(made._data, (<ndarray>a).read_ptr(), made.size_ * made.itemsize_)
        return released(made)
    return _handlers[numpy.copy](a, order, subok)


def take(a, indices, axis=None, out=None, mode=_RAISE):
    if (out is None and mode is _RAISE and type(a) is ndarray
            and ((axis is None and (<ndarray>a).ndim_ == 1) or is_number(axis, 0))
            and (PyList_CheckExact(indices) or type(indices) is ndarray and (<ndarray>indices).code != BOOL)):
        found = take_few(<ndarray>a, indices)
        if found is not None:
            return found
    return _handlers[numpy.take](a, indices, axis, out, mode)


def repeat(a, repeats, axis=None):
    cdef ndarray source, made
    cdef Py_ssize_t times, length, i, _j
    cdef int size
    cdef char* to
    cdef const char* data
    if (PyLong_CheckExact(repeats) and is_short(a, REPEATED_BYTES) and (<ndarray>a).ndim_ > 0
            and (axis is None or (<ndarray>a).ndim_ == 1 and is_number(axis, 0)) and 0 <= repeats <= MOST_REPEATS
            and (<ndarray>a).size_ * (<ndarray>a).itemsize_ * repeats <= REPEATED_BYTES):
        source, times = <ndarray>a, repeats
        size, length = source.itemsize_, source.size_ * times
        data = source.read_ptr()
        made = new_array(source.code, 1, &length, source.device_)
        to = made._data
        for i in range(source.size_):
            for _j in range(times):
                # Without a call of a function for elements of the most common size.
                if size == 8:
                    memcpy(to, data + i * 8, 8)
                else:
                    memcpy(to, data + i * size, size)
                to += size
        return released(made)
    return _handlers[numpy.repeat](a, repeats, axis)


def nonzero(a):
    cdef ndarray source, made
    cdef Py_ssize_t i, count = 0
    cdef int64_t[SEARCHED_BYTES] places
    cdef const char* data
    if not (is_row(a, BOOL, SEARCHED_BYTES) or is_row(a, F8, SEARCHED_BYTES) or is_row(a, I8, SEARCHED_BYTES)):
        return _handlers[numpy.nonzero](a)
    source = <ndarray>a
    data = source.read_ptr()
    for i in range(source.size_):
        places[count] = i
        count += (data[i] != 0 if source.code == BOOL
                  else (<const double*>data)[i] != 0 if source.code == F8
                  else (<const int64_t*>data)[i] != 0)
    made = new_array(I8, 1, &count, source.device_)
    memcpy(made._data, places, count * sizeof(int64_t))
    return (made,)


def where(condition, x=None, y=None, /):
    return nonzero(condition) if x is None and y is None else _handlers[numpy.where](condition, x, y)


cdef bint _equal(const Number* a, const Number* b, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        if a[i] != b[i]:
            return False
    return True


def array_equal(a1, a2, equal_nan=False):
    cdef ndarray a, b
    cdef bint answer
    if (equal_nan is False and is_short(a1) and is_short(a2) and (<ndarray>a1).code == (<ndarray>a2).code
            and ((<ndarray>a1).code == F8 or (<ndarray>a1).code == I8)):
        a, b = <ndarray>a1, <ndarray>a2
        answer = _have_equal_shapes(a, b)
        if answer and a.code == F8:
            answer = _equal[double](<const double*>a.read_ptr(), <const double*>b.read_ptr(), a.size_)
        elif answer:
            answer = _equal[int64_t](<const int64_t*>a.read_ptr(), <const int64_t*>b.read_ptr(), a.size_)
        return True if answer else False
    return _handlers[numpy.array_equal](a1, a2, equal_nan)


def count_nonzero(a, axis=None, *, keepdims=False):
    cdef ndarray made
    cdef const char* data
    cdef Py_ssize_t i
    cdef int64_t count = 0
    if (axis is None and keepdims is False and is_short(a, FEW_BYTES)
            and ((<ndarray>a).code == BOOL or (<ndarray>a).code == F8 or (<ndarray>a).code == I8)):
        data = (<ndarray>a).read_ptr()
        for i in range((<ndarray>a).size_):
            count += (data[i] != 0 if (<ndarray>a).code == BOOL
                      else (<const double*>data)[i] != 0 if (<ndarray>a).code == F8
                      else (<const int64_t*>data)[i] != 0)
        made = new_array(I8, 0, NULL, (<ndarray>a).device_)
        (<int64_t*>made._data)[0] = count
        return as_scalar(made)
    return _handlers[numpy.count_nonzero](a, axis, keepdims=keepdims)


def bincount(x, /, weights=None, minlength=0):
    cdef ndarray source, made
    cdef Py_ssize_t i, bins
    cdef const int64_t* values
    cdef const double* heavy = NULL
    if (is_row(x, I8) and (<ndarray>x).size_ and PyLong_CheckExact(minlength)
            and 0 <= minlength <= MOST_BINS
            and (weights is None or is_row(weights, F8)
                 and (<ndarray>weights).size_ == (<ndarray>x).size_)):
        source, bins = <ndarray>x, minlength
        values = <const int64_t*>source.read_ptr()
        for i in range(source.size_):
            if not 0 <= values[i] < MOST_BINS:
                break
            bins = max(bins, values[i] + 1)
        else:
            made = new_array(I8 if weights is None else F8, 1, &bins, source.device_)
            memset(made._data, 0, bins * 8)
            if weights is None:
                for i in range(source.size_):
                    (<int64_t*>made._data)[values[i]] += 1
            else:
                heavy = <const double*>(<ndarray>weights).read_ptr()
                for i in range(source.size_):
                    (<double*>made._data)[values[i]] += heavy[i]
            return released(made)
    return _handlers[numpy.bincount](x, weights, minlength)


cdef inline bint _is_nan(Number x) noexcept:
    if Number is double:
        return x != x
    else:
        return False


cdef Py_ssize_t _place(const Number* ordered, Py_ssize_t n, Number x, bint right) noexcept:
    """Where x would be inserted; NaNs are the greatest numbers."""
    cdef Py_ssize_t low = 0, high = n, middle
    cdef Number element
    cdef bint before
    while low < high:
        middle = (low + high) >> 1
        element = ordered[middle]
        if right:
            before = not (x < element or (_is_nan(element) and not _is_nan(x)))
        else:
            before = element < x or (_is_nan(x) and not _is_nan(element))
        if before:
            low = middle + 1
        else:
            high = middle
    return low


def searchsorted(a, v, side=_LEFT, sorter=None):
    cdef ndarray ordered, queries, made
    cdef const char* data
    cdef const char* values
    cdef int overflow = 0
    cdef int64_t number = 0
    cdef Py_ssize_t i
    cdef bint right = side is not _LEFT
    if sorter is None and (not right or side == "right") and (is_row(a, F8) or is_row(a, I8)):
        ordered = <ndarray>a
        if is_short(v, FEW_BYTES) and (<ndarray>v).code == ordered.code and not (<ndarray>v).scalar:
            queries = <ndarray>v
            data, values = ordered.read_ptr(), queries.read_ptr()
            made = new_array(I8, queries.ndim_, queries.shape_, ordered.device_)
            for i in range(queries.size_):
                if ordered.code == F8:
                    number = _place[double](<const double*>data, ordered.size_, (<const double*>values)[i], right)
                else:
                    number = _place[int64_t](<const int64_t*>data, ordered.size_, (<const int64_t*>values)[i], right)
                (<int64_t*>made._data)[i] = number
            return as_scalar(made)
        if PyFloat_CheckExact(v) and ordered.code == F8:
            number = _place[double](<const double*>ordered.read_ptr(), ordered.size_, PyFloat_AS_DOUBLE(v), right)
        elif PyLong_CheckExact(v) and ordered.code == I8:
            number = PyLong_AsLongLongAndOverflow(v, &overflow)
            number = _place[int64_t](<const int64_t*>ordered.read_ptr(), ordered.size_, number, right)
        else:
            overflow = 1
        if not overflow:
            made = new_array(I8, 0, NULL, ordered.device_)
            (<int64_t*>made._data)[0] = number
            return as_scalar(made)
    return _handlers[numpy.searchsorted](a, v, side, sorter)


@cython.cdivision(True)
cdef double _between(double x, const double* xp, const double* fp, Py_ssize_t j) noexcept:
    """NumPy's arithmetic for a value between two points."""
    cdef double slope = (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j]), y = slope * (x - xp[j]) + fp[j]
    if y != y:
        y = slope * (x - xp[j + 1]) + fp[j + 1]
        if y != y and fp[j] == fp[j + 1]:
            y = fp[j]
    return y


cdef double _interpolated(double x, const double* xp, const double* fp, Py_ssize_t n) noexcept:
    cdef Py_ssize_t j = _place[double](xp, n, x, True) - 1
    if x != x:
        return x
    if j < 0:
        return fp[0]
    return fp[j] if j == n - 1 or xp[j] == x else _between(x, xp, fp, j)


def interp(x, xp, fp, left=None, right=None, period=None):
    cdef const double* points
    cdef const double* values
    cdef ndarray made, queries = None
    cdef Py_ssize_t i, n
    # A single point gives its value for NaN, too.
    if (left is None and right is None and period is None and is_row(xp, F8) and is_row(fp, F8)
            and 1 < (<ndarray>xp).size_ == (<ndarray>fp).size_
            and (PyFloat_CheckExact(x) or is_short(x, FEW_BYTES) and (<ndarray>x).code == F8)):
        n = (<ndarray>xp).size_
        points = <const double*>(<ndarray>xp).read_ptr()
        values = <const double*>(<ndarray>fp).read_ptr()
        if PyFloat_CheckExact(x):
            made = new_array(F8, 0, NULL, (<ndarray>xp).device_)
            (<double*>made._data)[0] = _interpolated(PyFloat_AS_DOUBLE(x), points, values, n)
            return as_scalar(made)
        queries = <ndarray>x
        made = new_array(F8, queries.ndim_, queries.shape_, queries.device_)
        for i in range(queries.size_):
            (<double*>made._data)[i] = _interpolated((<const double*>queries.read_ptr())[i], points, values, n)
        return as_scalar(made)
    return _handlers[numpy.interp](x, xp, fp, left, right, period)


cdef void _order(const Number* x, Py_ssize_t* places, Py_ssize_t n) noexcept:
    """The stable order of few elements, by insertion; NaNs are the greatest numbers."""
    cdef Py_ssize_t i, j
    cdef Number element
    for i in range(n):
        element = x[i]
        j = i
        while j > 0 and (element < x[places[j - 1]] or (_is_nan(x[places[j - 1]]) and not _is_nan(element))):
            places[j] = places[j - 1]
            j -= 1
        places[j] = i


cdef bint _ordered(object a, object axis, object order, Py_ssize_t* places) except -1:
    """Fill in the order of a row with few elements; False for other arguments."""
    cdef ndarray source
    if (order is not None or not (is_row(a, F8) or is_row(a, I8)) or (<ndarray>a).size_ > MOST_ORDERED
            or not (is_number(axis, -1) or is_number(axis, 0))):
        return False
    source = <ndarray>a
    if source.code == F8:
        _order[double](<const double*>source.read_ptr(), places, source.size_)
    else:
        _order[int64_t](<const int64_t*>source.read_ptr(), places, source.size_)
    return True


def sort(a, axis=-1, kind=None, order=None, *, stable=None, **kwargs):
    cdef Py_ssize_t[MOST_ORDERED] places
    cdef Py_ssize_t i
    cdef ndarray source, made
    cdef const int64_t* elements
    if kind is None and not kwargs and _ordered(a, axis, order, places):
        source = <ndarray>a
        elements = <const int64_t*>source.read_ptr()
        made = new_array(source.code, 1, source.shape_, source.device_)
        for i in range(source.size_):
            (<int64_t*>made._data)[i] = elements[places[i]]
        return released(made)
    return _handlers[numpy.sort](a, axis, kind, order, stable=stable, **kwargs)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, **kwargs):
    cdef Py_ssize_t[MOST_ORDERED] places
    cdef ndarray made
    if kind is None and not kwargs and _ordered(a, axis, order, places):
        made = new_array(I8, 1, (<ndarray>a).shape_, (<ndarray>a).device_)
        memcpy(made._data, places, made.size_ * sizeof(Py_ssize_t))
        return released(made)
    return _handlers[numpy.argsort](a, axis, kind, order, stable=stable, **kwargs)


# A test compares the parameters with those of NumPy.
SHORT_FUNCTIONS.update(
    (getattr(numpy, short.__name__), short)
    for short in (
        argsort, array_equal, bincount, copy, copyto, count_nonzero, empty_like, interp, nonzero, repeat, searchsorted,
        sort, take, where, zeros_like,
    )
)
use_methods(SHORT_FUNCTIONS, of_numbers={numpy.interp})
