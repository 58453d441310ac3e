"""NEP 13: calls of NumPy's and SciPy's ufuncs with a device array."""

import importlib
import sys

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.array.numpy_internals import umath
from gpunp.dispatch.first_use import first_use
from gpunp.dispatch.function_protocol import run_on_host, unhandled

on_host = first_use("gpunp.array.implicit", "on_host")
# NumPy's or SciPy's ufunc objects to our ufuncs.
UFUNCS = {}
# Name to pairs of a module and our ufunc, for ufuncs of modules that are not imported yet.
_LAZY = {}

# Name of a ufunc of NumPy to the module that defines ours under the same name and is imported at first use.
_HOMES = {}

_PLAIN = frozenset({ndarray, float, int, bool, complex})
# Whether gpunp converts operands of a type itself; other types are added when first seen.
_KNOWN = dict.fromkeys([*_PLAIN, numpy.ndarray, numpy.memmap, list, tuple, type(None)], True)


def register_ufunc(name, function, module="numpy"):
    """Make ``function`` answer for ufunc ``name`` of ``module``, which may not be imported yet."""
    if module in sys.modules and (ufunc := _find(sys.modules[module], name)) is not None:
        UFUNCS[ufunc] = function
    else:
        _LAZY.setdefault(name, []).append((module, function))


def register_home(module, *names):
    """Register the module that defines our ufuncs of these names; it is imported at the first lookup."""
    _HOMES.update(dict.fromkeys(names, module))


def _find(module, name):
    found = getattr(module, name, None)
    if not isinstance(found, numpy.ufunc) and module is numpy:
        # np.clip is a function that calls the ufunc of that name; _ones_like is not public.
        found = getattr(umath, name, None)
    return found if isinstance(found, numpy.ufunc) else None


def find_ufunc(ufunc):
    """Return our ufunc for one of NumPy or SciPy, or None."""
    function = UFUNCS.get(ufunc)
    return _find_lazy(ufunc) if function is None else function


def _find_lazy(ufunc):
    home = _HOMES.get(ufunc.__name__)
    if home is not None and getattr(numpy, ufunc.__name__, None) is ufunc:
        UFUNCS[ufunc] = getattr(importlib.import_module(home), ufunc.__name__)
        return UFUNCS[ufunc]
    # By its own name first, then by identity under every name: SciPy calls digamma "psi".
    for name in (ufunc.__name__, *_LAZY):
        for module, function in _LAZY.get(name, ()):
            found = getattr(sys.modules.get(module), name, None)
            # SciPy wraps its ufuncs in array API mode.
            if getattr(found, "__wrapped__", found) is ufunc:
                UFUNCS[ufunc] = function
                return function
    return None


def _is_known(cls):
    """Whether gpunp converts operands of this type; otherwise their own protocol handles the call."""
    known = _KNOWN.get(cls)
    if known is None:
        # Types without the protocol (Decimal, str, ...) fail in the conversion, which says why.
        known = _KNOWN[cls] = (
            issubclass(cls, ndarray)
            or not hasattr(cls, "__array_ufunc__")
            or (issubclass(cls, numpy.generic))
        )
    return known


def array_ufunc(self, ufunc, method, inputs, kwargs):
    """Implement ``ndarray.__array_ufunc__``."""
    function = UFUNCS.get(ufunc)
    if function is None:
        getattr(ufunc, method)  # Raises AttributeError for a method that the ufunc lacks.
        function = _find_lazy(ufunc)
    elif not kwargs and method == "__call__":
        # Fast path of the most common call.
        for operand in inputs:
            if type(operand) not in _PLAIN:
                break
        else:
            return function(*inputs)
    for operand in inputs:
        if type(operand) not in _PLAIN and not _is_known(type(operand)):
            return NotImplemented
    if kwargs:
        for out in kwargs.get("out", ()):
            if out is not None and not isinstance(out, ndarray):
                return _write_to_host(out, ufunc, method, inputs, kwargs)
        if "where" in kwargs and not _is_known(type(kwargs["where"])):
            return NotImplemented
    if function is None:
        name = _path(ufunc) + ("" if method == "__call__" else "." + method)
        return run_on_host(getattr(ufunc, method), inputs, kwargs, self.device, name, in_place=method == "at")
    if kwargs:
        outs = kwargs.get("out")
        if outs is not None and len(outs) == 1:
            kwargs = {**kwargs, "out": outs[0]}
    if method == "__call__":
        return function(*inputs, **kwargs)
    if method == "at" and type(inputs[0]) in (numpy.ndarray, numpy.memmap):
        refusal = f"{_path(ufunc)}.at: the first operand must be a device array"
        return on_host(ufunc.at, refusal, inputs)
    bound = getattr(function, method, None)
    if bound is None:
        getattr(ufunc, method)
        raise unhandled(f"{_path(ufunc)}.{method}")
    return bound(*inputs, **kwargs)


def _path(ufunc):
    name = ufunc.__name__
    for module in ("numpy", "scipy.special"):
        # SciPy wraps its ufuncs in array API mode; np.clip is a function that calls one.
        found = getattr(sys.modules.get(module), name, None)
        if getattr(found, "__wrapped__", found) is ufunc:
            return f"{module}.{name}"
    return f"numpy.{name}" if getattr(umath, name, None) is ufunc else f"the ufunc {name}"


def _write_to_host(out, ufunc, method, inputs, kwargs):
    """Let NumPy run a call with a host array as ``out``, such as ``host += s``, with scalars as numbers."""
    if type(out) not in (numpy.ndarray, numpy.memmap):
        return NotImplemented
    refusal = (
        f"{_path(ufunc)}: out is a host array of shape {out.shape} and the operands are on the device. "
        "Give a gpunp array as out, or copy the result with gpunp.asnumpy(result, out=...)."
    )
    return on_host(getattr(ufunc, method), refusal, inputs, kwargs)
