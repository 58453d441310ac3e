"""``np.ndarray`` as a program sees it: NumPy's class, of which device arrays are instances too."""

import copy
import copyreg
import types

import numpy

import gpunp


class ArrayClass(type):
    """The type of `ndarray`."""

    def __new__(cls, name, bases, namespace, **keywords):
        """A subclass is one of NumPy's class."""
        real = tuple(numpy.ndarray if type(base) is ArrayClass else base for base in bases)
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

    def __getattribute__(cls, name):
        found = type.__getattribute__(cls, name)
        if name.startswith("__") or not isinstance(found, types.MethodDescriptorType):
            return found

        def call(array, *args, **kwargs):
            if isinstance(array, gpunp.ndarray):
                return getattr(array, name)(*args, **kwargs)
            return found(array, *args, **kwargs)

        call.__name__, call.__qualname__, call.__doc__ = name, found.__qualname__, found.__doc__
        return call


ndarray = type.__new__(
    ArrayClass, "ndarray", (numpy.ndarray,), {"__module__": "numpy", "__doc__": numpy.ndarray.__doc__}
)
# The copy of a class is the class itself, so that programs without gpunp can read the pickle.
copyreg.pickle(ArrayClass, lambda cls: (copy.copy, (numpy.ndarray,)))
