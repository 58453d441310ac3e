"""Tuples of a few integers, such as shapes."""
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM


cdef inline tuple tuple_of(int count, const Py_ssize_t* numbers):
    cdef tuple found = PyTuple_New(count)
    cdef object number
    cdef int d
    for d in range(count):
        number = numbers[d]
        # The tuple keeps this reference.
        Py_INCREF(number)
        PyTuple_SET_ITEM(found, d, number)
    return found
