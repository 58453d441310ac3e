"""``np.ndarray`` as a program sees it: NumPy's class, of which device arrays are instances too."""

import copy
import copyreg
import functools
import sys
import types

import numpy

import gpunp
from gpunp.running import calls


class ArrayClass(type):
    """The type of `ndarray`."""

    def __new__(cls, name, bases, namespace, **keywords):
        """A subclass is one of NumPy's class."""
        real = tuple(numpy.ndarray if type(base) is ArrayClass else base for base in bases)
        if all(type(base) is type for base in real):
            return type(name, real, namespace, **keywords)
        return types.new_class(name, real, keywords, lambda space: space.update(namespace))

    def __call__(cls, *args, **kwargs):
        return numpy.ndarray(*args, **kwargs)

    def __instancecheck__(cls, value):
        if isinstance(value, numpy.ndarray):
            return True
        return isinstance(value, gpunp.ndarray) and not value._is_scalar

    def __subclasscheck__(cls, other):
        return other is cls or issubclass(other, (numpy.ndarray, gpunp.ndarray))

    def __eq__(cls, other):
        return other is cls or other is numpy.ndarray

    def __hash__(cls):
        return hash(numpy.ndarray)

    def __repr__(cls):
        return repr(numpy.ndarray)


def _method(name, found):
    """A method of the class, which is called with any array."""

    @functools.wraps(found)
    def call(array, *args, **kwargs):
        if isinstance(array, gpunp.ndarray):
            return getattr(array, name)(*args, **kwargs)
        return found(array, *args, **kwargs)

    return call


# Methods and operators; what Python demands of all classes stays NumPy's.
_METHODS = {
    name: _method(name, found)
    for name, found in vars(numpy.ndarray).items()
    if (isinstance(found, types.MethodDescriptorType) and not name.startswith("__"))
    or (isinstance(found, types.WrapperDescriptorType) and name not in vars(object))
}
ndarray = type.__new__(
    ArrayClass,
    "ndarray",
    (numpy.ndarray,),
    {**_METHODS, "__module__": "numpy", "__doc__": numpy.ndarray.__doc__},
)
# The copy of a class is the class itself, so that programs without gpunp can read the pickle.
copyreg.pickle(ArrayClass, lambda cls: (copy.copy, (numpy.ndarray,)))


class _PlainGlobals(dict):
    """The names of a module with NumPy itself in place of the program's NumPy.

    Parameters
    ----------
    names : dict
        Of the module; names that are added later are found, too.
    """

    def __init__(self, names):
        super().__init__(__builtins__=names["__builtins__"], __name__=names.get("__name__"))
        self._names = names

    def __getitem__(self, name):
        found = self._names[name]
        if isinstance(found, types.ModuleType) and found.__name__.partition(".")[0] == "numpy":
            return sys.modules.get(found.__name__, found)
        if isinstance(found, calls.Maker):
            return found.__wrapped__
        return numpy.ndarray if found is ndarray else found

    def __contains__(self, name):
        return name in self._names

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default

    def copy(self):
        return {name: self[name] for name in self._names}

    __copy__ = copy


def plain(function):
    """Return a function that Numba compiles with NumPy itself as its ``np``."""
    if "numba" not in sys.modules or not isinstance(function, types.FunctionType):
        return function
    made = types.FunctionType(
        function.__code__,
        _PlainGlobals(function.__globals__),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    for name in ("__annotations__", "__dict__", "__doc__", "__kwdefaults__", "__module__", "__qualname__"):
        setattr(made, name, getattr(function, name))
    return made
