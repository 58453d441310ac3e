"""Implicit conversion to host arrays: scalars give their number.

Other arrays give an error naming the caller, or a host copy if `gpunp.config.host_copies` allows it.
"""

import sys

import numpy

from gpunp.array import host_copies
from gpunp.array.ndarray import ndarray
from gpunp.array.scalars import host_scalar, stays_on_device

# Modules searched for the public name of the NumPy function that requested the conversion.
_PUBLIC = ("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.ma", "numpy.lib.stride_tricks")
_OURS = ("gpunp", "gpunp_scipy")


def host_array(array, dtype, copy):
    """Implement ``ndarray.__array__``."""
    if not array._is_scalar:
        if not stays_on_device() and host_copies.permitted(array):
            return host_copies.taken(array, dtype, copy)
        raise TypeError(
            f"Implicit conversion of a gpunp array to a NumPy array is not allowed{_asker()}. Copy the array "
            "with gpunp.asnumpy(array) or array.get(), or upload what is on the host with gpunp.asarray; see "
            "'Unchanged code: the exceptions' (docs/unchanged-code.md)"
        )
    if stays_on_device():
        raise TypeError("a scalar on the device")
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return numpy.array(host_scalar(array), dtype=dtype)


def with_numbers(value):
    """Replace scalars by their numbers, also in sequences; return None if ``value`` holds another array."""
    if isinstance(value, ndarray):
        return host_scalar(value) if value._is_scalar else None
    if type(value) in (list, tuple):
        numbers = [with_numbers(item) for item in value]
        known = all(new is not None or old is None for new, old in zip(numbers, value, strict=True))
        return type(value)(numbers) if known else None
    return value


def on_host(function, refusal, args, kwargs=None):
    """Run a function that writes into a host array on the host, with scalars replaced by their numbers.

    Parameters
    ----------
    function : callable
        A function of NumPy.
    refusal : str
        Message of the TypeError that is raised if an array with dimensions is among the arguments, and host
        copies are not allowed.
    args : tuple
    kwargs : dict, optional
    """
    kwargs = kwargs or {}
    numbers = with_numbers(tuple(args)), with_numbers(tuple(kwargs.values()))
    if None in numbers:
        if not host_copies.permitted(args):
            raise TypeError(refusal)
        numbers = host_copies.with_copies(tuple(args)), host_copies.with_copies(tuple(kwargs.values()))
    return function(*numbers[0], **dict(zip(kwargs, numbers[1], strict=True)))


def _package(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0]


def _asker():
    """Name the function that requested the conversion, and its call site, as the end of an error message."""
    frame, name = sys._getframe(2), None
    while frame is not None and _package(frame) in _OURS:
        # A frame of ours: a handler that converts its arguments has the name of NumPy's function.
        name, frame = _public_name(frame.f_code.co_name) or name, frame.f_back
    if frame is None:
        return ""
    library = _package(frame)
    if library == "numpy" or "site-packages" in frame.f_code.co_filename:
        while frame is not None and _package(frame) == library:
            name = _name(frame, library)
            frame = frame.f_back
    asked = f": {name} asked for it" if name else ""
    if frame is None:
        return asked
    code = frame.f_code
    place = f"{code.co_filename}:{frame.f_lineno}"
    if code.co_name != "<module>":
        place += f" in {code.co_qualname}"
    return f"{asked}, called at {place}" if name else f": asked for at {place}"


def _name(frame, library):
    code = frame.f_code
    owner, _, method = code.co_qualname.rpartition(".")
    # Users call a constructor by the name of its class.
    called = owner if method in ("__init__", "__new__") else code.co_name
    public = _public_name(called) if library == "numpy" else None
    return public or f"{frame.f_globals['__name__']}.{code.co_qualname}"


def _public_name(name):
    if name.startswith("__"):
        # Every module has such attributes.
        return None
    for module in _PUBLIC:
        if callable(getattr(sys.modules.get(module), name, None)):
            return f"{module}.{name}"
    return None
