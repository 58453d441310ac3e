"""Histograms of several variables: the bin of each sample along each axis, then one count."""

import math

import numpy

from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements
from gpunp.statistics import binning
from gpunp.statistics.bin_edges import (
    as_data,
    bin_count,
    checked_range,
    comparable,
    explicit_edges,
    uniform_from_data,
    uniform_from_range,
)

_KERNELS = ("include/gpunp/statistics/histogram.h", "codegen/histograms.py")


def _columns(sample, device):
    """The coordinates of the samples: one one-dimensional array per axis, all of one dtype."""
    try:
        _, count = sample.shape
    except (AttributeError, ValueError):
        sequence = isinstance(sample, list | tuple) and all(numpy.ndim(x) == 1 for x in sample)
        if sequence and device_of(sample, nested=True) is not None:
            columns = [asarray(x, device=device) for x in sample]
            if len({x.size for x in columns}) > 1:
                raise ValueError(
                    f"histogramdd: the coordinates have lengths {[x.size for x in columns]}; they must be "
                    "equal"
                ) from None
            dtype = numpy.result_type(*(x.dtype for x in columns))
            return [as_data("histogramdd", x.astype(dtype, copy=False)) for x in columns]
        if not isinstance(sample, ndarray):
            sample = asarray(sample, device=device)
        sample = numpy.atleast_2d(sample).T
        _, count = sample.shape
    sample = as_data("histogramdd", sample, device)
    return [sample[:, i] for i in range(count)]


def _axis_edges(i, column, bins, range):
    """Edges along axis i, and the same edges in the dtype that values are compared in."""
    bins = joined(bins)
    if numpy.ndim(bins) == 0:
        if not isinstance(bins, str) and bins < 1:
            raise ValueError(f"`bins[{i}]` must be positive, when an integer")
        ends = checked_range(range) if range is not None else None
        if ends is None and column.size == 0:
            ends = 0, 1
        count = bin_count(
            bins,
            f"`bins[{i}]` must be an integer, when a scalar",
            f"`bins[{i}]` must be positive, when an integer",
        )
        if ends is None:
            contiguous = column if column.flags.c_contiguous else column.copy()
            edges, _ = uniform_from_data(contiguous, count, check=False)
        else:
            edges, _ = uniform_from_range(*ends, count, dtype=None, device=column.device, check=False)
        return edges, comparable(edges, column.dtype)
    if numpy.ndim(bins) != 1:
        raise ValueError(f"`bins[{i}]` must be a scalar or 1d array")
    message = f"`bins[{i}]` must be monotonically increasing, when an array"
    edges, check = explicit_edges(bins, column.device, message)
    return edges, comparable(edges, column.dtype, check)


@implements(numpy.histogramdd, kernels=_KERNELS)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Histogram of multidimensional points; see `numpy.histogramdd`.

    A range found on the device that is not finite is reported by a later call.
    """
    columns = _columns(sample, device_of(sample, bins, weights, nested=True))
    dimensions = len(columns)
    if not dimensions:
        raise ValueError("histogramdd: the sample has no columns; give points with at least one coordinate")
    device = columns[0].device
    if weights is not None:
        weights = asarray(weights, device=device)
    try:
        if len(bins) != dimensions:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    except TypeError:
        bins = dimensions * [bins]
    if range is None:
        range = (None,) * dimensions
    elif len(range) != dimensions:
        raise ValueError("range argument must have one entry per dimension")
    edges, index, shape = [], None, []
    for i, column in enumerate(columns):
        own, compared = _axis_edges(i, column, bins[i], range[i])
        edges.append(own)
        shape.append(max(compared.size - 1, 0))
        if math.prod(shape) >= 2**31:
            raise ValueError(f"histogramdd: {shape} bins are more than 2**31 - 1; use fewer")
        if compared.size > 1:
            index = binning.locate(column, compared, None, index)
    hist = _filled(columns[0], index, weights, shape)
    if density:
        total = hist.sum()
        for i, own in enumerate(edges):
            widths = numpy.diff(own)
            hist = hist / widths.reshape((1,) * i + (-1,) + (1,) * (dimensions - i - 1))
        hist /= total
    return hist, edges


def _filled(column, index, weights, shape):
    """Counts or sums of weights of the combined bins, as float64."""
    size = math.prod(shape)
    if weights is not None:
        if weights.dtype.kind == "c":
            raise TypeError("histogramdd: complex weights; sum weights.real and weights.imag apart")
        if weights.ndim != 1:
            raise ValueError(
                "object too deep for desired array"
                if weights.ndim
                else "object of too small depth for desired array"
            )
        if weights.size != column.size:
            raise ValueError("The weights and list don't have the same length.")
    if size == 0:
        return numpy.zeros_like(column, numpy.float64, shape=shape)
    if weights is not None:
        return binning.weighted(index, weights, size).reshape(shape)
    return binning.count_values(index, size).astype(numpy.float64).reshape(shape)


@implements(numpy.histogram2d, kernels=_KERNELS)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Histogram of two variables; see `numpy.histogram2d`."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        count = len(bins)
    except TypeError:
        count = 1
    if count not in (1, 2):
        bins = joined(bins)
        bins = [bins if isinstance(bins, ndarray) else numpy.asarray(bins)] * 2
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]
