# To the interpreter, functions without a binding are those of C, which it calls faster.
# cython: binding=False
"""The calls around loops that visit arrays by rows, which `gpunp.running.rows` adds to the code of a program."""
import time
import weakref

import numpy

from cpython.object cimport PyObject
from gpunp.array.ndarray cimport ndarray

from gpunp.array.sharing import shared_or_copy
from gpunp.running import calls, counting, placement

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject*)
    Py_ssize_t PY_SSIZE_T_MAX

cdef object _array = numpy.ndarray
# References to the value of a variable of a function, and of a module, as `home` and `back` get it.
cdef Py_ssize_t[2] _references = [-1, -1]
# Rows of so many times fewer elements than those of arrays that are moved are the host's.
cdef Py_ssize_t _SMALLER = 8
# A round of a loop over rows on a device takes as long as it takes to move so many bytes to the host and back.
cdef Py_ssize_t _BYTES_OF_A_ROUND = 40_000


def learn(value, int mask, Py_ssize_t rounds, bint is_global):
    """Count the references to the value of a variable to which nothing else refers."""
    _references[is_global] = Py_REFCNT(<PyObject*>value)


def on_device(value):
    """Whether a value is an array on a device."""
    return type(value) is ndarray and not (<ndarray>value).scalar


def home(value, int mask, Py_ssize_t rounds, bint is_global):
    """Return the value of a variable whose rows a loop visits: on the host if its rows are small.

    Parameters
    ----------
    value : ndarray
    mask : int
        The axes for which the loop has numbers, as bits.
    rounds : int
        How many rounds the loop has, or a negative number.
    is_global : bool
        Whether the variable is one of a module.
    """
    # A reference of our own would count.
    if Py_REFCNT(<PyObject*>value) != _references[is_global] or weakref.getweakrefcount(value):
        return value
    return _moved("moved to the host", shared_or_copy, value) if _has_small_rows(value, mask, rounds) else value


cdef bint _has_small_rows(ndarray array, int mask, Py_ssize_t rounds) except -1:
    """Whether a loop over the rows of an array is faster on the host, though the array must come there."""
    cdef Py_ssize_t part = 1, number = 1, least = calls.least_elements()
    cdef int axis
    # Functions of a notebook may run when nothing is moved any more.
    if least == PY_SSIZE_T_MAX or array.base_ is not None or mask >> array.ndim_:
        return False
    for axis in range(array.ndim_):
        if mask >> axis & 1:
            number *= array.shape_[axis]
        else:
            part *= array.shape_[axis]
    if part > 1 and part > least // _SMALLER:
        return False
    return array.size_ * array.itemsize_ <= (number if rounds < 0 else rounds) * _BYTES_OF_A_ROUND


def back(value, bint is_global):
    """Return the value of a variable whose rows a loop has visited: a large array goes to the device."""
    if type(value) is not _array or Py_REFCNT(<PyObject*>value) != _references[is_global]:
        return value
    if value.size < calls.least_elements() or value.base is not None or weakref.getweakrefcount(value):
        return value
    return _moved("moved to the device", placement.move, value)


cdef object _moved(kind, function, value):
    started = time.perf_counter()
    result = function(value)
    if result is not value:
        counting.count(kind, "", value.nbytes, time.perf_counter() - started)
    return result
