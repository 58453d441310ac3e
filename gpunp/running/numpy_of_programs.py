"""The ``numpy`` that the modules of a program import: NumPy, with functions that place arrays on the device.

Only functions that create, load or convert arrays, or whose result is larger than their arguments, differ.
All others find device arrays by NumPy's protocols.
"""

import sys
import types

import numpy

import gpunp
from gpunp.running import calls, placement
from gpunp.running.array_class import ndarray
from gpunp.running.iterators import nditer
from gpunp.running.random_of_programs import random_module

# Functions whose first argument is the shape, and those whose only argument is the extent.
_OF_SHAPE = ("zeros", "ones", "empty", "full")
_OF_EXTENT = ("arange", "eye", "identity", "tri")
# Others that make arrays of numbers, of files or of smaller arrays.
_MADE = (
    "bartlett blackman hamming hanning kaiser diag_indices tril_indices triu_indices mask_indices indices "
    "from_dlpack frombuffer fromfile fromfunction fromiter fromregex fromstring genfromtxt loadtxt "
    "block column_stack concatenate concat dstack hstack vstack stack append insert kron meshgrid outer pad "
    "repeat tensordot tile vander geomspace logspace full_like zeros_like ones_like empty_like diag diagflat "
    "einsum interp"
)
_CONVERSIONS = "array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite require"
_INDEXED = ("r_", "c_", "mgrid", "ogrid")


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
    host, ours = getattr(numpy, name), getattr(gpunp, name)
    make = calls.Maker(host)
    # The keyword of NumPy's functions for the first argument.
    first = "object" if name == "array" else "a"

    def convert(*args, **kwargs):
        if not args:
            return made(kwargs.pop(first), **kwargs) if first in kwargs else host(**kwargs)
        if kwargs.get("device") is None and not placement.asks_for_other_bytes(args, kwargs):
            try:
                return ours(*args, **{key: value for key, value in kwargs.items() if key != "device"})
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


def modules(device_random=False):
    """Make the modules that a program gets in place of NumPy's.

    Parameters
    ----------
    device_random : bool, optional
        Whether random numbers are drawn on the device; they are not NumPy's then.

    Returns
    -------
    dict of str to module
    """
    import numpy.fft
    import numpy.lib.stride_tricks
    import numpy.random

    names = ("numpy", "numpy.fft", "numpy.lib", "numpy.lib.stride_tricks")
    made = {name: _copy_of(sys.modules[name]) for name in names}
    made["numpy.random"] = gpunp.random if device_random else random_module(_copy_of(numpy.random))
    space = made["numpy"]
    space.ndarray, space.nditer = ndarray, nditer
    for name in _OF_SHAPE:
        setattr(space, name, calls.Maker(getattr(numpy, name), placement.made_by(name), calls.BY_SHAPE))
    for name in _OF_EXTENT:
        setattr(
            space, name, calls.Maker(getattr(numpy, name), placement.made_by(name), calls.BY_ONLY_ARGUMENT)
        )
    space.linspace = calls.Maker(numpy.linspace, placement.made_by("linspace"), calls.BY_THIRD)
    for name in _MADE.split():
        if hasattr(numpy, name):
            setattr(space, name, calls.Maker(getattr(numpy, name)))
    for name in _CONVERSIONS.split():
        setattr(space, name, conversion(name))
    for name in _INDEXED:
        setattr(space, name, Indexed(getattr(numpy, name)))
    space.load, space.isscalar = _Presented(_load, numpy.load), _Presented(_isscalar, numpy.isscalar)
    for name in ("fftfreq", "rfftfreq"):
        setattr(made["numpy.fft"], name, calls.Maker(getattr(numpy.fft, name)))
    made["numpy.lib.stride_tricks"].as_strided = _Presented(_as_strided, numpy.lib.stride_tricks.as_strided)
    for path, module in made.items():
        parent, _, name = path.rpartition(".")
        if parent:
            setattr(made[parent], name, module)
    return made
