"""Moments, entropy and support of distributions with parameters on the device (methods of ``rv_generic``)."""

import math

import numpy

from gpunp.array.operands import device_of
from gpunp_scipy.stats.calls import (
    both,
    checked,
    chosen,
    delivered,
    known,
    method,
    parameters,
    shape_of,
    where,
)
from gpunp_scipy.stats.device_classes import distribution_for, on_device

_F8 = numpy.dtype("f8")


class _Moments:
    """Raw and central moments of a standard distribution, each computed once.

    Parameters
    ----------
    distribution : object
        A distribution for device arrays.
    args : sequence of array_like
        Shape parameters.
    wanted : str
        Letters of ``"mvsk"``: the mean, the variance, the skewness and the excess kurtosis.
    """

    def __init__(self, distribution, args, wanted):
        self._distribution, self._args = distribution, args
        keywords = {"moments": wanted} if distribution._stats_has_moments else {}
        found = distribution._stats(*args, **keywords)
        self._known = {key: value for key, value in zip("mvsk", found, strict=True) if value is not None}
        self._raw = {0: 1.0}

    def raw(self, n):
        """The moment of order ``n`` about zero."""
        if n not in self._raw:
            self._raw[n] = self._from_central(n) if n < 5 else self._distribution._munp(n, *self._args)
        return self._raw[n]

    def _from_central(self, n):
        needed = "mvsk"[:n]
        if any(letter not in self._known for letter in needed):
            return self._distribution._munp(n, *self._args)
        mu = self._known["m"]
        if n == 1:
            return mu
        mu2 = self._known["v"]
        if n == 2:
            return mu2 + mu * mu
        mu3 = self._known["s"] * numpy.power(mu2, 1.5)
        if n == 3:
            return mu3 + 3 * mu * mu2 + mu**3
        mu4 = (self._known["k"] + 3.0) * mu2**2
        return mu4 + 4 * mu * mu3 + 6 * mu * mu * mu2 + mu**4

    def mean(self):
        return self._remembered("m", lambda: self._distribution._munp(1, *self._args))

    def variance(self):
        def compute():
            mu = self.mean()
            return numpy.where(numpy.isinf(mu), numpy.inf, self._distribution._munp(2, *self._args) - mu**2)

        return self._remembered("v", compute)

    def _third(self):
        mu, mu2 = self.mean(), self.variance()
        if "s" in self._known:
            return self._known["s"] * numpy.power(mu2, 1.5)
        return (-mu * mu - 3 * mu2) * mu + self._distribution._munp(3, *self._args)

    def skewness(self):
        return self._remembered("s", lambda: self._third() / numpy.power(self.variance(), 1.5))

    def kurtosis(self):
        def compute():
            mu, mu2, mu3 = self.mean(), self.variance(), self._third()
            mu4 = ((-(mu**2) - 6 * mu2) * mu - 4 * mu3) * mu + self._distribution._munp(4, *self._args)
            return mu4 / mu2**2 - 3.0

        return self._remembered("k", compute)

    def _remembered(self, letter, compute):
        if letter not in self._known:
            self._known[letter] = compute()
        return self._known[letter]


@method
def stats(self, *args, **kwds):
    """Mean, variance, skewness and kurtosis; see `scipy.stats.rv_continuous.stats`."""
    args, loc, scale, wanted = self._parse_args_stats(*args, **kwds)
    args, loc, scale, valid = checked(self, args, loc, scale, _F8)
    shape = shape_of(loc, scale, *args)
    valid = both(both(valid, known(scale > 0)), known(loc == loc))
    found = None if valid is False else _Moments(self, args, wanted)
    results = {
        "m": lambda: found.mean() * scale + loc,
        "v": lambda: found.variance() * scale * scale,
        "s": lambda: found.skewness(),
        "k": lambda: found.kurtosis(),
    }
    values = [
        delivered(chosen(valid, results[letter], self.badvalue), shape, _F8)
        for letter in "mvsk"
        if letter in wanted
    ]
    return values[0] if len(values) == 1 else tuple(values)


@method
def entropy(self, *args, **kwds):
    """Differential entropy; see `scipy.stats.rv_continuous.entropy`."""
    args, loc, scale, valid = parameters(self, args, kwds, _F8)
    shape = shape_of(loc, scale, *args)
    valid = both(both(valid, known(scale > 0)), known(loc == loc))
    if valid is False:
        return delivered(self.badvalue, shape, _F8)
    return delivered(where(valid, self.vecentropy(*args) + numpy.log(scale), self.badvalue), shape, _F8)


@method
def moment(self, order, *args, **kwds):
    """Moment about zero; see `scipy.stats.rv_continuous.moment`."""
    args, loc, scale, valid = parameters(self, args, kwds, _F8)
    if math.floor(order) != order:
        raise ValueError("Moment must be an integer.")
    if order < 0:
        raise ValueError("Moment must be positive.")
    n = int(order)
    shape = shape_of(loc, scale, *args)
    valid = both(valid, known(scale > 0))
    if valid is False:
        return delivered(self.badvalue, shape, _F8)
    found = _Moments(self, args, {1: "m", 2: "v", 3: "vs", 4: "mvsk"}.get(n, "mv"))
    centred = total = scale**n * found.raw(n)
    for k in range(n):
        total = total + math.comb(n, k) * scale**k * loc ** (n - k) * found.raw(k)
    return delivered(
        where(
            valid, where(known(loc == 0), centred, where(known(loc == loc), total, numpy.nan)), self.badvalue
        ),
        shape,
        _F8,
    )


@method
def interval(self, confidence, *args, **kwds):
    """Equal-tailed intervals; see `scipy.stats.rv_continuous.interval`. It waits for confidences there."""
    (confidence,) = on_device([confidence])
    if bool(numpy.any((confidence > 1) | (confidence < 0))):
        raise ValueError("alpha must be between 0 and 1 inclusive")
    return tuple(self.ppf(q, *args, **kwds) for q in ((1.0 - confidence) / 2, (1.0 + confidence) / 2))


@method
def support(self, *args, **kwargs):
    """Ends of the support; see `scipy.stats.rv_continuous.support`."""
    args, loc, scale, valid = parameters(self, args, kwargs)
    shape = shape_of(loc, scale, *args)
    valid = both(valid, known(scale > 0))
    low, high = (end * scale + loc for end in self._get_support(*args))
    integers = any(numpy.result_type(end).kind in "iu" for end in (low, high))
    if integers and not isinstance(valid, bool):
        # As in SciPy, the values decide on the dtype.
        valid = bool(valid.all()) or valid
    ends = [where(valid, end, self.badvalue) for end in (low, high)]
    dtypes = [numpy.result_type(end) if valid is True else _F8 for end in ends]
    return tuple(delivered(end, shape, dtype) for end, dtype in zip(ends, dtypes, strict=True))


def freeze(self, dist, *args, **kwds):
    """``rv_frozen.__init__``: the ends of the support are those of parameters on the device."""
    self.args, self.kwds = args, kwds
    self.dist = dist.__class__(**dist._updated_ctor_param())
    shapes, _, _ = self.dist._parse_args(*args, **kwds)
    device = device_of(*args, *kwds.values(), nested=True)
    with device, numpy.errstate(all="ignore"):
        self.a, self.b = distribution_for(self.dist)._get_support(*on_device(shapes))
