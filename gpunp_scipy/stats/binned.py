"""Statistics of values in bins (``scipy.stats.binned_statistic`` and its relatives)."""

import functools
import itertools
import operator

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.array.operands import device_of
from gpunp.statistics import binning

_NAMES = ("mean", "median", "count", "sum", "std", "min", "max")
_FUNCTIONS = {getattr(numpy, name): name for name in _NAMES if name != "count"}


def _results():
    """SciPy's module, which has the classes of the results."""
    from scipy.stats import _binned_statistic

    return _binned_statistic


def binned_statistic(x, values, statistic="mean", bins=10, range=None):
    """A statistic of values in bins; see `scipy.stats.binned_statistic`."""
    if numpy.ndim(bins) and len(bins) != 1:
        bins = [bins]
    if range is not None and len(range) == 2:
        range = [range]
    found = binned_statistic_dd([x], values, statistic, bins, range)
    return _results().BinnedStatisticResult(found[0], found[1][0], found[2])


def binned_statistic_2d(x, y, values, statistic="mean", bins=10, range=None, expand_binnumbers=False):
    """A statistic of values in bins of two dimensions; see `scipy.stats.binned_statistic_2d`."""
    if (not isinstance(bins, list | tuple) and numpy.ndim(bins)) or (
        isinstance(bins, list | tuple) and len(bins) > 2
    ):
        bins = [bins, bins] if len(bins) > 2 else list(bins)
    found = binned_statistic_dd([x, y], values, statistic, bins, range, expand_binnumbers)
    return _results().BinnedStatistic2dResult(found[0], *found[1], found[2])


def binned_statistic_dd(
    sample,
    values,
    statistic="mean",
    bins=10,
    range=None,
    expand_binnumbers=False,
    binned_statistic_result=None,
):
    """A statistic of values in bins; see `scipy.stats.binned_statistic_dd`.

    One wait: the edges depend on the range of the data, and SciPy refuses NaN. A ``statistic`` that is a
    function of the user is called for each bin, with a device array, after another wait.
    """
    if not callable(statistic) and statistic not in _NAMES:
        raise ValueError(f"invalid statistic {statistic!r}")
    name = _FUNCTIONS.get(statistic, statistic) if callable(statistic) else statistic
    device = device_of(sample, values, nested=True)
    with device, numpy.errstate(all="ignore"):
        columns = _columns(sample)
        values = gpunp.asarray(values)
        shape = values.shape
        values = numpy.atleast_2d(values)
        if name != "count" and values.shape[1] != columns[0].size:
            raise AttributeError(
                "The number of `values` elements must match the length of each `sample` dimension."
            )
        lowest, highest = _ranges(columns)
        if binned_statistic_result is None:
            edges = _edges(columns, _per_dimension(bins, len(columns)), range, lowest, highest)
            numbers = _bin_numbers(columns, edges)
            edges = [gpunp.asarray(each) for each in edges]
        else:
            edges, numbers = (
                binned_statistic_result.bin_edges,
                gpunp.asarray(binned_statistic_result.binnumber),
            )
        counts = [len(each) + 1 for each in edges]
        total = functools.reduce(operator.mul, counts)
        result = _statistic(name, values, numbers, total)
        result = result.reshape(-1, *counts)[(slice(None), *[slice(1, -1)] * len(counts))]
        if expand_binnumbers and len(counts) > 1:
            numbers = numpy.stack(numpy.unravel_index(numbers, counts))
        result = result.reshape(*shape[:-1], *(count - 2 for count in counts))
        return _results().BinnedStatisticddResult(result, edges, numbers)


def _columns(sample):
    """The coordinates of the sample, one array for each dimension."""
    if not isinstance(sample, list | tuple):
        sample = gpunp.asarray(sample)
        if sample.ndim == 2:
            return list(sample.T)
        sample = [sample]
    return [gpunp.asarray(each) for each in sample]


def _per_dimension(bins, count):
    try:
        return [operator.index(bins)] * count
    except TypeError:
        pass
    if len(bins) != count:
        raise AttributeError("The dimension of bins must be equal to the dimension of the sample x.")
    return [asnumpy(each) if isinstance(each, gpunp.ndarray) else each for each in bins]


