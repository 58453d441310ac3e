"""Functions of numbers that array functions take, compiled where they do not work on whole arrays."""

import collections
import threading

import numpy

from gpunp.array import layout
from gpunp.array.ndarray import ndarray

# Codes of functions that raised on whole arrays and were compiled: the next call compiles at once. Bounded, since
# programs may make code.
_KEPT = 1024
_by_elements = collections.OrderedDict()
_lock = threading.Lock()


def goes_by_elements(function):
    """Whether a function did not work on whole arrays before, but could be compiled."""
    return getattr(function, "__code__", function) in _by_elements


def note_by_elements(function):
    """Remember that a function does not work on whole arrays."""
    with _lock:
        _by_elements[getattr(function, "__code__", function)] = True
        while len(_by_elements) > _KEPT:
            _by_elements.popitem(last=False)


def compiled_call(function, args, kwargs, shape, device, otypes=None):
    """Call a function of numbers, compiled, for each element of arrays.

    Parameters
    ----------
    function : callable
        The function.
    args, kwargs : sequence and dict
        Its arguments. Device arrays are broadcast and passed element by element; numbers are passed as they are.
        Other values are compiled into the code, which is kept for the next call with equal ones.
    shape : tuple of int
        The shape to which the arrays broadcast.
    device : Device
        Where they are.
    otypes : list of dtype, optional
        The dtypes of the results.

    Returns
    -------
    list of ndarray and bool
        The results, and whether the function returns a tuple.

    Raises
    ------
    TypeError
        If the function cannot be compiled.
    """
    # Also numba and numba-cuda load at the first function that needs them.
    from gpunp.jit.scalars import Constant, compile_scalar

    operands = []

    def spec_of(value):
        if isinstance(value, ndarray | numpy.generic):
            operands.append(value)
            return value.dtype
        if type(value) in (int, float, complex):
            operands.append(value)
            return type(value)
        return Constant(value)

    specs = [spec_of(value) for value in args]
    named = {name: spec_of(value) for name, value in kwargs.items()}
    compiled = compile_scalar(function, specs, named, device, otypes)
    outs = [layout.empty(shape, dtype, "C", device) for dtype in compiled.dtypes]
    if 0 not in shape:
        compiled(operands, outs)
    return outs, compiled.is_tuple
