"""Keys by which compiled functions are found again."""

import types

import numpy

# Functions of functions of functions are enough; deeper helpers are compared by identity.
_DEPTH = 4
_SIMPLE = (bool, int, float, complex, str, bytes, type(None))


def key_of(function, depth=_DEPTH):
    """A hashable key of all that a function's compiled code depends on.

    Two functions have the same key if their code, defaults, closures and the global constants and helpers
    that they name are the same: a lambda in a loop is compiled once, and a global number that has changed
    compiles anew.
    """
    code = function.__code__
    names = _names(code)
    scope = function.__globals__
    cells = [_content(cell) for cell in function.__closure__ or ()]
    defaults = (*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items()))
    return (
        code,
        tuple(key_of_value(value, depth) for value in (*defaults, *cells)),
        tuple((name, key_of_value(scope[name], depth)) for name in names if name in scope),
    )


def _names(code):
    """The global names of a code object and of the functions in it."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names += _names(constant)
    return names


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None


def key_of_value(value, depth):
    kind = type(value)
    if kind in _SIMPLE or isinstance(value, numpy.generic):
        # 1, 1.0 and True are equal; so are 0.0 and -0.0.
        return kind, repr(value)
    if kind is tuple:
        return kind, tuple(key_of_value(item, depth) for item in value)
    if kind is numpy.ndarray and not value.dtype.hasobject:
        return kind, value.dtype.str, value.shape, value.tobytes()
    if kind is types.FunctionType and depth:
        return kind, key_of(value, depth - 1)
    return _Same(value)


class _Same:
    """Compares by identity, and keeps the object alive so that its identity is not reused."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self):
        return id(self.value)
