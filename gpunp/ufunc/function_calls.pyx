"""Calls of NumPy's functions with arrays of gpunp: the protocol of NEP 18, and a short way around it."""
import importlib

import numpy

from cpython.dict cimport PyDict_GetItem
from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject, PyObject_Call
from cpython.sequence cimport PySequence_Fast_GET_SIZE, PySequence_Fast_ITEMS
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_SIZE
from cpython.type cimport PyType_Check
from cpython.unicode cimport PyUnicode_CheckExact

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport current_device
from gpunp.ufunc.vectorcalls cimport PyVectorcall_NARGS, Vectorcall, replace_vectorcall

from gpunp.array.ndarray import BEHAVIOUR
from gpunp.dispatch import function_protocol, policy
from gpunp.dispatch.first_use import first_use
from gpunp.dispatch.registry import HANDLERS, LIKE

cdef extern from "Python.h":
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)

cdef enum:
    MOST_ITEMS = 32         # of a sequence whose items are looked at

# Arrays of usual calls with ``like=``, or None.
_created = first_use("gpunp.creation.like_calls", "created")
cdef dict _handlers = HANDLERS
cdef set _like = LIKE
cdef set _changed_policies = policy.changed


# Modules to import at the first call of a function.
cdef dict _late = {}


def import_late(module, functions):
    """Import a module that calls `use_methods` at the first call of one of the functions."""
    _late.update(dict.fromkeys(functions, module))


def array_function(self, func, types, args, kwargs):
    """``ndarray.__array_function__``: usual calls need no code of Python before the handler."""
    cdef PyObject* handler = PyDict_GetItem(_handlers, func)
    cdef bint usual = (handler != NULL and type(self) is ndarray and type(args) is tuple
                       and type(kwargs) is dict)
    for cls in types:
        usual = usual and cls is ndarray
    if usual:
        if func in _like:
            made = _created(func, args, kwargs, (<ndarray>self).device_)
            if made is not None:
                return made
            usual = (<ndarray>self).device_ is current_device()
        else:
            usual = not _changed_policies or "host_operands" not in _changed_policies
    if usual:
        if func in _late:
            importlib.import_module(_late.pop(func))
        _shorten_calls(func)
        return PyObject_Call(<object>handler, args, kwargs)
    return function_protocol.array_function(self, func, types, args, kwargs)


# What NumPy's functions do when they are called, and the type of those with a protocol.
cdef Vectorcall _numpy_call = NULL
cdef object _function_type = type(numpy.sum)
cdef object _numpy_dtype = numpy.dtype
cdef object _not_given = numpy._NoValue
cdef dict _behaviour = BEHAVIOUR
cdef object _protocol = array_function
# Methods that take the place of handlers, by NumPy's functions.
cdef dict _methods = {}


# Those of them whose first argument may be a number.
cdef set _of_numbers = set()


def use_methods(methods, of_numbers=()):
    """Have short calls of functions, the keys of a dict, call methods of the array with the other arguments.

    The functions in ``of_numbers`` are also called so if a number stands before the array.
    """
    _methods.update(methods)
    _of_numbers.update(of_numbers)


cdef inline bint _has_no_protocol(object value):
    """Whether an argument is of a type that NumPy would not ask, or of an array of gpunp."""
    return (type(value) is ndarray or value is None or PyLong_CheckExact(value) or PyFloat_CheckExact(value)
            or value is True or value is False or value is _not_given or PyUnicode_CheckExact(value)
            or PyType_Check(value) or isinstance(value, _numpy_dtype))


cdef inline bint _is_plain(object value):
    cdef Py_ssize_t i, count
    cdef PyObject** items
    if _has_no_protocol(value):
        return True
    if not PyTuple_CheckExact(value) and not PyList_CheckExact(value):
        return False
    count, items = PySequence_Fast_GET_SIZE(value), PySequence_Fast_ITEMS(value)
    if count > MOST_ITEMS:
        return False
    for i in range(count):
        if not _has_no_protocol(<object>items[i]):
            return False
    return True


# Functions for which NumPy looks for arrays among the elements of their argument, so that it refuses zero dimensions.
cdef set _iterated = {numpy.poly, numpy.roots}
# Functions whose first argument is a sequence, in which NumPy looks for arrays.
cdef set _of_sequences = {
    numpy.column_stack, numpy.concatenate, numpy.dstack, numpy.hstack, numpy.stack, numpy.vstack,
}


cdef inline bint _leads_here(object function, object value) except -1:
    """Whether an argument is an array on the CPU device, or for some functions a sequence that begins with one."""
    if type(value) is not ndarray:
        if (not PyTuple_CheckExact(value) and not PyList_CheckExact(value) or PySequence_Fast_GET_SIZE(value) == 0
                or function not in _of_sequences):
            return False
        value = <object>PySequence_Fast_ITEMS(value)[0]
    return type(value) is ndarray and (<ndarray>value).device_.is_cpu


cdef object _call_numpy_function(object function, PyObject** args, size_t nargsf, PyObject* names):
    """The vectorcall of NumPy's functions: an array on the CPU device before arguments that have no protocol of their
    own leads to the handler at once."""
    cdef Py_ssize_t i, nargs = PyVectorcall_NARGS(nargsf), count = nargs
    cdef PyObject* handler = NULL
    cdef PyObject* protocol
    # The first array; before it there may be a number, as in `np.interp(0.5, xp, fp)`.
    cdef Py_ssize_t first = nargs > 1 and type(<object>args[0]) is not ndarray and function in _of_numbers
    if nargs > first and not _changed_policies and _leads_here(function, <object>args[first]):
        protocol = PyDict_GetItem(_behaviour, "__array_function__")
        # While a program runs, another function answers.
        if protocol == <PyObject*>_protocol:
            handler = PyDict_GetItem(_methods, function)
            if handler == NULL:
                handler = PyDict_GetItem(_handlers, function)
    if handler != NULL:
        if names != NULL:
            count += PyTuple_GET_SIZE(<object>names)
        for i in range(count):
            if not _is_plain(<object>args[i]):
                handler = NULL
                break
    if handler != NULL:
        result = PyObject_Vectorcall(<object>handler, args, nargsf, names)
        if result is not NotImplemented:
            return result
    return _numpy_call(function, args, nargsf, names)


cdef int _shorten_calls(object function) except -1:
    """Replace the vectorcall of a function of NumPy, which looks for protocols for a quarter of a microsecond."""
    if type(function) is _function_type and function not in _like and function not in _iterated:
        replace_vectorcall(function, _call_numpy_function, &_numpy_call)
    return 0
