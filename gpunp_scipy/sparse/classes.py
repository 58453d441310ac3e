"""Sparse arrays and matrices on the device: subclasses of SciPy's classes whose parts are device arrays.

Their code is SciPy's, run as a twin (see `gpunp_scipy.sparse.twins`). Methods that would wait for the device
too often, or loop over rows, are replaced in `gpunp_scipy.sparse.methods`.
"""

import abc
import functools
import inspect
import types

import scipy.sparse
from gpunp.device import get_device

from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.sparse import methods
from gpunp_scipy.sparse.twins import SparseTwins

FORMATS = ("bsr", "coo", "csc", "csr", "dia")
NAMES = tuple(f"{name}_{kind}" for name in FORMATS for kind in ("array", "matrix"))
# Methods that create no arrays, or are called before an object has parts.
_ANYWHERE = (
    "__init__ __new__ __setattr__ __getattr__ __getattribute__ __reduce__ __reduce_ex__ __len__ __repr__ "
    "__hash__ __init_subclass__ __subclasshook__ __dir__ __sizeof__ __iter__ get_shape getformat getmaxprint"
)


class DeviceClass(abc.ABCMeta):
    """The type of the classes, by which hooks find their objects."""

    holds_device_arrays = True


def _combine(twin, base):
    """The class for device arrays of a class of SciPy, from the class's twin."""
    members = {
        "__module__": base.__module__,
        "__doc__": base.__doc__,
        "scipy_class": base,
    }
    made = DeviceClass(base.__name__, (*methods.of(base), twin, base), members)
    for name in dir(made):
        function = inspect.getattr_static(made, name)
        is_method = isinstance(function, types.FunctionType) and not hasattr(function, "runs_anywhere")
        if is_method and name not in _ANYWHERE.split():
            setattr(made, name, _where_parts_are(function))
    return made


def _where_parts_are(function):
    """A method that creates its arrays on the device of the object's parts."""

    @functools.wraps(function)
    def call(self, *args, **kwargs):
        data = vars(self).get("data")
        if data is None or data.device is get_device():
            return function(self, *args, **kwargs)
        with data.device:
            return function(self, *args, **kwargs)

    return call


@functools.cache
def twins():
    """The modules of `scipy.sparse` for device arrays."""
    return SparseTwins(_combine)


def device_class(name):
    """The class for device arrays of the class of SciPy with a name such as ``"csr_array"``."""
    return getattr(twins()[f"scipy.sparse._{name[:3]}"], name)


@functools.cache
def _derived(cls):
    """The class for device arrays of a class of SciPy, or of one that a user derived from it."""
    if isinstance(cls, DeviceClass):
        return cls
    for base in cls.__mro__:
        if base.__name__ in NAMES and getattr(scipy.sparse, base.__name__) is base:
            found = device_class(base.__name__)
            break
    else:
        raise TypeError(f"{cls.__name__} has no form for device arrays")
    return found if cls is base else DeviceClass(cls.__name__, (cls, found), {"__module__": cls.__module__})


def construct(self, *args, **kwargs):
    """Construct an object of a class of SciPy from device arrays or from an object on the device."""
    self.__class__ = cls = _derived(type(self))
    found = next(each for each in cls.__mro__ if isinstance(each, DeviceClass) and each.__name__ in NAMES)
    with device_of_parts(*args, *kwargs.values()):
        found.__init__(self, *args, **kwargs)


def device_of_parts(*values):
    """The device of the first device array, also in tuples, lists and sparse arrays; or the current one."""
    return _search(values) or get_device()


def _search(values):
    for value in values:
        if isinstance(value, methods.DeviceSparse):
            return value.data.device
        found = _search(value) if isinstance(value, (list, tuple)) else device_of(value)
        if found is not None:
            return found
    return None


def restore(cls, state):
    """Make an object from what was pickled."""
    self = object.__new__(_derived(cls))
    vars(self).update(state)
    return self


hooks.recognize(DeviceClass)
