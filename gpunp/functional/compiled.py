"""Functions of numbers that array functions take, compiled where they do not work on whole arrays."""

import collections
import threading
import types

import numpy

from gpunp.array import layout
from gpunp.array.ndarray import ndarray

# Codes of functions that raised on whole arrays and were compiled: the next call compiles at once. Bounded,
# since programs may make code.
_KEPT = 1024
_by_elements = collections.OrderedDict()
_lock = threading.Lock()


def goes_by_elements(function):
    """Whether a function did not work on whole arrays before, but could be compiled; or is one of numba's."""
    return hasattr(function, "py_func") or getattr(function, "__code__", function) in _by_elements


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
        Its arguments. Device arrays are broadcast and passed element by element; numbers are passed as they
        are. Other values are compiled into the code, which is kept for the next call with equal ones.
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
    from gpunp.jit.scalars import compile_scalar

    operands = []
    specs, named = _specs(args, kwargs, operands)
    compiled = compile_scalar(function, specs, named, device, otypes)
    outs = [layout.empty(shape, dtype, "C", device) for dtype in compiled.dtypes]
    if 0 not in shape:
        compiled(operands, outs)
    return outs, compiled.is_tuple


def _specs(args, kwargs, operands):
    """What `compile_scalar` takes for arguments; those that vary are appended to ``operands``."""
    from gpunp.jit.functions import Constant

    def spec_of(value):
        if isinstance(value, ndarray | numpy.generic):
            operands.append(value)
            return value.dtype
        if type(value) in (int, float, complex):
            operands.append(value)
            return type(value)
        return Constant(value)

    return [spec_of(value) for value in args], {name: spec_of(value) for name, value in kwargs.items()}


def has_loop(function):
    """Whether a function is a plain Python function with a loop."""
    if not isinstance(function, types.FunctionType):
        return False
    from gpunp.jit import functions

    return functions.has_loop(function.__code__)


def compiled_slices(function, slices, args, kwargs):
    """Apply a function to slices along the last axis, compiled.

    Parameters
    ----------
    function : function
        A plain Python function.
    slices : ndarray
        The array.
    args, kwargs : sequence and dict
        Further arguments of the function.

    Returns
    -------
    ndarray or None
        None if the function cannot be compiled.
    """
    from gpunp.jit.slices import compile_slices
    from gpunp.jit.toolchain import NotCompiled

    if any(isinstance(value, ndarray) for value in (*args, *kwargs.values())):
        return None
    outer = slices.shape[:-1]
    rows = numpy.reshape(slices, (-1, slices.shape[-1]))
    rows = numpy.broadcast_to(rows, rows.shape)
    numbers = []
    specs, named = _specs(args, kwargs, numbers)
    try:
        compiled = compile_slices(function, rows, specs, named)
    except NotCompiled:
        return None
    inner = () if compiled.count is None else (compiled.count,)
    out = layout.empty((rows.shape[0], *inner), compiled.dtype, "C", slices.device)
    compiled(rows, out, numbers)
    return out.reshape(outer + inner)
