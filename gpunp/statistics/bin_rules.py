"""Rules that choose the number of bins of a histogram from its data."""

import warnings

import numpy

from gpunp.array import layout
from gpunp.array.convert import asnumpy
from gpunp.statistics import binning
from gpunp.statistics.bin_edges import FLOAT64, host_scalar, uniform_from_range, unsigned_difference


def _square_root(x, ptp, ends):
    return ptp / numpy.sqrt(x.size)


def _sturges(x, ptp, ends):
    return ptp / (numpy.log2(x.size) + 1.0)


def _rice(x, ptp, ends):
    return ptp / (2.0 * x.size ** (1.0 / 3))


def _scott(x, ptp, ends):
    return (24.0 * numpy.pi**0.5 / x.size) ** (1.0 / 3.0) * host_scalar(numpy.std(x))


def _stone(x, ptp, ends):
    n = x.size
    if n <= 1 or ptp == 0:
        return 0
    most = max(100, int(numpy.sqrt(n)))
    # The sums of squares of all histograms are copied to the host at once.
    squares = layout.empty((most,), FLOAT64, device=x.device)
    for bins in range(1, most + 1):
        shares = numpy.true_divide(_uniform_counts(x, ends, bins), n)
        squares[bins - 1] = numpy.vecdot(shares, shares)
    widths = ptp / numpy.arange(1, most + 1)
    errors = (2 - (n + 1) * asnumpy(squares)) / widths
    bins = int(numpy.argmin(errors)) + 1
    if bins == most:
        warnings.warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=5)
    return ptp / bins


def _uniform_counts(x, ends, bins):
    edges, record = uniform_from_range(*ends, bins, x.dtype, x.device, check=False)
    own = x.dtype if x.dtype.kind == "f" else FLOAT64
    return binning.count_uniform(x if own == edges.dtype else x.astype(edges.dtype), edges, record)


def _doane(x, ptp, ends):
    if x.size > 2:
        deviation = numpy.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
        sigma = numpy.std(x)
        if host_scalar(sigma) > 0.0:
            moments = x - numpy.mean(x)
            numpy.true_divide(moments, sigma, moments)
            numpy.power(moments, 3, moments)
            skewness = host_scalar(numpy.mean(moments))
            return ptp / (1.0 + numpy.log2(x.size) + numpy.log2(1.0 + numpy.absolute(skewness) / deviation))
    return 0.0


def _freedman_diaconis(x, ptp, ends):
    quartiles = asnumpy(numpy.percentile(x, [75, 25]))
    return 2.0 * numpy.subtract(*quartiles) * x.size ** (-1.0 / 3.0)


def _auto(x, ptp, ends):
    width = max(_freedman_diaconis(x, ptp, ends), _square_root(x, ptp, ends) / 2)
    return min(width, _sturges(x, ptp, ends))


RULES = {
    "stone": _stone,
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _square_root,
    "sturges": _sturges,
}


def rule_bins(rule, x, first, last, ranged):
    """The number of bins that a rule chooses for contiguous values; waits for the device.

    Parameters
    ----------
    rule : str
        A key of `RULES`.
    x : ndarray
    first, last : scalar
        The outer edges, on the host.
    ranged : bool
        Whether the caller gave the outer edges; values outside them are then ignored.

    Returns
    -------
    int
    """
    if ranged and x.size:
        keep = (x >= first) & (x <= last)
        if not bool(keep.all()):
            x = x[keep]
    if x.size == 0:
        return 1
    low, high = asnumpy(binning.extent(x))
    with numpy.errstate(all="ignore"):
        width = RULES[rule](x, unsigned_difference(high, low), (first, last))
        if not width:
            return 1
        if x.dtype.kind in "iu" and width < 1:
            width = 1
        return int(numpy.ceil(unsigned_difference(last, first) / width))
