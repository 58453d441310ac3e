"""Common to all functions of numpy.linalg: operands, dtypes, and NumPy's LAPACK on the CPU device."""

import functools
import inspect

import numpy
from numpy.linalg import LinAlgError

from gpunp.array import layout, transfer
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of

F2, F4, F8, C8, C16 = map(numpy.dtype, "efdFD")
# What NumPy's functions return, as arrays of the CPU device.
to_device = transfer.wrap_results


def same_device(name, values):
    """Arrays on the device of the first device array among them."""
    device = device_of(*values)
    arrays = [x if isinstance(x, ndarray) else asarray(x, device=device) for x in values]
    for x in arrays[1:]:
        if x.device is not arrays[0].device:
            raise ValueError(
                f"{name}: the operands are on {arrays[0].device} and {x.device}; move one with to_device"
            )
    return arrays


def common_dtype(*arrays):
    """The dtype to compute in: float32, float64 or their complex counterparts; integers become float64."""
    double = any(x.dtype not in (F2, F4, C8) for x in arrays)
    if any(x.dtype.kind == "c" for x in arrays):
        return C16 if double else C8
    return F8 if double else F4


def real_dtype(dtype):
    """The real dtype of the same precision."""
    return {C8: F4, C16: F8}.get(dtype, dtype)


def to_dtype(a, dtype):
    """``a`` itself if it has the dtype, otherwise a converted copy."""
    return a if a.dtype == dtype else layout.converted(a, dtype)


def check_matrices(*arrays):
    """Raise LinAlgError unless the arrays have two dimensions or more."""
    for a in arrays:
        if a.ndim < 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")


def check_square(*arrays):
    """Raise LinAlgError unless the last two dimensions are equal."""
    check_matrices(*arrays)
    for a in arrays:
        if a.shape[-1] != a.shape[-2]:
            raise LinAlgError("Last 2 dimensions of the array must be square")


def _round_to_half(found):
    if isinstance(found, tuple):
        parts = [_round_to_half(part) for part in found]
        return type(found)._make(parts) if hasattr(found, "_make") else type(found)(parts)
    if found.dtype != F4:
        return found
    rounded = layout.converted(found, F2)
    return rounded._mark_scalar() if found._is_scalar else rounded


def _host_of(args, count):
    """The CPU device if the first arguments, so many, are arrays on it that need no conversion; else None."""
    if len(args) < count:
        return None
    for x in args[:count]:
        if type(x) is not ndarray or not x.device.is_cpu or x.dtype is F2:
            return None
    return args[0].device


def lapack(arrays=1):
    """Decorate the CUDA implementation of a function of ``numpy.linalg``; the CPU device calls NumPy's.

    Parameters
    ----------
    arrays : int
        Number of leading parameters that are arrays. The handler receives them as arrays of one device.
        float16 operands are computed in float32, and real results are rounded to float16.
    """

    def decorate(handler):
        name = handler.__name__
        parameters = list(inspect.signature(handler).parameters)[:arrays]
        function = getattr(numpy.linalg, name)

        @functools.wraps(handler)
        def call(*args, **kwargs):
            device = _host_of(args, arrays)
            if device is not None:
                return transfer.on_host(function, device, args, kwargs)
            given = list(args[:arrays])
            for parameter in parameters[len(given) :]:
                if parameter not in kwargs:
                    return handler(*args, **kwargs)  # raises the TypeError for the missing argument
                given.append(kwargs.pop(parameter))
            operands = same_device(name, given)
            halves = all(x.dtype == F2 for x in operands)
            operands = [layout.converted(x, F4) if x.dtype == F2 else x for x in operands]
            device = operands[0].device
            if device.is_cpu:
                found = transfer.on_host(function, device, (*operands, *args[arrays:]), kwargs)
            else:
                found = handler(*operands, *args[arrays:], **kwargs)
            return _round_to_half(found) if halves else found

        return call

    return decorate
