"""Operators, reads and writes of elements of a program's arrays that fail on the device: NumPy runs them on copies."""
import operator
import sys

import numpy

from gpunp.array.ndarray cimport ndarray
from gpunp.array.operators cimport hooks
from gpunp.array.operators cimport (
    OP_ADD, OP_AND, OP_DIVMOD, OP_EQUAL, OP_FLOOR_DIVIDE, OP_GREATER, OP_GREATER_EQUAL, OP_LEFT_SHIFT, OP_LESS,
    OP_LESS_EQUAL, OP_MATMUL, OP_MULTIPLY, OP_NOT_EQUAL, OP_OR, OP_POWER, OP_REMAINDER, OP_RIGHT_SHIFT, OP_SUBTRACT,
    OP_TRUE_DIVIDE, OP_XOR,
)
from gpunp.watching cimport shared_of

from gpunp.array.sharing import is_shared, shared
from gpunp.running.counting import MARK

ctypedef object (*Binary)(int, object, object)
ctypedef object (*Subscript)(object, object)
ctypedef int (*Assignment)(object, object, object) except -1

# By the number of the operator: Python's functions, and those that work in place.
cdef dict _functions = {
    OP_ADD: "add", OP_SUBTRACT: "sub", OP_MULTIPLY: "mul", OP_TRUE_DIVIDE: "truediv", OP_FLOOR_DIVIDE: "floordiv",
    OP_REMAINDER: "mod", OP_POWER: "pow", OP_LEFT_SHIFT: "lshift", OP_RIGHT_SHIFT: "rshift", OP_AND: "and_",
    OP_OR: "or_", OP_XOR: "xor", OP_MATMUL: "matmul", OP_LESS: "lt", OP_LESS_EQUAL: "le", OP_EQUAL: "eq",
    OP_NOT_EQUAL: "ne", OP_GREATER: "gt", OP_GREATER_EQUAL: "ge",
}
# `__array_priority__` of NumPy's arrays, and of its scalars and all that has none. An operand with a higher one is
# asked first.
cdef double _PRIORITY_OF_ARRAYS = 0.0
cdef double _PRIORITY_OF_SCALARS = -1000000.0
cdef Binary _binary_before = NULL
cdef Binary _inplace_before = NULL
cdef Subscript _getitem_before = NULL
cdef Assignment _setitem_before = NULL
# Runs a function on copies: set by `start`.
cdef object _run = None


cdef object _function(int op, bint in_place):
    if op == OP_DIVMOD:
        return divmod
    name = _functions[op]
    return getattr(operator, "i" + name.rstrip("_") if in_place else name)


cdef bint _is_left_to_numpy(object array, object other, bint is_left):
    """Whether NumPy applies its ufunc to an operand that the device does not take, and not a method of the operand."""
    cls = type(other)
    if type(array) is not ndarray or cls is ndarray:
        return False
    if cls is str or cls is bytes or isinstance(other, numpy.ndarray):
        return True
    if hasattr(cls, "__array_ufunc__"):
        module = sys.modules.get(cls.__module__)
        # Classes of libraries have methods that do the same, and get device arrays.
        return cls.__array_ufunc__ is not None and module is not None and MARK in module.__dict__
    if not is_left:
        # A method of the left operand has been tried.
        return True
    least = _PRIORITY_OF_SCALARS if (<ndarray>array).scalar else _PRIORITY_OF_ARRAYS
    return getattr(other, "__array_priority__", _PRIORITY_OF_SCALARS) <= least


cdef object _binary(int op, object left, object right):
    if type(left) is complex and type(right) is ndarray and (<ndarray>right).scalar:
        # Python's operator comes first for NumPy's scalars of Python's float and complex.
        return _run(_function(op, False), (left, right))
    try:
        result = _binary_before(op, left, right)
        if result is not NotImplemented:
            return result
        if not (_is_left_to_numpy(left, right, True) or _is_left_to_numpy(right, left, False)):
            return result
    except Exception:
        if op not in _functions and op != OP_DIVMOD:
            raise
    return _run(_function(op, False), (left, right))


cdef object _inplace(int op, object target, object other):
    try:
        result = _inplace_before(op, target, other)
        if result is not NotImplemented or not _is_left_to_numpy(target, other, True):
            return result
    except Exception:
        if op not in _functions or not ((<ndarray>target).scalar or (<ndarray>target).writeable):
            raise
    return _run(_function(op, True), (target, other), not (<ndarray>target).scalar)


cdef object _getitem(object array, object key):
    try:
        if shared_of((<ndarray>array).buffer) is not None and not (<ndarray>array).scalar:
            # An element needs no upload of all that is shared.
            found = shared(array)[key]
            if isinstance(found, numpy.generic):
                return found
        return _getitem_before(array, key)
    except Exception:
        pass
    return _run(operator.getitem, (array, key))


cdef int _setitem(object array, object key, object value) except -1:
    try:
        return _setitem_before(array, key, value)
    except Exception:
        if (<ndarray>array).scalar:
            raise
    _run(operator.setitem, (array, key, value), True)
    return 0


def store(array, host):
    """Write a copy back, if it is one: if that fails, no other copy is tried."""
    if is_shared(array):
        return
    if _run is None:
        hooks.setitem(array, ..., host)
    else:
        _setitem_before(array, ..., host)


def start(run):
    """Run what fails on copies from now on.

    Parameters
    ----------
    run : callable
        Called with a function, its arguments and whether it writes the first one.
    """
    global _binary_before, _inplace_before, _getitem_before, _setitem_before, _run
    if _run is not None:
        return
    _binary_before, _inplace_before = hooks.binary, hooks.inplace
    _getitem_before, _setitem_before = hooks.getitem, hooks.setitem
    _run = run
    hooks.binary, hooks.inplace, hooks.getitem, hooks.setitem = _binary, _inplace, _getitem, _setitem


def stop():
    """Raise the errors of the device again."""
    global _run
    if _run is None:
        return
    hooks.binary, hooks.inplace = _binary_before, _inplace_before
    hooks.getitem, hooks.setitem = _getitem_before, _setitem_before
    _run = None
