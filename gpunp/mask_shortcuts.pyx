"""Functions of NumPy that select or write elements by a mask or by indices, for few elements on the CPU device.

As in `gpunp.function_shortcuts`, what is not as simple as the functions here expect goes on to the handlers. The
module is imported at the first call of one of these functions.
"""
import numpy

from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from libc.string cimport memcpy

from gpunp.array.ndarray cimport dtype_of, ndarray
from gpunp.array.short cimport is_number, is_row, is_short
from gpunp.array.transfer cimport array_of_numbers, is_word
from gpunp.dtype_codes cimport BOOL, F4, F8, I8, is_inexact
from gpunp.indexing.few cimport put_few, take_few
from gpunp.ufunc.copying cimport overlaps
from gpunp.ufunc.operands cimport store_scalar

from gpunp.dispatch.registry import HANDLERS, SHORT_FUNCTIONS
from gpunp.ufunc.function_calls import use_methods

cdef dict _handlers = HANDLERS
cdef str _RAISE = "raise", _SAME_KIND = "same_kind", _INTROSELECT = "introselect"
cdef object _copyto = SHORT_FUNCTIONS[numpy.copyto]
cdef object _sort = SHORT_FUNCTIONS[numpy.sort]
cdef object _argsort = SHORT_FUNCTIONS[numpy.argsort]


# Values to write: one element, or those of an array, one after the other.
cdef struct Values:
    const char* data
    Py_ssize_t count
    double[2] element


cdef bint _read(object value, ndarray target, Values* values) except -1:
    """Whether values need no conversion that NumPy has rules for; set where they are."""
    cdef long long word
    cdef ndarray source
    if type(value) is ndarray:
        source = <ndarray>value
        if source.code != target.code or source.size_ == 0 or not is_short(source) or overlaps(source, target):
            return False
        values.data, values.count = source.read_ptr(), source.size_
        return True
    if PyFloat_CheckExact(value):
        if not is_inexact(target.code):
            return False
    elif not is_word(value, &word) or not (target.code == I8 or is_inexact(target.code)):
        return False
    store_scalar(<unsigned char*>values.element, target.code, value)
    values.data, values.count = <const char*>values.element, 1
    return True


cdef inline bint _is_target(object value) noexcept:
    return is_short(value) and (<ndarray>value).writeable


cdef int _write(ndarray target, ndarray mask, Values* values, bint in_turn) except -1:
    """Write where the mask is true: the value at the place of the element, or the next one."""
    cdef const char* flags = mask.read_ptr()
    cdef char* data = target.data_ptr()
    cdef Py_ssize_t i, next = 0
    cdef int size = target.itemsize_
    for i in range(target.size_):
        if flags[i]:
            memcpy(data + i * size, values.data + next * size, size)
        if (flags[i] or not in_turn) and values.count > 1:
            next = next + 1 if next + 1 < values.count else 0
    return 0


cdef inline bint _masks(object mask, ndarray target) noexcept:
    """Whether a mask has a flag for each element, and is no part of the target."""
    return (is_short(mask) and (<ndarray>mask).code == BOOL and (<ndarray>mask).size_ == target.size_
            and target.code != BOOL)


def putmask(a, /, mask, values):
    cdef Values given
    if _is_target(a) and _masks(mask, <ndarray>a) and _read(values, <ndarray>a, &given):
        return _write(<ndarray>a, <ndarray>mask, &given, in_turn=False) or None
    return _handlers[numpy.putmask](a, mask, values)


def place(arr, mask, vals):
    cdef Values given
    cdef object values = vals
    if _is_target(arr) and _masks(mask, <ndarray>arr):
        if isinstance(vals, (list, tuple)):
            values = array_of_numbers(vals, dtype_of((<ndarray>arr).code), (<ndarray>arr).device_)
        # Values that the array itself has would change while they are read.
        if (values is not None and not (type(values) is ndarray and (<ndarray>values).buffer is (<ndarray>arr).buffer)
                and _read(values, <ndarray>arr, &given)):
            return _write(<ndarray>arr, <ndarray>mask, &given, in_turn=True) or None
    return _handlers[numpy.place](arr, mask, vals)


