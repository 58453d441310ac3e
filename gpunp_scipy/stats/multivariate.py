"""Densities of multivariate distributions at points on a device; their parameters are used on the host.

The code is SciPy's, with the globals of `device_classes`.
"""

import numpy

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch
from gpunp_scipy.stats.device_classes import with_globals

_ARRAYS = numpy.ndarray, numpy.generic, float
# What is not a parameter: the number of arguments by distribution, one for others, and the names.
_POINTS = {"normal_inverse_gamma_gen": 6, "normal_inverse_gamma_frozen": 2}
_POINT_NAMES = ("x", "X", "s2", "mu", "lmbda", "a", "b", "lower_limit")


def _on_host(value):
    return fetched(value) if isinstance(value, gpunp.ndarray) else value


def _of(name):
    """A method of a distribution; its first argument are points, the others are parameters."""

    def call(self, *args, **kwargs):
        device = device_of(*args, *kwargs.values())
        count = _POINTS.get(type(self).__name__, 1)
        points = [gpunp.asarray(each, device=device) for each in args[:count]]
        parameters = [_on_host(each) for each in args[count:]]
        kwargs = {
            key: gpunp.asarray(value, device=device) if key in _POINT_NAMES else _on_host(value)
            for key, value in kwargs.items()
        }
        with device, numpy.errstate(all="ignore"):
            return getattr(with_globals(self), name)(*points, *parameters, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``{name}`` of a multivariate distribution, at points on a device."
    return call


pdf = _of("pdf")
logpdf = _of("logpdf")
pmf = _of("pmf")
logpmf = _of("logpmf")
# ``Covariance.whiten`` and ``colorize`` convert their argument and call these.
whiten = _of("_whiten")
colorize = _of("_colorize")
cdf = _of("cdf")
logcdf = _of("logcdf")
fit = _of("fit")


class OfParameters:
    """Calls of methods that take parameters only: SciPy's code runs with them on the host.

    Parameters
    ----------
    function : function
        SciPy's method. It makes a frozen distribution, or arrays that are copied to the device.
    """

    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        scipys = hooks.original(self.function)
        if switch.is_suspended():
            return scipys(*args, **kwargs)
        device = device_of(*args, *kwargs.values())
        kwargs = {key: _on_host(value) for key, value in kwargs.items()}
        found = scipys(*map(_on_host, args), **kwargs)
        return gpunp.asarray(found, device=device)[()] if isinstance(found, _ARRAYS) else found
