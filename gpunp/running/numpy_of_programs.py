"""The ``numpy`` that the modules of a program import: NumPy, with functions that place arrays on the device.

Only functions that create, load or convert arrays, or whose result is larger than their arguments, differ.
All others find device arrays by NumPy's protocols.
"""

import functools
import importlib
import sys
import types

import numpy

import gpunp
from gpunp.array.host_copies import with_copies
from gpunp.running import calls, placement
from gpunp.running.array_class import ndarray
from gpunp.running.iterators import nditer

# Functions whose first argument is the shape, and those whose only argument is the extent.
_OF_SHAPE = ("zeros", "ones", "empty", "full")
_OF_EXTENT = ("arange", "eye", "identity", "tri")
# Others that make arrays of numbers, of files or of smaller arrays.
_MADE = (
    "bartlett blackman hamming hanning kaiser diag_indices tril_indices triu_indices mask_indices indices "
    "from_dlpack frombuffer fromfile fromfunction fromiter fromregex fromstring genfromtxt loadtxt "
    "block column_stack concatenate concat dstack hstack vstack stack append insert pad "
    "repeat tensordot tile vander geomspace logspace full_like zeros_like ones_like empty_like diag diagflat "
    "einsum interp"
)
# Functions whose results combine all elements of their arguments.
_COMBINING = ("kron", "meshgrid", "outer")
_CONVERSIONS = "array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite require"
_INDEXED = ("r_", "c_", "mgrid", "ogrid")
# The functions of `numpy` whose results are where they belong.
PLACING = frozenset([*_OF_SHAPE, *_OF_EXTENT, "linspace", *_COMBINING, *_MADE.split(), *_CONVERSIONS.split()])


class _Presented(calls.Maker):
    """A function that stands for one of NumPy."""

    def __init__(self, function, host):
        super().__init__(host)
        self._function = function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)


def conversion(name):
    """Return a function that converts to arrays: device arrays and sequences of them stay on the device.

    Parameters
    ----------
    name : str
        Of NumPy's function.
    """
    host = getattr(numpy, name)
    make = calls.Maker(host)
    # The keyword of NumPy's functions for the first argument.
    first = "object" if name == "array" else "a"

    def convert(*args, **kwargs):
        if not args:
            return made(kwargs.pop(first), **kwargs) if first in kwargs else host(**kwargs)
        if kwargs.get("device") is None and not placement.asks_for_other_bytes(args, kwargs):
            try:
                return getattr(gpunp, name)(
                    *args, **{key: value for key, value in kwargs.items() if key != "device"}
                )
            except (TypeError, ValueError, NotImplementedError):
                # NumPy converts to what devices lack, such as objects, or raises an error of its own.
                pass
        return make(*args, **kwargs)

    made = calls.Maker(host, convert, calls.BY_ARRAYS)
    return made


class Indexed:
    """``np.r_``, ``np.mgrid`` and others whose index makes an array.

    Parameters
    ----------
    original : object
        NumPy's.
    """

    def __init__(self, original):
        self._original = original

    def __getitem__(self, key):
        if isinstance(key, str) and hasattr(self._original, "makemat"):
            # `np.r_["a, b"]` is a matrix of the caller's variables.
            frame = sys._getframe(1)
            return numpy.bmat(key, frame.f_globals, frame.f_locals)
        make = calls.Maker(self._original.__getitem__)
        return make(key)

    def __getattr__(self, name):
        return getattr(self._original, name)


class _PlacedArchive(numpy.lib.npyio.NpzFile):
    """What `numpy.load` returns for an archive: large arrays are read to the device."""

    def __getitem__(self, key):
        return calls.Maker(super().__getitem__)(key)


def _load(*args, **kwargs):
    found = calls.Maker(numpy.load)(*args, **kwargs)
    if type(found) is numpy.lib.npyio.NpzFile:
        found.__class__ = _PlacedArchive
    return found


def _isscalar(element):
    return numpy.isscalar(element) or (isinstance(element, gpunp.ndarray) and element._is_scalar)


def _bmat(obj, ldict=None, gdict=None):
    if isinstance(obj, str) and gdict is None:
        # Of the variables of the program, which called `_Presented`.
        frame = sys._getframe(2)
        ldict, gdict = frame.f_locals, frame.f_globals
    # It takes a list of arrays for a row only if they are instances of NumPy's class.
    return numpy.bmat(with_copies(obj), ldict, gdict)


