# To the interpreter, functions without a binding are those of C, which it calls faster.
# cython: binding=False
"""Device arrays and scalars where the code of a program asks for their class, or Python wants a number or memory."""
import builtins

import numpy

from gpunp.array.ndarray cimport ndarray

from gpunp.array.convert import asnumpy
from gpunp.array.scalars import host_scalar

cdef object _array = numpy.ndarray
cdef object _isinstance = builtins.isinstance
cdef object _type = builtins.type
# What `type(x)` is for arrays.
cdef object _class = numpy.ndarray


def start(array_class):
    """Let ``type(x)`` of arrays be a class from now on."""
    global _class
    _class = array_class


def stop():
    """Let it be NumPy's."""
    start(_array)


cdef object _class_of(value):
    found = type(value)
    if found is ndarray:
        return value.dtype.type if (<ndarray>value).scalar else _class
    return _class if found is _array else found


def type_of(function, value):
    """``type(value)``, or of whatever ``type`` is there: device arrays are NumPy's to a program."""
    return _class_of(value) if function is _type else function(value)


def class_of(value):
    """``value.__class__``, likewise."""
    return _class_of(value) if type(value) is ndarray or type(value) is _array else value.__class__


def is_instance(function, value, classes):
    """``isinstance(value, classes)``, or of whatever ``isinstance`` is there: scalars are NumPy's to a program."""
    if type(value) is _array and classes is _class and function is _isinstance:
        return True
    if type(value) is ndarray and (<ndarray>value).scalar and function is _isinstance:
        return _isinstance(host_scalar(value), classes) or _isinstance(value, classes)
    return function(value, classes)


def number(value):
    """Return NumPy's scalar for one of the device, also in a list, for functions that accept nothing else."""
    if type(value) is ndarray and (<ndarray>value).scalar:
        return host_scalar(value)
    if type(value) is list or type(value) is tuple:
        return type(value)([number(item) for item in value])
    return value


def subject(value):
    """Return what a ``match`` statement compares: to Python a scalar of the device is a sequence, NumPy's is none."""
    return value if type(value) is list else number(value)


def read_into(method, value):
    """Call a method that fills memory, such as `readinto` of files: that of the device by a copy."""
    if type(value) is not ndarray:
        return method(value)
    host = asnumpy(value)
    result = method(host)
    value[...] = host
    return result
