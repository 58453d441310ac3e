"""``np.random`` as the modules of a program see it: NumPy draws the numbers, large results go to the device.

The numbers are those of a run without gpunp. `numpy.random` knows device arrays for what shuffles and chooses
them: see `gpunp.interop.numpy_random`.
"""

import copy
import copyreg
import functools

import numpy

from gpunp.array.convert import asnumpy
from gpunp.array.host_copies import with_copies
from gpunp.array.ndarray import ndarray
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
        if name != "permuted" and not (out.flags.c_contiguous or out.flags.f_contiguous):
            # NumPy refuses such an array, as it refuses every second element of another one.
            kwargs["out"] = numpy.empty((*out.shape, 2), out.dtype)[..., 0]
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


def _plain(seed, depth=2):
    """A seed without arrays of the device; a list may contain itself, which NumPy refuses."""
    if depth and type(seed) in (list, tuple):
        return type(seed)(_plain(item, depth - 1) for item in seed)
    return with_copies(seed) if isinstance(seed, ndarray) else seed


def _seeded(cls):
    """Return a subclass of what takes a seed: the seed may be an array of the device, or have its scalars."""

    def __init__(self, *args, **kwargs):
        cls.__init__(self, *map(_plain, args), **{key: _plain(value) for key, value in kwargs.items()})

    names = {name: getattr(cls, name) for name in ("__module__", "__doc__", "__qualname__")}
    return _GeneratorClass(cls.__name__, (cls,), {**names, "__slots__": (), "__init__": __init__})


SEEDED = {
    name: _seeded(getattr(numpy.random, name))
    for name in ("SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
}
Generator = _moving(numpy.random.Generator)
RandomState = _moving(numpy.random.RandomState)
copyreg.pickle(_GeneratorClass, lambda cls: (copy.copy, (cls.__mro__[1],)))


@functools.wraps(numpy.random.default_rng, updated=())
def default_rng(seed=None):
    """The generator of a seed; see `numpy.random.default_rng`."""
    found = numpy.random.default_rng(_plain(seed))
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
    vars(module).update(SEEDED)
    module.default_rng = default_rng
    return module