def _as_strided(x, *args, **kwargs):
    if isinstance(x, gpunp.ndarray):
        try:
            return gpunp.lib.stride_tricks.as_strided(x, *args, **kwargs)
        except ValueError:
            # NumPy knows more combinations; a copy that it gets is read-only.
            pass
    return numpy.lib.stride_tricks.as_strided(x, *args, **kwargs)


def _copy_of(module):
    """A module with the names of another one, and a dictionary of its own."""
    made = types.ModuleType(module.__name__, module.__doc__)
    vars(made).update(vars(module))
    made.__getattr__ = lambda name: getattr(module, name)
    made.__dir__ = lambda: dir(module)
    return made


class Modules:
    """The modules that a program gets in place of NumPy's.

    Those that NumPy imports when they are needed are made then.

    Parameters
    ----------
    device_random : bool, optional
        Whether random numbers are drawn on the device; they are not NumPy's then.

    Attributes
    ----------
    made : dict of str to module
    later : dict of str to function
        What makes the modules that are made when they are needed.
    """

    def __init__(self, device_random=False):
        names = ("numpy", "numpy.lib", "numpy.lib.stride_tricks")
        self.made = {name: _copy_of(importlib.import_module(name)) for name in names}
        self.later = {"numpy.fft": _fft, "numpy.random": _device_random if device_random else _random}
        space = self.made["numpy"]
        _fill(space)
        # Where another library has imported them, the copy has NumPy's.
        for name in self.later:
            vars(space).pop(name.partition(".")[2], None)
        space.__getattr__ = self._attribute
        space.lib = self.made["numpy.lib"]
        space.lib.stride_tricks = tricks = self.made["numpy.lib.stride_tricks"]
        tricks.as_strided = _Presented(_as_strided, numpy.lib.stride_tricks.as_strided)

    def find(self, name):
        """The module of this name, or None if a program gets NumPy's."""
        if name in self.later and name not in self.made:
            made = self.made.setdefault(name, self.later[name]())
            # An attribute of the module itself is found faster than by `_attribute`.
            setattr(self.made["numpy"], name.partition(".")[2], made)
        return self.made.get(name)

    def pairs(self):
        """Yield the modules that NumPy has imported, each with that of a program."""
        for name in (*self.made, *(name for name in self.later if name not in self.made)):
            if name in sys.modules:
                yield sys.modules[name], self.find(name)

    def _attribute(self, name):
        """An attribute of ``numpy`` that is not there yet."""
        # `getattr(numpy, name)` would look twice for a name that NumPy lacks.
        names = vars(numpy)
        found = names.get(name) if f"numpy.{name}" not in self.later else self.find(f"numpy.{name}")
        return numpy.__getattr__(name) if found is None else found


def _fill(space):
    """Put the functions that place arrays into a copy of `numpy`."""
    space.ndarray, space.nditer = ndarray, nditer
    for names, measure in ((_OF_SHAPE, calls.BY_SHAPE), (_OF_EXTENT, calls.BY_ONLY_ARGUMENT)):
        for name in names:
            setattr(space, name, calls.Maker(getattr(numpy, name), placement.made_by(name), measure))
    space.linspace = calls.Maker(numpy.linspace, placement.made_by("linspace"), calls.BY_THIRD)
    for name in _COMBINING:
        setattr(space, name, calls.Maker(getattr(numpy, name), placement.combined_by(name), calls.BY_PRODUCT))
    for name in _MADE.split():
        if hasattr(numpy, name):
            setattr(space, name, calls.Maker(getattr(numpy, name)))
    for name in _CONVERSIONS.split():
        setattr(space, name, conversion(name))
    for name in _INDEXED:
        setattr(space, name, Indexed(getattr(numpy, name)))
    for name, function in (("bmat", _bmat), ("isscalar", _isscalar), ("load", _load)):
        setattr(space, name, _Presented(function, getattr(numpy, name)))


@functools.cache
def _fft():
    module = _copy_of(importlib.import_module("numpy.fft"))
    for name in ("fftfreq", "rfftfreq"):
        setattr(module, name, calls.Maker(getattr(numpy.fft, name)))
    return module


@functools.cache
def _random():
    from gpunp.running.random_of_programs import random_module

    return random_module(_copy_of(numpy.random))


def _device_random():
    return gpunp.random