def _ranges(columns):
    """The lowest and highest finite value of each dimension, on the host; NaN are refused."""
    found = []
    for column in columns:
        x = column.astype("f8")
        found += [
            numpy.isnan(x).any().astype("f8"),
            numpy.where(numpy.isfinite(x), x, numpy.inf).min(initial=numpy.inf),
            numpy.where(numpy.isfinite(x), x, -numpy.inf).max(initial=-numpy.inf),
        ]
    unknown, lowest, highest = asnumpy(numpy.stack(found)).reshape(-1, 3).T
    if unknown.any():
        raise ValueError(
            "The sample on which `values` is to be binned contains at least one NaN, and the meaning is "
            "ambiguous. Consider removing or replacing with numerical outliers."
        )
    return lowest, highest


def _edges(columns, bins, limits, lowest, highest):
    """The edges of the bins of each dimension, on the host."""
    count = len(columns)
    if limits is not None:
        if len(limits) != count:
            raise ValueError(f"range given for {len(limits)} dimensions; {count} required")
        for i, (low, high) in enumerate(limits):
            if high < low:
                where = f"dimension {i + 1} of " if count > 1 else ""
                raise ValueError(f"In {where}range, start must be <= stop")
        lowest, highest = numpy.array(limits, float).T
    elif not columns[0].size:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    edges = []
    for column, of, low, high in zip(columns, bins, lowest, highest, strict=True):
        dtype = column.dtype if column.dtype.kind == "f" else float
        if numpy.isscalar(of):
            half = 0.5 if low == high else 0.0
            edges.append(numpy.linspace(low - half, high + half, int(of) + 1, dtype=dtype))
        else:
            edges.append(numpy.asarray(of, dtype))
    return edges


def _bin_numbers(columns, edges):
    """The number of the bin of each element, in C order; bins 0 and the last of a dimension are outside."""
    numbers = 0
    for column, edge in zip(columns, edges, strict=True):
        smallest = numpy.diff(edge).min()
        if smallest == 0:
            raise ValueError("The smallest edge difference is numerically 0.")
        found = numpy.digitize(column, gpunp.asarray(edge))
        # What rounds to the last edge belongs to the last bin.
        decimals = int(-numpy.log10(smallest)) + 6
        last = (column >= edge[-1]) & (numpy.around(column, decimals) == numpy.around(edge[-1], decimals))
        numbers = numbers * (len(edge) + 1) + (found - last.astype(found.dtype))
    return numbers


def _sums(numbers, weights, total):
    if weights.dtype.kind == "c":
        return _sums(numbers, weights.real, total) + 1j * _sums(numbers, weights.imag, total)
    # Of a known number of bins: NumPy's bincount would wait for the largest.
    return binning.weighted(numbers, weights.astype("f8"), total)


def _statistic(name, values, numbers, total):
    """The statistic of each row of values in each bin, with the shape (rows, bins)."""
    counts = binning.count_values(numbers, total)
    if name == "count":
        return numpy.broadcast_to(counts.astype("f8"), (len(values), total))
    rows = [_of_row(name, row, numbers, counts, total) for row in values]
    return numpy.stack(rows)


def _of_row(name, row, numbers, counts, total):
    if name in ("sum", "mean", "std"):
        sums = _sums(numbers, row, total)
        if name == "sum":
            return sums
        means = sums / counts
        if name == "mean":
            return means
        delta = row - means[numbers]
        return numpy.sqrt(_sums(numbers, (delta * numpy.conj(delta)).real, total) / counts)
    if row.size == 0 and not callable(name):
        return gpunp.full(total, numpy.nan)
    order = numpy.lexsort((row, numbers))
    ordered = row[order].astype(numpy.result_type(row.dtype, "f8"))
    ends = numpy.cumsum(counts)
    first = numpy.minimum(ends - counts, ordered.size - 1)
    if callable(name):
        return _of_function(name, ordered, asnumpy(counts))
    if name == "median":
        last = numpy.maximum(counts - 1, 0)
        value = (ordered[first + last // 2] + ordered[first + (last + 1) // 2]) / 2
    else:
        value = ordered[first] if name == "min" else ordered[numpy.maximum(ends - 1, 0)]
    return numpy.where(counts > 0, value, numpy.nan)


def _of_function(statistic, ordered, counts):
    """A user's statistic of the values of each bin, which follow one another."""
    try:
        empty = statistic([])
    except Exception:
        empty = numpy.nan
    bounds = numpy.concatenate([[0], numpy.cumsum(counts)]).tolist()
    found = [
        gpunp.asarray(statistic(ordered[start:stop]) if stop > start else empty)
        for start, stop in itertools.pairwise(bounds)
    ]
    dtype = functools.reduce(numpy.promote_types, (each.dtype for each in found), ordered.dtype)
    return numpy.stack([each.astype(dtype) for each in found])
