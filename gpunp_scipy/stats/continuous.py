"""Densities, probabilities and quantiles of continuous distributions (methods of ``rv_continuous``)."""

import numpy

from gpunp.array.convert import fetched
from gpunp.dispatch import hooks
from gpunp_scipy.stats.calls import (
    both,
    chosen,
    delivered,
    known,
    method,
    negated,
    parameters,
    quantiles,
    shape_of,
    standardized,
    where,
)
from gpunp_scipy.stats.device_classes import on_device

_F8 = numpy.dtype("f8")
_INF = numpy.inf


def create_from_histogram(self, histogram, *args, **kwargs):
    """``rv_histogram.__init__``; the histogram is copied to the host."""
    from scipy.stats import rv_histogram

    histogram = tuple(fetched(each) for each in histogram)
    hooks.original(rv_histogram.__init__)(self, histogram, *args, **kwargs)


def _density(self, x, args, kwargs, outside, function):
    args, loc, scale, valid = parameters(self, args, kwargs, _F8)
    (x,) = on_device([x])
    shape = shape_of(x, loc, scale, *args)
    x = standardized(x, loc, scale)
    positive = known(scale > 0)
    valid = both(valid, positive)
    inside = both(both(valid, positive), known(self._support_mask(x, *args)))
    bad = where(negated(valid), self.badvalue, where(numpy.isnan(x), self.badvalue, outside))
    dtype = numpy.promote_types(x.dtype, _F8)
    return delivered(chosen(inside, lambda: function(x, args, scale), bad), shape, dtype)


@method
def pdf(self, x, *args, **kwds):
    """Probability density; see `scipy.stats.rv_continuous.pdf`."""
    return _density(self, x, args, kwds, 0.0, lambda x, args, scale: self._pdf(x, *args) / scale)


@method
def logpdf(self, x, *args, **kwds):
    """Logarithm of the probability density; see `scipy.stats.rv_continuous.logpdf`."""
    return _density(
        self, x, args, kwds, -_INF, lambda x, args, scale: self._logpdf(x, *args) - numpy.log(scale)
    )


def _probability(self, x, args, kwargs, function, below, above):
    """Values of a function inside the support, and two constants at its ends and outside."""
    args, loc, scale, valid = parameters(self, args, kwargs, _F8)
    (x,) = on_device([x])
    shape = shape_of(x, loc, scale, *args)
    x = standardized(x, loc, scale)
    valid = both(valid, known(scale > 0))
    low, high = self._get_support(*args)
    inside = both(valid, known(self._open_support_mask(x, *args)))
    # SciPy compares with the end where the value is not the one of the rest.
    ends = where(known(x >= high), above, below) if below < above else where(known(x <= low), below, above)
    value = chosen(inside, lambda: function(x, *args), ends)
    dtype = numpy.promote_types(x.dtype, _F8)
    return delivered(where(both(valid, known(x == x)), value, self.badvalue), shape, dtype)


@method
def cdf(self, x, *args, **kwds):
    """Cumulative distribution function; see `scipy.stats.rv_continuous.cdf`."""
    return _probability(self, x, args, kwds, self._cdf, 0.0, 1.0)


@method
def logcdf(self, x, *args, **kwds):
    """Logarithm of the cumulative distribution function; see `scipy.stats.rv_continuous.logcdf`."""
    return _probability(self, x, args, kwds, self._logcdf, -_INF, 0.0)


@method
def sf(self, x, *args, **kwds):
    """Survival function; see `scipy.stats.rv_continuous.sf`."""
    return _probability(self, x, args, kwds, self._sf, 1.0, 0.0)


@method
def logsf(self, x, *args, **kwds):
    """Logarithm of the survival function; see `scipy.stats.rv_continuous.logsf`."""
    return _probability(self, x, args, kwds, self._logsf, 0.0, -_INF)


def _quantile(self, q, args, kwargs, function, at_zero):
    args, loc, scale, valid = parameters(self, args, kwargs, _F8)
    (q,) = on_device([q])
    shape = shape_of(q, loc, scale, *args)
    valid = both(both(valid, known(scale > 0)), known(loc == loc))
    if valid is False:
        return delivered(self.badvalue, shape, _F8)
    dtype = numpy.promote_types(q.dtype, _F8)
    q = q if q.dtype == dtype else q.astype(dtype)
    low, high = (end * scale + loc for end in self._get_support(*args))
    ends = (low, high) if at_zero == "low" else (high, low)
    value = quantiles(q, valid, lambda: function(q, *args) * scale + loc, ends, self.badvalue)
    return delivered(value, shape, _F8)


@method
def ppf(self, q, *args, **kwds):
    """Quantiles; see `scipy.stats.rv_continuous.ppf`."""
    return _quantile(self, q, args, kwds, self._ppf, "low")


@method
def isf(self, q, *args, **kwds):
    """Quantiles of the survival function; see `scipy.stats.rv_continuous.isf`."""
    return _quantile(self, q, args, kwds, self._isf, "high")
