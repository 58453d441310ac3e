"""Objects of SciPy's classes that hold device arrays.

A constructor that gets a device array turns the object that it initializes into one of a subclass, so that
``isinstance`` holds. The subclass has the same name, and methods for device arrays.
"""

import importlib

import numpy
import scipy.interpolate

import gpunp
from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.dispatch import hooks
from gpunp_scipy.routing.handlers import Unhandled

F8, C16 = numpy.dtype(numpy.float64), numpy.dtype(numpy.complex128)
# The modules that have the methods for device arrays of a class of SciPy and its subclasses.
_HOMES = {
    "AAA": "rational",
    "Akima1DInterpolator": "cubics",
    "BPoly": "bernstein",
    "BSpline": "splines",
    "BarycentricInterpolator": "polynomials",
    "FloaterHormannInterpolator": "rational",
    "KroghInterpolator": "polynomials",
    "NdBSpline": "tensor_splines",
    "NdPPoly": "nd_pieces",
    "NearestNDInterpolator": "scattered",
    "PPoly": "pieces",
    "RBFInterpolator": "neighborhoods",
    "Rbf": "radial",
    "RegularGridInterpolator": "regular_grids",
    "interp1d": "lines",
}
# These methods, by class.
_behaviours = {}
_classes = {}


class Attribute:
    """An attribute in an object's dictionary, whatever the class of SciPy has under this name.

    Arrays of the host that are assigned are uploaded.
    """

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, holder, owner=None):
        if holder is None:
            return self
        try:
            return vars(holder)[self.name]
        except KeyError:
            raise AttributeError(f"{type(holder).__name__!r} object has no attribute {self.name!r}") from None

    def __set__(self, holder, value):
        vars(holder)[self.name] = asarray(value) if isinstance(value, numpy.ndarray) else value


class Holder:
    """Base of the methods for device arrays."""

    def __reduce_ex__(self, protocol):
        return _restored, (self.scipy_class, object.__getstate__(self))


def _restored(cls, state):
    self = created(cls)
    values, slots = state if isinstance(state, tuple) else (state, None)
    vars(self).update(values or {})
    for name, value in (slots or {}).items():
        setattr(self, name, value)
    return self


def holds(cls):
    """Decorate the methods for device arrays of a class of SciPy and its subclasses."""

    def register(behaviour):
        _behaviours[cls] = behaviour
        return behaviour

    return register


def device_class(cls):
    """The subclass of a class of SciPy, or of a subclass by a user, whose objects hold device arrays."""
    if issubclass(cls, Holder):
        return cls
    if cls not in _classes:
        base = next(base for base in cls.__mro__ if base.__name__ in _HOMES and base is scipys(base.__name__))
        importlib.import_module(f"gpunp_scipy.interpolate.{_HOMES[base.__name__]}")
        behaviour = _behaviours[base]
        # The layout of objects stays as it is.
        names = {"__slots__": (), "__module__": cls.__module__, "__qualname__": cls.__qualname__}
        constructor = _constructor(cls)
        if constructor is not None:
            names["__init__"] = constructor
        # Of several threads, all get the class of the first one.
        _classes.setdefault(cls, type(cls.__name__, (behaviour, cls), {**names, "scipy_class": cls}))
    return _classes[cls]


def _constructor(cls):
    """Our function that initializes a public class of SciPy, also from host arrays; None for others."""
    package = importlib.import_module("gpunp_scipy.interpolate")
    path = package.METHODS.get(f"{cls.__name__}.__init__")
    if path is None or getattr(scipy.interpolate, cls.__name__, None) is not cls:
        return None
    home, _, name = path.partition(".")
    return getattr(importlib.import_module(f"gpunp_scipy.interpolate.{home}"), name)


def adopt(self):
    """Have an object hold device arrays from now on."""
    self.__class__ = device_class(type(self))


def created(cls):
    """An object that holds device arrays, not initialized."""
    return object.__new__(device_class(cls))


def is_held(self):
    """Whether an object holds device arrays."""
    return isinstance(self, Holder)


def scipys(path):
    """SciPy's own class or method, such as ``"PPoly.from_spline"``, without its hook."""
    return hooks.original(scipys_function(path))


def refused(name, reason, *args, **kwargs):
    """Refuse a call of a function of SciPy for a reason, or run it on the host with ``config.fallback``."""
    return Unhandled(scipys_function(name), f"scipy.interpolate.{name}", reason)(*args, **kwargs)


def scipys_function(path):
    """SciPy's function or method, with its hook."""
    return hooks.find("scipy.interpolate", path)


def doubles(values, device, dtype=F8):
    """A C-contiguous device array of a dtype, such as float64."""
    a = asarray(values, device=device)
    if a.dtype == dtype and a.flags.c_contiguous:
        return a
    return layout.converted(a, dtype, order="C")


def computing_dtype(*dtypes):
    """The dtype of coefficients: complex128 if some dtype is complex, else float64."""
    return C16 if any(dtype.kind == "c" for dtype in dtypes) else F8


def real_planes(c):
    """A C-contiguous array as float64: complex numbers are pairs."""
    return c.view(F8) if c.dtype.kind == "c" and c.ndim else c


def empty_values(count, extents, dtype, device):
    """An array for values at points, and the same memory as float64."""
    out = gpunp.empty((count, *extents), dtype, device=device)
    if dtype.kind != "c":
        return out, out
    # Complex numbers are pairs along a new last axis.
    planes = gpunp.empty((count, *extents, 2), F8, device=device)
    return planes.view(C16)[..., 0], planes


def points_first(values, ndim, axis):
    """Move the axes of points, which are first, to where the interpolated axis was."""
    if axis == 0:
        return values
    order = [*range(ndim, ndim + axis), *range(ndim), *range(ndim + axis, values.ndim)]
    return values.transpose(order)
