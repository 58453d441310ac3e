"""Probabilities and quantiles of discrete distributions (methods of ``rv_discrete``)."""

import numpy

from gpunp_scipy.stats.calls import (
    both,
    chosen,
    delivered,
    known,
    method,
    parameters,
    quantiles,
    shape_of,
    where,
)
from gpunp_scipy.stats.device_classes import on_device

_F8 = numpy.dtype("f8")
_INF = numpy.inf


def _shifted(self, k, args, kwargs):
    args, loc, _, valid = parameters(self, args, kwargs)
    (k,) = on_device([k])
    shape = shape_of(k, loc, *args)
    return k - loc, args, valid, shape


def _is_sample(self):
    return type(self).__name__ == "rv_sample" or hasattr(self, "xk")


def _mass(self, k, args, kwargs, outside, function):
    k, args, valid, shape = _shifted(self, k, args, kwargs)
    low, high = self._get_support(*args)
    inside = known((k >= low) & (k <= high))
    if not _is_sample(self):
        inside = both(inside, known(self._nonzero(k, *args)))
    value = chosen(both(valid, inside), lambda: function(k, *args), outside)
    return delivered(where(both(valid, known(k == k)), value, self.badvalue), shape, _F8)


@method
def pmf(self, k, *args, **kwds):
    """Probability mass; see `scipy.stats.rv_discrete.pmf`."""
    return _mass(self, k, args, kwds, 0.0, lambda k, *args: numpy.clip(self._pmf(k, *args), 0, 1))


@method
def logpmf(self, k, *args, **kwds):
    """Logarithm of the probability mass; see `scipy.stats.rv_discrete.logpmf`."""
    return _mass(self, k, args, kwds, -_INF, self._logpmf)


def _probability(self, k, args, kwargs, function, below, above):
    """Values of a function inside the support, and two constants outside."""
    k, args, valid, shape = _shifted(self, k, args, kwargs)
    low, high = self._get_support(*args)
    inside = both(valid, known((k >= low) & (k < high)))
    beyond = known(k >= high)
    value = chosen(inside, lambda: function(k, *args), where(beyond, above, below))
    value = where(both(valid, known(k == k)), value, self.badvalue)
    if (below, above) == (-_INF, 0.0):
        # For invalid parameters, too, as SciPy has it.
        value = where(beyond, 0.0, value)
    return delivered(value, shape, _F8)


def _clipped(function, lowest):
    """A function with results in [0, 1], and its value at minus infinity, which a support may include."""
    return lambda k, *args: numpy.where(k == -_INF, lowest, numpy.clip(function(k, *args), 0, 1))


@method
def cdf(self, k, *args, **kwds):
    """Cumulative distribution function; see `scipy.stats.rv_discrete.cdf`."""
    return _probability(self, k, args, kwds, _clipped(self._cdf, 0.0), 0.0, 1.0)


@method
def logcdf(self, k, *args, **kwds):
    """Logarithm of the cumulative distribution function; see `scipy.stats.rv_discrete.logcdf`."""
    return _probability(self, k, args, kwds, self._logcdf, -_INF, 0.0)


@method
def sf(self, k, *args, **kwds):
    """Survival function; see `scipy.stats.rv_discrete.sf`."""
    return _probability(self, k, args, kwds, _clipped(self._sf, 1.0), 1.0, 0.0)


@method
def logsf(self, k, *args, **kwds):
    """Logarithm of the survival function; see `scipy.stats.rv_discrete.logsf`."""
    return _probability(self, k, args, kwds, self._logsf, 0.0, -_INF)


def _quantile(self, q, args, kwargs, function, reverse):
    args, loc, _, valid = parameters(self, args, kwargs)
    (q,) = on_device([q])
    shape = shape_of(q, loc, *args)
    valid = both(valid, known(loc == loc))
    if valid is False:
        return delivered(self.badvalue, shape, _F8)
    low, high = self._get_support(*args)
    ends = (low - 1 + loc, high + loc)[:: -1 if reverse else 1]
    q = q if q.dtype == _F8 else q.astype(_F8)
    value = quantiles(q, valid, lambda: function(q, *args) + loc, ends, self.badvalue)
    return delivered(value, shape, _F8)


@method
def ppf(self, q, *args, **kwds):
    """Quantiles; see `scipy.stats.rv_discrete.ppf`."""
    return _quantile(self, q, args, kwds, self._ppf, reverse=False)


@method
def isf(self, q, *args, **kwds):
    """Quantiles of the survival function; see `scipy.stats.rv_discrete.isf`."""
    return _quantile(self, q, args, kwds, self._isf, reverse=True)
