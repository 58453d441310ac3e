"""Calls of the driver through the package cuda-bindings, for functions named as in CUDA's runtime API."""

import ctypes
import operator

from gpunp.cuda import driver
from gpunp.device import flush_devices

_bindings = None


def bindings():
    """The module ``cuda.bindings.driver``, imported at its first use, as that takes a while."""
    global _bindings
    if _bindings is None:
        from cuda.bindings import driver as module

        _bindings = module
    return _bindings


def call(name, *args, flush=False, device=None):
    """Call a function of the driver with the current device's context; raise if it fails.

    Parameters
    ----------
    name : str
        Of the function in ``cuda.bindings.driver``.
    *args
    flush : bool, optional
        Whether deferred calls of gpunp run before, as they may use the same memory.
    device : int, optional
        The device whose context is used instead.

    Returns
    -------
    object
        The value, a tuple of several values, or None.
    """
    module = bindings()
    if flush:
        flush_devices()
    driver.make_current(device)
    result, *values = getattr(module, name)(*args)
    driver.raise_for(int(result), name)
    if not values:
        return None
    return values[0] if len(values) == 1 else tuple(values)


def address(value):
    """An address from an integer, an object with ``ptr``, or a pointer of ctypes."""
    value = getattr(value, "ptr", value)
    if isinstance(value, ctypes.c_void_p):
        return value.value or 0
    return operator.index(value)


def handle(kind, value):
    """A handle of cuda-bindings from an integer or an object with ``ptr``."""
    return getattr(bindings(), kind)(address(value))
