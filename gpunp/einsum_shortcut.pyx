"""`numpy.einsum` of few elements on the CPU device, and its views: loops over the labels, without a plan.

As in `gpunp.function_shortcuts`, what is not as simple as this module expects goes on to the handler.
"""
import numpy

from cpython.tuple cimport PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int64_t, uint64_t

from gpunp.array.ndarray cimport as_scalar, ndarray, new_array, new_view
from gpunp.array.returning cimport released
from gpunp.dtype_codes cimport F4, F8, I8

from gpunp.dispatch.registry import HANDLERS, SHORT_FUNCTIONS
from gpunp.ufunc.function_calls import use_methods

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    MOST_OPERANDS = 3
    MOST_LABELS = 6
    MOST_PRODUCTS = 1024    # of elements, in all
    LETTERS = 128

ctypedef fused Number:
    double
    float
    int64_t

ctypedef char* Address

cdef dict _handlers = HANDLERS


# A sum of products: the first labels are those of the result, the others are summed.
cdef struct Sum:
    int operands
    int labels
    int kept
    Py_ssize_t[MOST_LABELS] extent
    Py_ssize_t[MOST_OPERANDS][MOST_LABELS] stride
    Address[MOST_OPERANDS] data


cdef inline bint _is_letter(char c) noexcept:
    return c"a" <= c <= c"z" or c"A" <= c <= c"Z"


cdef int _add_label(Sum* found, int* numbers, char letter) noexcept:
    """Number a letter that is new; return its number, or -1 if there are too many."""
    cdef int k
    if numbers[<int>letter] < 0:
        if found.labels == MOST_LABELS:
            return -1
        numbers[<int>letter] = found.labels
        found.extent[found.labels] = 1
        for k in range(found.operands):
            found.stride[k][found.labels] = 0
        found.labels += 1
    return numbers[<int>letter]


cdef bint _read_operands(Sum* found, int* numbers, const char* text, Py_ssize_t size, tuple operands) noexcept:
    """Read the terms before the arrow; False for anything but letters that fit the operands."""
    cdef int k = 0, d = 0, label
    cdef Py_ssize_t i
    cdef ndarray a = <ndarray>operands[1]
    for i in range(size + 1):
        if i == size or text[i] == c",":
            if d != a.ndim_:
                return False
            k += 1
            if i == size:
                return k == found.operands
            if k == found.operands:
                return False
            a, d = <ndarray>operands[k + 1], 0
            continue
        if not _is_letter(text[i]) or d == a.ndim_:
            return False
        label = _add_label(found, numbers, text[i])
        # Extents of 1 are broadcast; that is left to the handler, as are extents that do not fit.
        if label < 0 or (found.extent[label] != 1 and found.extent[label] != a.shape_[d]) or a.shape_[d] < 2:
            return False
        found.extent[label] = a.shape_[d]
        found.stride[k][label] += a.strides_[d]
        d += 1
    return False


cdef bint _parse(Sum* found, const char* text, Py_ssize_t size, tuple operands) noexcept:
    cdef int[LETTERS] numbers
    cdef int[LETTERS] counts
    cdef Py_ssize_t i, terms = size
    cdef int letter
    for letter in range(LETTERS):
        numbers[letter] = -1
        counts[letter] = 0
    for i in range(size):
        if text[i] < 0:
            return False
        counts[<int>text[i]] += 1
        if text[i] == c"-" and terms == size:
            terms = i
    found.labels = 0
    # The labels of the result get the first numbers.
    if terms < size:
        if terms + 2 > size or text[terms + 1] != c">":
            return False
        for i in range(terms + 2, size):
            if not _is_letter(text[i]) or numbers[<int>text[i]] >= 0 or _add_label(found, numbers, text[i]) < 0:
                return False
            # It must occur in an operand.
            if counts[<int>text[i]] < 2:
                return False
    else:
        for letter in range(LETTERS):
            if counts[letter] == 1 and _is_letter(<char>letter) and _add_label(found, numbers, <char>letter) < 0:
                return False
    found.kept = found.labels
    return _read_operands(found, numbers, text, terms, operands)


