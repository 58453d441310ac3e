"""Censored data on a device: what `scipy.stats.CensoredData`, `ecdf` and `logrank` call."""

import numpy

import gpunp
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.rebinding import Rebound

_DATA = Rebound("scipy.stats._censored_data", {})


def validate_interval(interval):
    """SciPy's parts of interval-censored data: without censoring, left, right, and the other intervals."""
    return _DATA["_validate_interval"](interval)


def validate_x_censored(x, censored):
    """SciPy's checks of samples and of whether each is censored."""
    return _DATA["_validate_x_censored"](x, censored)


def ecdf_right_censored(sample):
    """Kaplan and Meier's estimate, as `scipy.stats.ecdf` calls it.

    Parameters
    ----------
    sample : scipy.stats.CensoredData

    Returns
    -------
    times, cdf, sf, at_risk, deaths : ndarray
        The times that differ, the distribution and survival functions there, and the numbers of samples.
    """
    died, lost = sample._uncensored, sample._right
    device = device_of(died, lost)
    if device is None:
        from scipy.stats import _survival

        return hooks.original(_survival._ecdf_right_censored)(sample)
    with device:
        times = numpy.concatenate([died, lost])
        order = numpy.argsort(times)
        is_death = (order < died.size).astype(int)
        times = times[order]
        at_risk = gpunp.arange(times.size, 0, -1)
        changes = numpy.diff(times, prepend=-numpy.inf, append=numpy.inf) > 0
        first, last = changes[:-1], changes[1:]
        at_risk = at_risk[first]
        deaths = numpy.diff(numpy.cumsum(is_death)[last], prepend=0)
        sf = numpy.cumprod((at_risk - deaths) / at_risk)
        return times[first], 1 - sf, sf, at_risk, deaths
