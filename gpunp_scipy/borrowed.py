"""SciPy's own functions under the names of this package, where it has none of its own.

`gpunp_scipy.signal.firwin` is such a function: SciPy's code runs, and the result is a device array. So are
functions whose arguments are numbers, such as `gpunp_scipy.linalg.hadamard`.
"""

import functools
import importlib
import inspect
import types

import numpy

import gpunp

# Functions that SciPy has dropped or never had and programs use, by module: where they are.
OTHERS = {
    "scipy.fft": {"get_fft_plan": ("gpunp_scipy.fft.planning", "get_fft_plan")},
    "scipy.fftpack": {"get_fft_plan": ("gpunp_scipy.fft.planning", "get_fft_plan")},
    "scipy.linalg": {name: ("gpunp", name) for name in ("kron", "tri", "tril", "triu")},
    "scipy.signal": {
        name: ("gpunp_scipy.signal.wavelets", name) for name in ("cwt", "morlet", "morlet2", "qmf", "ricker")
    },
    "scipy.spatial.distance": {
        "distance_matrix": ("gpunp_scipy.spatial", "distance_matrix"),
        "hellinger": ("gpunp_scipy.spatial.distance.divergences", "hellinger"),
        "kl_divergence": ("gpunp_scipy.spatial.distance.divergences", "kl_divergence"),
    },
    "scipy.special": {name: ("gpunp_scipy.special.former", name) for name in ("btdtr", "btdtri", "sph_harm")},
}


def _moved(value):
    """A copy of a host array on the device, also in tuples and lists; any other value itself."""
    if type(value) is numpy.ndarray:
        return value if value.dtype.kind not in "biufc" else gpunp.asarray(value)
    if type(value) is list or type(value) is tuple:
        return type(value)(map(_moved, value))
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(map(_moved, value))
    return value


def _takes_namespace(function):
    try:
        return "xp" in inspect.signature(function).parameters
    except ValueError:
        # Functions of C have no signature.
        return False


def _on_device(function):
    """Return a function that calls SciPy's with copies of host arrays on the device, and returns such."""
    makes = {"xp": gpunp} if _takes_namespace(function) else {}

    @functools.wraps(function)
    def call(*args, **kwargs):
        args = tuple(map(_moved, args))
        kwargs = makes | {name: _moved(value) for name, value in kwargs.items()}
        return _moved(function(*args, **kwargs))

    call.__module__ = f"gpunp_{function.__module__}"
    return call


def find(module, name):
    """Return SciPy's object of a name, or one of ours that SciPy lacks.

    Parameters
    ----------
    module : str
        Of this package, such as ``"gpunp_scipy.signal"``.
    name : str

    Returns
    -------
    object
        A function takes host and device arrays and returns device arrays. Classes and others are SciPy's.

    Raises
    ------
    AttributeError
        If neither has such a name.
    """
    if name.startswith("_"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    scipys = module.removeprefix("gpunp_")
    known = getattr(importlib.import_module(scipys), "__all__", ())
    if name in known:
        value = getattr(importlib.import_module(scipys), name)
        is_function = isinstance(value, types.FunctionType | types.BuiltinFunctionType)
        return _on_device(value) if is_function else value
    if name in OTHERS.get(scipys, ()):
        home, attribute = OTHERS[scipys][name]
        return getattr(importlib.import_module(home), attribute)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")