cdef bint _advance(Sum* found, int first, int end, Py_ssize_t* place, char** data) noexcept:
    """Go on to the next element of the labels from ``first`` to ``end``; False behind the last one."""
    cdef int d, k
    for d in range(end - 1, first - 1, -1):
        place[d] += 1
        for k in range(found.operands):
            data[k] += found.stride[k][d]
        if place[d] < found.extent[d]:
            return True
        for k in range(found.operands):
            data[k] -= found.extent[d] * found.stride[k][d]
        place[d] = 0
    return False


cdef inline Number _product(int operands, char** data, Number example) noexcept:
    cdef Number a = (<const Number*>data[0])[0]
    if Number is int64_t:
        # Unsigned, because integers wrap around.
        if operands > 1:
            a = <int64_t>(<uint64_t>a * <uint64_t>(<const int64_t*>data[1])[0])
        if operands > 2:
            a = <int64_t>(<uint64_t>a * <uint64_t>(<const int64_t*>data[2])[0])
    else:
        if operands > 1:
            a = a * (<const Number*>data[1])[0]
        if operands > 2:
            a = a * (<const Number*>data[2])[0]
    return a


cdef void _sum(Sum* found, Number* out) noexcept:
    cdef Py_ssize_t[MOST_LABELS] place
    cdef Number total, product
    cdef int d
    for d in range(found.labels):
        place[d] = 0
    while True:
        # A sum begins with 0, as in NumPy, so that a single -0.0 becomes 0.0.
        total = <Number>0 + _product[Number](found.operands, found.data, <Number>0)
        while _advance(found, found.kept, found.labels, place, found.data):
            product = _product[Number](found.operands, found.data, <Number>0)
            if Number is int64_t:
                total = <int64_t>(<uint64_t>total + <uint64_t>product)
            else:
                total = total + product
        out[0] = total
        out += 1
        if not _advance(found, 0, found.kept, place, found.data):
            return


cdef object _short_sum(tuple operands):
    cdef Sum found
    cdef ndarray first, a, made
    cdef Py_ssize_t size = 0, products = 1
    cdef const char* text
    cdef int k, d
    found.operands = <int>PyTuple_GET_SIZE(operands) - 1
    if not 1 <= found.operands <= MOST_OPERANDS or not PyUnicode_CheckExact(operands[0]):
        return None
    for k in range(found.operands):
        if type(operands[k + 1]) is not ndarray:
            return None
    first = <ndarray>operands[1]
    for k in range(found.operands):
        a = <ndarray>operands[k + 1]
        if a.code != first.code or a.device_ is not first.device_ or a.ndim_ == 0:
            return None
    text = PyUnicode_AsUTF8AndSize(operands[0], &size)
    if not _parse(&found, text, size, operands):
        return None
    if found.operands == 1 and found.kept == found.labels:
        # Nothing is summed: a view, as in NumPy.
        return new_view(first, first.address(), first.code, found.kept, found.extent, found.stride[0])
    for d in range(found.labels):
        products *= found.extent[d]
    if (not first.device_.is_cpu or products > min(MOST_PRODUCTS, first.device_.deferred_elements - 1)
            or not (first.code == F8 or first.code == F4 or first.code == I8)):
        return None
    for k in range(found.operands):
        found.data[k] = (<ndarray>operands[k + 1]).read_ptr()
    made = new_array(first.code, found.kept, found.extent, first.device_)
    if first.code == F8:
        _sum[double](&found, <double*>made._data)
    elif first.code == F4:
        _sum[float](&found, <float*>made._data)
    else:
        _sum[int64_t](&found, <int64_t*>made._data)
    as_scalar(made)
    return released(made)


def einsum(*operands, out=None, optimize=False, **kwargs):
    if out is None and optimize is False and not kwargs:
        found = _short_sum(operands)
        if found is not None:
            return found
    return _handlers[numpy.einsum](*operands, out=out, optimize=optimize, **kwargs)


# A test compares the parameters with those of NumPy.
SHORT_FUNCTIONS[numpy.einsum] = einsum
use_methods({numpy.einsum: einsum}, of_numbers={numpy.einsum})
