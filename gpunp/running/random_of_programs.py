"""``np.random`` as the modules of a program see it: NumPy draws the numbers, large results go to the device.

The numbers are those of a run without gpunp. `numpy.random` knows device arrays for what shuffles and chooses
them: see `gpunp.interop.numpy_random`.
"""

import copy
import copyreg
import functools

import numpy

from gpunp.array.convert import asnumpy
from gpunp.running import calls

# Functions without a result, or that return no array of numbers.
_OTHERS = frozenset(
    [
        "seed",
        "get_state",
        "set_state",
        "shuffle",
        "get_bit_generator",
        "set_bit_generator",
        "bytes",
        "spawn",
        "test",
    ]
)


def _public_methods(cls):
    names = [name for name in dir(cls) if not name.startswith("_") and name not in _OTHERS]
    return [name for name in names if callable(getattr(cls, name))]


def _method(cls, name):
    """A method whose large results are moved, and that writes into device arrays given as ``out``."""
    base = getattr(cls, name)

    def written(self, *args, **kwargs):
        out = kwargs["out"]
        kwargs["out"] = host = asnumpy(out)
        base(self, *args, **kwargs)
        out[...] = host
        return out

    return calls.Method(base, written, calls.BY_OUT)


class _GeneratorClass(type):
    """The type of generators whose results are moved; those of NumPy are instances too."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.__mro__[1])

    def __subclasscheck__(cls, other):
        return issubclass(other, cls.__mro__[1])


def _moving(cls):
    """Return a subclass of one of NumPy's generators whose results are moved."""
    methods = {name: _method(cls, name) for name in _public_methods(cls)}
    # No attributes of its own, as NumPy's generators have none: Python finds the methods faster then.
    methods |= {name: getattr(cls, name) for name in ("__module__", "__doc__", "__qualname__")}
    methods["__slots__"] = ()
    return _GeneratorClass(cls.__name__, (cls,), methods)


Generator = _moving(numpy.random.Generator)
RandomState = _moving(numpy.random.RandomState)
copyreg.pickle(_GeneratorClass, lambda cls: (copy.copy, (cls.__mro__[1],)))


@functools.wraps(numpy.random.default_rng, updated=())
def default_rng(seed=None):
    """The generator of a seed; see `numpy.random.default_rng`."""
    found = numpy.random.default_rng(seed)
    return (
        Generator(found.bit_generator)
        if type(found) is numpy.random.Generator and found is not seed
        else found
    )


def random_module(module):
    """Change a copy of `numpy.random` to be that of a program, and return it."""
    for name in numpy.random.__all__:
        function = getattr(numpy.random, name)
        if callable(function) and not isinstance(function, type) and name not in _OTHERS:
            setattr(module, name, calls.Maker(function))
    module.Generator, module.RandomState = Generator, RandomState
    module.default_rng = default_rng
    return module
