"""SciPy's own Python functions with other globals: they then compute on device arrays.

The code objects are SciPy's. Only the names that they look up in their module change: ``np`` becomes a
namespace whose creation functions place arrays on the device, compiled helpers become ours. What is on the
host, such as the coefficients of a filter, stays there.
"""

import importlib
import inspect
import types

import numpy

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp_scipy.device_numpy import CREATION, Numpy

NUMPY = Numpy(CREATION, nested=False)


def array_namespace(*arrays, **_):
    """The namespace of SciPy's generic code: gpunp if there is a device array, else NumPy."""
    return numpy if device_of(*arrays) is None else gpunp


def _package(module):
    """The package of a module of ours below `gpunp_scipy`: that of SciPy's function, too."""
    return module.partition(".")[2].rpartition(".")[0]


def unwrapped(function):
    """A function of SciPy without the wrappers around it, such as those that deprecate arguments."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


class Rebound:
    """The functions of a module of SciPy with other globals.

    Parameters
    ----------
    module : str
        Its name.
    replaced : dict
        Globals besides ``np`` and ``array_namespace``, by name.
    """

    def __init__(self, module, replaced):
        source = importlib.import_module(module)
        self._globals = space = dict(vars(source))
        for name, value in vars(source).items():
            if isinstance(value, types.FunctionType) and value.__module__ == module:
                space[name] = self._bind(unwrapped(value))
        space.update({"np": NUMPY, "array_namespace": array_namespace}, **replaced)

    def _bind(self, function):
        bound = types.FunctionType(
            function.__code__, self._globals, function.__name__, function.__defaults__, function.__closure__
        )
        bound.__kwdefaults__ = function.__kwdefaults__
        return bound

    def __getitem__(self, name):
        return self._globals[name]

    def public(self, name, module, differences="", host=()):
        """A public function: its arrays are created on the device of its arguments.

        Parameters
        ----------
        name : str
        module : str
            The name of the module that defines it here.
        differences : str
            What its docstring says besides the summary.
        host : tuple of str
            Parameters that are needed on the host, such as coefficients; device arrays are copied there.
        """
        scipys = getattr(importlib.import_module(f"scipy.{_package(module)}"), name)
        return public(self._globals[name], scipys, module, differences, host)


def public(function, scipys, module, differences="", host=()):
    """The public form of a function that computes as a function of SciPy does; see `Rebound.public`."""
    signature = inspect.signature(scipys)

    def call(*args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True)
        if host:
            bound = signature.bind(*args, **kwargs)
            for name in host:
                if isinstance(bound.arguments.get(name), gpunp.ndarray):
                    bound.arguments[name] = fetched(bound.arguments[name])
            args, kwargs = bound.args, bound.kwargs
        if device is None:
            args = [gpunp.asarray(arg) if isinstance(arg, numpy.ndarray) else arg for arg in args]
            return function(*args, **kwargs)
        with device:
            return function(*args, **kwargs)

    return presented(call, scipys, module, differences)


def presented(call, scipys, module, differences=""):
    """Give a function the name, signature and summary of SciPy's, and return it; see `Rebound.public`."""
    name = scipys.__name__
    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__signature__ = inspect.signature(scipys)
    summary = inspect.getdoc(scipys).partition("\n\n")[0].replace("\n", " ").rstrip(".")
    call.__doc__ = f"{summary}; see `scipy.{_package(module)}.{name}`."
    if differences:
        call.__doc__ += f"\n\n{differences}\n"
    return call
