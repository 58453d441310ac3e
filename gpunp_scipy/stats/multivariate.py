"""Densities of multivariate distributions at points on a device; their parameters are used on the host.

The code is SciPy's, with the globals of `device_classes`.
"""

import numpy

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp_scipy.stats.device_classes import distribution_for


def _on_host(value):
    return fetched(value) if isinstance(value, gpunp.ndarray) else value


def _of(name):
    """A method of a distribution; its first argument are points, the others are parameters."""

    def call(self, *args, **kwargs):
        device = device_of(*args, *kwargs.values())
        points = [gpunp.asarray(each, device=device) for each in args[:1]]
        parameters = [_on_host(each) for each in args[1:]]
        kwargs = {
            key: gpunp.asarray(value, device=device) if key == "x" else _on_host(value)
            for key, value in kwargs.items()
        }
        distribution = distribution_for(self)
        if hasattr(self, "_dist"):
            # Of a frozen distribution.
            distribution._dist = distribution_for(self._dist)
        with device, numpy.errstate(all="ignore"):
            return getattr(distribution, name)(*points, *parameters, **kwargs)

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
