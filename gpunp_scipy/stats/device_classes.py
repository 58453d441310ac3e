"""SciPy's classes of distributions with other globals: their methods then compute on device arrays.

The code is SciPy's. Its helpers that pick elements by a condition are those of `selection`, creation
functions place arrays on the device, and methods that `elementwise` has are ours.
"""

import functools
import importlib
import types

import numpy

import gpunp
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.device_numpy import CREATION, Numpy
from gpunp_scipy.stats.selection import apply_where, lazyselect
from gpunp_scipy.stats.vectorizing import Vectorize

# Attributes of an object that SciPy makes of its methods by numpy.vectorize.
# Methods that check their arguments; code that calls them gets the device's.
PUBLIC = frozenset(
    [
        "cdf",
        "isf",
        "logcdf",
        "logpdf",
        "logpmf",
        "logsf",
        "pdf",
        "pmf",
        "ppf",
        "sf",
        "entropy",
        "expect",
        "interval",
        "mean",
        "median",
        "moment",
        "rvs",
        "stats",
        "std",
        "support",
        "var",
    ]
)
# Methods of multivariate distributions that check parameters, which are on the host.
_OF_PARAMETERS = ("_process_parameters", "_process_parameters_Covariance", "_process_parameters_psd")
_MADE = ("_cdfvec", "_ppfvec", "vecentropy", "generic_moment")


class _Namespace(Numpy):
    vectorize = Vectorize


class _Distribution:
    """A distribution that SciPy's code names: the methods without checks take device arrays."""

    def __init__(self, distribution):
        self._distribution = distribution

    def __getattr__(self, name):
        of = distribution_for(self._distribution) if name.startswith("_") else self._distribution
        return getattr(of, name)


NUMPY = _Namespace(CREATION, nested=False)
# Lists of arrays become arrays.
_OF_VECTORS = _Namespace(CREATION)


class _Extra:
    """The module ``array_api_extra`` of SciPy, with `apply_where`."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return apply_where if name == "apply_where" else getattr(self._module, name)


def _rv_generic():
    from scipy.stats import _distn_infrastructure

    return _distn_infrastructure.rv_generic


def _bases():
    """The classes that all distributions and random variables of SciPy are of."""
    from scipy.stats._probability_distribution import _ProbabilityDistribution

    return _rv_generic(), _ProbabilityDistribution


def _elementwise():
    # Here, as it imports SciPy.
    return importlib.import_module("gpunp_scipy.stats.elementwise")


def _public(name):
    """A method of SciPy's object, which is hooked."""

    def call(self, *args, **kwargs):
        return getattr(self._scipys, name)(*args, **kwargs)

    return call


@functools.cache
def _globals(module):
    """The globals of the methods of a module's classes."""
    space = dict(vars(importlib.import_module(module)))
    for name, value in space.items():
        if isinstance(value, types.FunctionType) and value.__module__ == module:
            space[name] = types.FunctionType(
                value.__code__, space, value.__name__, value.__defaults__, value.__closure__
            )
            space[name].__kwdefaults__ = value.__kwdefaults__
        elif getattr(value, "__module__", None) == "numpy" and name in vars(NUMPY):
            space[name] = getattr(NUMPY, name)
        elif isinstance(value, _rv_generic()):
            space[name] = _Distribution(value)
    space.update(np=_OF_VECTORS if module == "scipy.stats._multivariate" else NUMPY, _lazyselect=lazyselect)
    space.update(_elementwise().GLOBALS.get(module, {}))
    if "xpx" in space:
        space["xpx"] = _Extra(space["xpx"])
    return space


def _cell(value, space, cell):
    """A cell of a closure; a method that a decorator wraps is rebound as well."""
    wrapped = value.cell_contents
    if isinstance(wrapped, types.FunctionType) and wrapped.__module__.startswith("scipy.stats."):
        return types.CellType(_rebound(wrapped, space, cell))
    return value


def _rebound(function, space, cell):
    """A method with other globals; ``super()`` in it finds the new class."""
    # Before Python 3.12, a hook is in the code of a function.
    function = hooks.original(function)
    closure = function.__closure__ and tuple(
        cell if name == "__class__" else _cell(each, space, cell)
        for name, each in zip(function.__code__.co_freevars, function.__closure__, strict=True)
    )
    made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


@functools.cache
def class_for(cls):
    """The class of a distribution for device arrays.

    Parameters
    ----------
    cls : type
        A class of SciPy, or of a user; the methods of a user's class stay as they are.

    Returns
    -------
    type
        With the same names, and no relation to ``cls`` but the code.
    """
    if cls is object:
        return cls
    bases = tuple(map(class_for, cls.__bases__))
    of_scipy = cls.__module__.startswith("scipy.stats.")
    cell, members = types.CellType(), {}
    for name, value in vars(cls).items():
        if name in ("__dict__", "__weakref__", "__new__", "__init__", "__doc__", "__reduce__"):
            continue
        if isinstance(value, types.FunctionType) and name not in _OF_PARAMETERS:
            space = _globals(cls.__module__) if of_scipy else value.__globals__
            value = _rebound(value, space, cell)
        elif isinstance(value, types.MethodType) and isinstance(value.__self__, _rv_generic()):
            # A random variable has methods of a distribution.
            value = getattr(distribution_for(value.__self__), value.__name__)
        members[name] = value
    if of_scipy:
        members.update(_elementwise().METHODS.get(cls.__name__, {}))
        if issubclass(cls, _rv_generic()):
            members.update((name, _public(name)) for name in vars(cls) if name in PUBLIC)
    made = type(cls.__name__, bases, members)
    cell.cell_contents = made
    if of_scipy and issubclass(cls, _bases()):
        # For ``super(cls, self)`` and ``isinstance`` in methods.
        _globals(cls.__module__)[cls.__name__] = made
    return made


def distribution_for(distribution):
    """An object of `class_for` the class of a distribution, with the same attributes."""
    made = object.__new__(class_for(type(distribution)))
    vars(made).update(vars(distribution), _scipys=distribution)
    for name in _MADE:
        vars(made).pop(name, None)
    return made


def with_globals(distribution):
    """`distribution_for` a multivariate distribution, which holds another one if it is frozen."""
    made = distribution_for(distribution)
    if hasattr(distribution, "_dist"):
        made._dist = distribution_for(distribution._dist)
    return made


def on_device(values):
    """Arguments as SciPy's methods convert them: host arrays go to the device, numbers stay.

    Parameters
    ----------
    values : sequence of array_like

    Returns
    -------
    list of ndarray or numpy.generic
    """
    return [_converted(each) for each in values]


def _converted(value):
    if isinstance(value, gpunp.ndarray):
        return value
    if device_of(value, nested=True) is None:
        value = numpy.asarray(value)
        if value.ndim == 0:
            return value[()]
    return gpunp.asarray(value)