def copyto(dst, src, casting=_SAME_KIND, where=True):
    cdef Values given
    cdef ndarray target, mask
    cdef int d
    if type(where) is ndarray and casting is _SAME_KIND and _is_target(dst) and _masks(where, <ndarray>dst):
        target, mask = <ndarray>dst, <ndarray>where
        if mask.ndim_ == target.ndim_ and _read(src, target, &given):
            for d in range(target.ndim_):
                if mask.shape_[d] != target.shape_[d]:
                    break
                # A source of one dimension may be broadcast in another way than in turn.
                if type(src) is ndarray and ((<ndarray>src).ndim_ != target.ndim_
                                             or (<ndarray>src).shape_[d] != target.shape_[d]):
                    break
            else:
                return _write(target, mask, &given, in_turn=False) or None
    return _copyto(dst, src, casting, where)


cdef bint _put(object a, object indices, object values) except -1:
    """``a[indices] = values`` for a row, and indices with a value each or one for all; whether it was done."""
    if not (_is_target(a) and (<ndarray>a).ndim_ == 1 and is_row(indices, I8)):
        return False
    # Integers that others cannot hold are errors, or wrap around.
    if not ((<ndarray>a).code == F8 or (<ndarray>a).code == F4 or (<ndarray>a).code == I8):
        return False
    if not (PyFloat_CheckExact(values) or PyLong_CheckExact(values)
            or is_row(values, (<ndarray>a).code) and (<ndarray>values).size_ == (<ndarray>indices).size_):
        return False
    return put_few(<ndarray>a, indices, values)


def put(a, ind, v, mode=_RAISE):
    if mode is _RAISE and _put(a, ind, v):
        return None
    return _handlers[numpy.put](a, ind, v, mode)


def put_along_axis(arr, indices, values, axis):
    if (is_number(axis, 0) or is_number(axis, -1)) and _put(arr, indices, values):
        return None
    return _handlers[numpy.put_along_axis](arr, indices, values, axis)


def take_along_axis(arr, indices, axis=-1):
    if ((is_number(axis, 0) or is_number(axis, -1)) and is_short(arr) and (<ndarray>arr).ndim_ == 1
            and is_row(indices, I8)):
        found = take_few(<ndarray>arr, indices)
        if found is not None:
            return found
    return _handlers[numpy.take_along_axis](arr, indices, axis)


cdef object _selected(object condition, object a):
    """The elements of a row where a mask of its length is true, or None."""
    if (is_short(a) and (<ndarray>a).ndim_ == 1 and is_row(condition, BOOL)
            and (<ndarray>condition).size_ == (<ndarray>a).size_):
        return take_few(<ndarray>a, condition)
    return None


def compress(condition, a, axis=None, out=None):
    found = _selected(condition, a) if out is None and (axis is None or is_number(axis, 0)) else None
    return _handlers[numpy.compress](condition, a, axis, out) if found is None else found


def extract(condition, arr):
    found = _selected(condition, arr)
    return _handlers[numpy.extract](condition, arr) if found is None else found


cdef bint _is_place(object kth, object a) except -1:
    cdef long long place
    return ((is_row(a, F8) or is_row(a, I8)) and is_word(kth, &place)
            and -(<ndarray>a).size_ <= place < (<ndarray>a).size_)


def partition(a, kth, axis=-1, kind=_INTROSELECT, order=None):
    # Ordered elements are a partition, too.
    if kind is _INTROSELECT and order is None and _is_place(kth, a):
        return _sort(a, axis)
    return _handlers[numpy.partition](a, kth, axis, kind, order)


def argpartition(a, kth, axis=-1, kind=_INTROSELECT, order=None):
    if kind is _INTROSELECT and order is None and _is_place(kth, a):
        return _argsort(a, axis)
    return _handlers[numpy.argpartition](a, kth, axis, kind, order)


# A test compares the parameters with those of NumPy.
_short = {
    getattr(numpy, short.__name__): short
    for short in (
        argpartition, compress, copyto, extract, partition, place, put, put_along_axis, putmask, take_along_axis,
    )
}
SHORT_FUNCTIONS.update(_short)
use_methods(_short)
