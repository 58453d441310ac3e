"""Sums and moments of images, by label. Sums over groups have the same bits in every run."""

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.statistics import binning
from gpunp_scipy.ndimage.comprehension import label_indices
from gpunp_scipy.ndimage.groups import Groups, is_scalar, operands, selected


def _stats(input, labels, index, centered):
    """The count, the sum, and the sum of squared distances from the mean if ``centered``."""
    if labels is not None:
        input, labels = operands(input, labels)
        if index is not None and not is_scalar(index):
            return _group_stats(Groups(labels, index), input, centered)
        where = selected(labels, index)
        count = numpy.count_nonzero(where)
    else:
        input, where = gpunp.asarray(input), True
        count = gpunp.asarray(input.size, device=input.device)._mark_scalar()
    total = numpy.sum(input, where=where)
    if not centered:
        return count, total
    distance = input - numpy.mean(input, where=where)
    return count, total, numpy.sum(distance * distance.conjugate(), where=where)


def _group_stats(groups, input, centered):
    sums = groups.sums(input)
    if not centered:
        return groups.pick(groups.counts), groups.pick(sums)
    distance = input.ravel() - groups.spread(sums / groups.counts)
    squares = groups.sums(distance * distance)
    return groups.pick(groups.counts), groups.pick(sums), groups.pick(squares)


def sum_labels(input, labels=None, index=None):
    """Sum of the values by label; see `scipy.ndimage.sum_labels`."""
    return _stats(input, labels, index, centered=False)[1]


def sum(input, labels=None, index=None):
    """Sum of the values by label, an older name; see `scipy.ndimage.sum`."""
    return sum_labels(input, labels, index)


def mean(input, labels=None, index=None):
    """Mean of the values by label; see `scipy.ndimage.mean`."""
    count, total = _stats(input, labels, index, centered=False)
    return total / count.astype(numpy.float64)


def variance(input, labels=None, index=None):
    """Variance of the values by label; see `scipy.ndimage.variance`."""
    count, _, squares = _stats(input, labels, index, centered=True)
    return squares / count.astype(numpy.float64)


def standard_deviation(input, labels=None, index=None):
    """Standard deviation of the values by label; see `scipy.ndimage.standard_deviation`."""
    return numpy.sqrt(variance(input, labels, index))


def center_of_mass(input, labels=None, index=None):
    """Center of mass by label; see `scipy.ndimage.center_of_mass`.

    For a sequence of labels, the list has NumPy scalars on the host, which waits for them.
    """
    input = gpunp.asarray(input)
    total = sum_labels(input, labels, index)
    centers = []
    for axis, n in enumerate(input.shape):
        place = gpunp.arange(n, dtype=numpy.float64, device=input.device)
        place = place.reshape((n,) + (1,) * (input.ndim - 1 - axis))
        centers.append(sum_labels(input * place, labels, index) / total)
    if labels is None or index is None or is_scalar(index):
        return tuple(centers)
    if not centers:
        raise IndexError("list index out of range: a zero-dimensional input has no center of mass")
    return [tuple(v) for v in asnumpy(numpy.stack(centers)).T]


def histogram(input, min, max, bins, labels=None, index=None):
    """Histogram of the values by label; see `scipy.ndimage.histogram`.

    For a sequence of labels, the histograms are device arrays in a host array of objects.
    """
    # Edges are compared in double precision, as by numpy.histogram.
    edges = numpy.linspace(min, max, bins + 1)
    if labels is None:
        if index is not None:
            raise ValueError("histogram: index without defined labels; give labels, or no index")
        return numpy.histogram(gpunp.asarray(input).ravel(), edges)[0]
    return _histograms(*operands(input, labels), edges, index)


def _histograms(input, labels, edges, index):
    if index is None:
        return numpy.histogram(input[labels > 0], edges)[0]
    scalar = is_scalar(index)
    index = label_indices(index, labels)
    if labels.size == 0:
        return None if scalar else numpy.empty(index.shape, object)
    groups = Groups(labels, index)
    edges = gpunp.asarray(edges, device=input.device)
    values, bins = input.ravel(), edges.size - 1
    place = numpy.searchsorted(edges, values, side="right") - 1
    place = numpy.where(values == edges[-1], bins - 1, place)
    inside = (values >= edges[0]) & (values <= edges[-1]) & (groups.bounded < groups.bins)
    joint = numpy.where(inside, groups.bounded * bins + place, -1)
    counts = binning.count_values(joint, groups.bins * bins)
    found = asnumpy(groups.pick(groups.counts))
    rows = groups.pick(counts.reshape(groups.bins, bins))
    results = numpy.empty(index.shape, object)
    for i, count in numpy.ndenumerate(found):
        results[i] = rows[i] if count else None
    return results[0] if scalar else results
