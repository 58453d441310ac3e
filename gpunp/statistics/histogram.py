"""Histograms of one variable.

Equal bins are counted in one pass over the values with counters in shared memory, after a pass that finds
the range if none is given. For long data a sample predicts the range, and if it does so well one pass does
both. Weights are summed as integers, so sums are bitwise reproducible; see `gpunp.statistics.counting`.
"""

import warnings

import numpy

from gpunp.array.convert import asarray, asnumpy, joined
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements
from gpunp.statistics import binning, binning_long
from gpunp.statistics.bin_edges import (
    FLOAT64,
    as_data,
    bin_count,
    checked_range,
    comparable,
    explicit_edges,
    moved_apart,
    uniform_from_data,
    uniform_from_range,
)
from gpunp.statistics.bin_rules import RULES, rule_bins

_KERNELS = (
    "include/gpunp/statistics/histogram.h",
    "include/gpunp/statistics/histogram_guess.h",
    "include/gpunp/statistics/histogram_weights.h",
    "codegen/histograms.py",
)
_INTP = numpy.dtype(numpy.intp)


def _flat(name, a, bins, weights):
    """Flatten values and weights to one dimension; the values are contiguous."""
    device = device_of(a, weights, bins, nested=True)
    if getattr(a, "dtype", None) == numpy.bool_:
        warnings.warn(
            "Converting input from bool to <class 'numpy.uint8'> for compatibility.",
            RuntimeWarning,
            stacklevel=3,
        )
    a = as_data(name, a, device)
    if weights is not None:
        weights = asarray(weights, device=a.device)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.reshape(-1)
    a = a.reshape(-1)
    return a if a.flags.c_contiguous else a.copy(), weights


def _edges(a, bins, range, weights):
    """Edges, the record of equal bins or None, and whether a kernel must check given device edges."""
    if isinstance(bins, str):
        if bins not in RULES:
            raise ValueError(f"{bins!r} is not a valid estimator for `bins`")
        if weights is not None:
            raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
        first, last = _host_range(a, range)
        return *_between(a, first, last, rule_bins(bins, a, first, last, range is not None)), False
    if numpy.ndim(bins) == 0:
        count = _bin_count(bins)
        if range is None and a.size:
            return *uniform_from_data(a, count, check=True), False
        return *_between(a, *_host_range(a, range), count), False
    if numpy.ndim(bins) == 1:
        message = "`bins` must increase monotonically, when an array"
        edges, check = explicit_edges(bins, a.device, message)
        return edges, None, check
    raise ValueError("`bins` must be 1d, when an array")


def _bin_count(bins):
    return bin_count(
        bins,
        "`bins` must be an integer, a string, or an array",
        "`bins` must be positive, when an integer",
    )


def _host_range(a, range):
    """The outer edges as host scalars."""
    if range is not None:
        return checked_range(range)
    if a.size == 0:
        return 0, 1
    first, last = asnumpy(binning.extent(a))
    if not (numpy.isfinite(first) and numpy.isfinite(last)):
        raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    return moved_apart(first, last)


def _between(a, first, last, count):
    return uniform_from_range(first, last, count, a.dtype, a.device, check=True)


def _natural(a, edges):
    """Convert values to a dtype that the kernels accept together with these edges."""
    own = a.dtype if a.dtype.kind == "f" else numpy.dtype(numpy.float64)
    return a if own == edges.dtype else a.astype(edges.dtype)


@implements(numpy.histogram_bin_edges, kernels=_KERNELS)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Edges of the bins of `histogram`; see `numpy.histogram_bin_edges`.

    A rule for the number of bins depends on the values, so the host waits for the device.
    """
    bins = joined(bins)
    a, weights = _flat("histogram_bin_edges", a, bins, weights)
    edges, _, check = _edges(a, bins, range, weights)
    if check:
        comparable(edges, a.dtype, check=True)
    return edges


@implements(numpy.histogram, kernels=_KERNELS)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts or sums of weights by bin, and the edges; see `numpy.histogram`.

    A range found on the device that is not finite, or too small for the bins, is reported by a later call.
    A rule for the number of bins depends on the values, so the host waits for the device.
    """
    bins = joined(bins)
    a, weights = _flat("histogram", a, bins, weights)
    edges = None
    if range is None and weights is None and not isinstance(bins, str) and numpy.ndim(bins) == 0:
        counts, edges = _guessed(a, bins)
    if edges is None:
        counts, edges = _counted(a, bins, range, weights)
    if density:
        widths = numpy.diff(edges).astype(float)
        return counts / widths / counts.sum(), edges
    return counts, edges


def _guessed(a, bins):
    """Counts and edges of long data over its range, or (None, None) for other data."""
    count = _bin_count(bins)
    if not binning_long.can_guess(a, count):
        return None, None
    return binning_long.count_guessed(a, count, a.dtype if a.dtype.kind == "f" else FLOAT64)


def _counted(a, bins, range, weights):
    """Counts or sums of weights by bin, and the edges."""
    edges, record, check = _edges(a, bins, range, weights)
    if record is not None:
        a, compared = _natural(a, edges), edges
    else:
        compared = comparable(edges, a.dtype, check)
    if edges.size < 2:
        counts = numpy.zeros_like(a, _INTP if weights is None else weights.dtype, shape=0)
    elif weights is None:
        if record is not None:
            counts = binning.count_uniform(a, compared, record)
        else:
            counts = binning.count_edges(a, compared)
    else:
        if record is None and weights.dtype.kind == "b":
            raise TypeError(
                "histogram: boolean weights need equal bins, as in NumPy; convert them to integers"
            )
        counts = _sums(binning.locate(a, compared, record), weights, edges.size - 1)
    return counts, edges


def _sums(index, weights, bins):
    """Sums of weights by bin in the dtype of the weights."""
    if weights.dtype.kind != "c":
        return binning.weighted(index, weights, bins).astype(weights.dtype, copy=False)
    out = numpy.empty_like(weights, shape=bins)
    out.real = binning.weighted(index, weights.real, bins)
    out.imag = binning.weighted(index, weights.imag, bins)
    return out
