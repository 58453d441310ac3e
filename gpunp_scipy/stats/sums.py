"""Probabilities of discrete distributions that are sums of probability masses, and their quantiles.

Where the parameters are numbers on the host, the sums are one table that the arguments index. Parameters on
the device give each element a sum of its own.
"""

import numpy as np

import gpunp
from gpunp.array.operands import device_of
from gpunp_scipy.stats.inversion import smallest_integer
from gpunp_scipy.stats.vectorizing import NeedsHost

# Masses that are summed at a time, over all elements.
_CHUNK = 1 << 24
# Beyond this length of a table there is no use in summing.
_LONGEST = 1 << 30


def _whole(value):
    return value if isinstance(value, gpunp.ndarray) else np.asarray(value)


def _limits(self, k, args):
    """The first and the last integer that have to be summed, as Python numbers.

    Waits where the support has no end or depends on parameters on the device.
    """
    low, high = map(_whole, self._get_support(*args))
    first = int(low.min()) if low.size else 0
    if isinstance(high, gpunp.ndarray) or not np.all(np.isfinite(high)):
        finite = np.where(np.isfinite(k), k, first)
        wanted = float(finite.max()) if k.size else first
        last = min(wanted, float(high.max()))
    else:
        last = float(high.max())
    if last - first > _LONGEST:
        raise ValueError(f"{self.name}: sums of more than {_LONGEST} probability masses are not computed")
    return first, max(int(last), first)


def _table(self, first, last, args):
    m = gpunp.arange(first, last + 1, dtype="f8")
    return np.cumsum(self._pmf(m, *args))


