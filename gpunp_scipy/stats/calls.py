"""How methods of distributions take their arguments: conversions, edges, and calls that stay on the host."""

import functools

import numpy

import gpunp
from gpunp.array.operands import device_of
from gpunp_scipy.routing.handlers import Unhandled
from gpunp_scipy.stats.device_classes import distribution_for, on_device
from gpunp_scipy.stats.vectorizing import NeedsHost

# What the methods take besides the parameters of the distribution.
_F8 = numpy.dtype("f8")


def method(function):
    """Decorate a method: it runs on the device of its arguments, or is refused where SciPy needs the host.

    The method gets the distribution for device arrays (`device_classes.distribution_for`) as ``self``.
    """

    @functools.wraps(function)
    def call(self, *args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True)
        if device is None or _has_numbers_only((*args, *kwargs.values())):
            args, kwargs = map(as_number, args), {key: as_number(value) for key, value in kwargs.items()}
            return getattr(self, function.__name__)(*args, **kwargs)
        try:
            with device, numpy.errstate(all="ignore"):
                return function(distribution_for(self), *args, **kwargs)
        except NeedsHost as reason:
            scipys = getattr(type(self), function.__name__)
            return Unhandled(scipys, f"scipy.stats:{function.__name__}", str(reason))(self, *args, **kwargs)

    return call


def _has_numbers_only(values):
    """Whether scalars of the device are parameters of a call for arrays on the host."""
    return any(isinstance(each, numpy.ndarray) and each.ndim for each in values) and all(
        each._is_scalar for each in values if isinstance(each, gpunp.ndarray)
    )


def as_number(value):
    """A number for a scalar of the device; any other value itself."""
    return value.item() if isinstance(value, gpunp.ndarray) and value.ndim == 0 else value


def parameters(self, args, kwargs, dtype=None):
    """The shape parameters, the location and the scale of a call, and whether they are valid.

    Integers among the parameters become ``dtype``, if that is given.

    Returns
    -------
    args : list of ndarray or numpy.generic
    loc, scale : ndarray or numpy.generic
    valid : bool, or ndarray of bool
        A bool of Python if it is known on the host.
    """
    return checked(self, *self._parse_args(*args, **kwargs), dtype)


def checked(self, args, loc, scale, dtype=None):
    """Parameters that were parsed, in the form that `parameters` returns."""
    args, (loc, scale) = on_device(args), on_device((loc, scale))
    if dtype is not None:
        args = [each.astype(dtype) if each.dtype.kind in "biu" else each for each in args]
    return args, loc, scale, known(self._argcheck(*args))


def known(condition):
    """A condition as a bool of Python, if it is one number on the host."""
    if isinstance(condition, gpunp.ndarray):
        return condition
    condition = numpy.asarray(condition)
    return bool(condition) if condition.ndim == 0 else gpunp.asarray(condition.astype(bool))


def both(one, other):
    """The logical and of two conditions, where bools of Python are known."""
    for condition, rest in ((one, other), (other, one)):
        if isinstance(condition, bool):
            return rest if condition else False
    return numpy.logical_and(one, other)


def where(condition, value, other):
    """`numpy.where` for a condition that may be known; the result may lack dimensions of the other value."""
    if isinstance(condition, bool):
        return value if condition else other
    return numpy.where(condition, value, other)


def chosen(condition, value, other):
    """The results of a function without arguments where a condition holds, and another value elsewhere."""
    return other if condition is False else where(condition, value(), other)


def quantiles(q, valid, compute, ends, bad):
    """Quantiles of probabilities where the parameters are valid, and ``bad`` elsewhere.

    Parameters
    ----------
    q : ndarray
    valid : bool or ndarray
    compute : callable
        Without arguments; its results count for probabilities between 0 and 1. It is not called if the only
        probability is no such number, for which functions of the host may raise.
    ends : tuple
        The quantiles of 0 and 1.
    bad : float
    """
    inside = both(valid, known((q > 0) & (q < 1)))
    value = chosen(inside, compute, bad)
    for probability, end in enumerate(ends):
        value = where(both(valid, known(q == probability)), end, value)
    return value


def negated(condition):
    """The logical negation of a condition."""
    return not condition if isinstance(condition, bool) else ~condition


def delivered(value, shape, dtype):
    """A result with its shape and dtype; without dimensions it is a scalar, as SciPy's.

    Parameters
    ----------
    value : ndarray or scalar
        It may lack dimensions.
    shape : tuple of int
    dtype : numpy.dtype
    """
    if not isinstance(value, gpunp.ndarray):
        value = gpunp.full(shape, value, dtype)
    elif value.dtype != dtype:
        value = value.astype(dtype)
    if value.shape != shape:
        value = numpy.broadcast_to(value, shape).copy()
    return value[()] if shape == () else value


def shape_of(*values):
    """The shape that values broadcast to."""
    shapes = [value.shape for value in values if value.shape]
    return shapes[0] if len(shapes) == 1 else numpy.broadcast_shapes(*shapes)


def standardized(x, loc, scale):
    """``(x - loc) / scale`` in double precision; complex numbers stay complex, as in SciPy."""
    dtype = numpy.promote_types(x.dtype, _F8)
    x = x if x.dtype == dtype else x.astype(dtype)
    if isinstance(loc, gpunp.ndarray) or loc != 0:
        x = x - loc
    # A division makes NaN of infinite complex numbers, for which SciPy then has no value.
    trivial = not isinstance(scale, gpunp.ndarray) and scale == 1 and x.dtype.kind != "c"
    return x if trivial else x / scale