def cdf(self, x, *args):
    """Sums of probability masses up to ``floor(x)`` (``rv_discrete._cdf``)."""
    device = device_of(x, *args)
    if device is None:
        return np.vectorize(self._cdf_single, otypes="d")(np.floor(x).astype(np.float64), *args)
    with device:
        k = np.floor(gpunp.asarray(x) * 1.0)
        first, last = _limits(self, k, args)
        if device_of(*args) is None and all(np.ndim(each) == 0 for each in args):
            table = _table(self, first, last, args)
            place = np.clip(np.where(np.isfinite(k), k, first) - first, 0, last - first).astype(np.int64)
            return np.where(k < first, 0.0, table[place])
        total, step = 0.0, max(_CHUNK // max(k.size, 1), 1)
        for start in range(first, last + 1, step):
            m = gpunp.arange(start, min(start + step, last + 1), dtype="f8").reshape((-1,) + (1,) * k.ndim)
            low, high = self._get_support(*args)
            masses = np.where((m <= k) & (m >= low) & (m <= high), self._pmf(m, *args), 0.0)
            total = total + masses.sum(axis=0)
        return total


def ppf(self, q, *args):
    """The smallest integers at which the cumulative distribution function reaches ``q``."""
    device = device_of(q, *args)
    if device is None:
        from scipy.stats import _distn_infrastructure

        return np.vectorize(_distn_infrastructure._drv2_ppfsingle, otypes="d")(self, q, *args)
    with device:
        q = gpunp.asarray(q)
        # The ends of the support have formulas.
        q = np.where((q > 0) & (q < 1), q, 0.5)
        shape = np.broadcast_shapes(*map(np.shape, (q, *args)))
        ends = [np.clip(end, -(2.0**52), 2.0**52) for end in self._get_support(*args)]
        low, high = (np.broadcast_to(gpunp.asarray(end).astype(np.int64), shape) for end in ends)
        if type(self)._cdf is not _generic_cdf(self):
            return smallest_integer(lambda k: ~(self._cdf(k, *args) < q), low, high)
        ends = [int(_whole(ends[0]).min()), int(_whole(ends[1]).max())]
        last = min(ends[0] + 256, ends[1])
        # The sums grow with the largest argument, which is therefore doubled until all quantiles are below.
        while last < ends[1] and bool((self._cdf(gpunp.full(shape, float(last)), *args) < q).any()):
            last = min(last + 2 * (last - ends[0]), ends[1])
        if device_of(*args) is None and all(np.ndim(each) == 0 for each in args):
            found = np.searchsorted(_table(self, ends[0], last, args), q, side="left")
            return np.minimum(found, last - ends[0]).astype(np.float64) + float(ends[0])
        steps = max(last - ends[0] + 1, 1).bit_length() + 1
        return smallest_integer(lambda k: ~(self._cdf(k, *args) < q), low, np.minimum(high, last), steps)


def _generic_cdf(self):
    base = next(cls for cls in type(self).__mro__ if cls.__name__ == "rv_discrete")
    return base._cdf


def _from_host_table(values, k):
    """Look up, for each ``k``, a value of a table on the host that begins with that of 0."""
    table = gpunp.asarray(values)
    return table[np.clip(np.where(np.isfinite(k), np.floor(k), 0), 0, len(values) - 1).astype(np.int64)]


def _poisson_binom(self, name, k, args):
    if device_of(*args) is not None or any(np.ndim(each) for each in args):
        raise NeedsHost("it needs probabilities that are numbers, for which the host computes one table")
    return _from_host_table(
        getattr(self._scipys, name)(np.arange(len(args) + 1), [float(p) for p in args]), k
    )


def poisson_binom_pmf(self, k, *args):
    """Probability mass of ``poisson_binom``."""
    return _poisson_binom(self, "pmf", k, args)


def poisson_binom_cdf(self, k, *args):
    """Cumulative distribution function of ``poisson_binom``."""
    return _poisson_binom(self, "cdf", k, args)


def _accumulated(self, args, reverse):
    """Logarithms of sums of the masses of ``hypergeom``, from one end of the support."""
    low, high = (int(end) for end in self._get_support(*args))
    masses = self._logpmf(np.arange(low, high + 1, dtype=float), *args)
    return low, np.logaddexp.accumulate(masses[::-1])[::-1] if reverse else np.logaddexp.accumulate(masses)


def hypergeom_logcdf(self, k, *args):
    """Logarithm of the cumulative distribution function of ``hypergeom``."""
    if device_of(*args) is not None or any(np.ndim(each) for each in args):
        return np.log(self._cdf(k, *args))
    low, table = _accumulated(self, args, reverse=False)
    return np.minimum(_from_host_table(table, np.floor(k) - low), 0.0)


def hypergeom_logsf(self, k, *args):
    """Logarithm of the survival function of ``hypergeom``."""
    if device_of(*args) is not None or any(np.ndim(each) for each in args):
        return np.log(self._sf(k, *args))
    low, table = _accumulated(self, args, reverse=True)
    return np.minimum(_from_host_table(table, np.floor(k) + 1 - low), 0.0)


def sample_cdf(self, x):
    """Cumulative distribution function of ``rv_discrete(values=...)``."""
    place = np.searchsorted(gpunp.asarray(self.xk), x, side="right") - 1
    return gpunp.asarray(self.qvals)[np.maximum(place, 0)]


def sample_ppf(self, q):
    """Quantiles of ``rv_discrete(values=...)``."""
    place = np.searchsorted(gpunp.asarray(self.qvals), q, side="left")
    return gpunp.asarray(self.xk)[np.minimum(place, len(self.xk) - 1)]


def histogram_pdf(self, x):
    """Density of ``rv_histogram``, which has a bin of density 0 on both sides."""
    return gpunp.asarray(self._hpdf)[np.searchsorted(gpunp.asarray(self._hbins), x, side="right")]


def histogram_cdf(self, x):
    """Cumulative distribution function of ``rv_histogram``."""
    return np.interp(x, gpunp.asarray(self._hbins), gpunp.asarray(self._hcdf))


def histogram_ppf(self, q):
    """Quantiles of ``rv_histogram``."""
    return np.interp(q, gpunp.asarray(self._hcdf), gpunp.asarray(self._hbins))
