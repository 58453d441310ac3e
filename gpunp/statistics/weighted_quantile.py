"""Quantiles of weighted samples: the inverse of their cumulative distribution."""

import numpy

from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray
from gpunp.sorting.engine import gather_rows, sort_pairs
from gpunp.statistics.weighted import weights_along

# The most comparisons per step, which bounds the temporary array of booleans.
_MOST_COMPARISONS = 1 << 28


def check_weights(weights, a, axis, method, skip_nan):
    """Check weights, and return them on the device of ``a`` in a shape that broadcasts to it.

    Raises
    ------
    ValueError
        If the method is not "inverted_cdf", or if weights that are readable without waiting for a GPU are
        negative; for weights on the host, also if their sum is zero or not finite.
    """
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = joined(weights)
    on_host = not isinstance(weights, ndarray)
    weights = numpy.asanyarray(weights) if on_host else weights
    weights = weights_along(weights, a, axis)
    if (on_host or a.device.is_cpu) and bool((weights < 0).any()):
        raise ValueError("Weights must be non-negative.")
    if on_host:
        total = weights.sum(dtype=numpy.float64)
        # The nan-functions ignore the weights of NaN elements, which may be the ones that are not finite.
        usable = numpy.isfinite(total) or (skip_nan and a.dtype.kind == "f")
        if not usable or (weights.size and total == 0):
            raise ValueError("Weights included NaN, inf or were all zero.")
    return asarray(weights, device=a.device)


def weighted_quantile(a, q, weights, reduced, skip_nan):
    """Weighted quantiles by the method "inverted_cdf", with the kept axes last."""
    rows = reduced.ordered_rows(a)
    length = rows.shape[1]
    if length == 0:
        raise IndexError(f"cannot take a quantile of no elements: the array has shape {a.shape}")
    weights = reduced.ordered_rows(numpy.broadcast_to(weights, a.shape))
    rows, weights = sort_pairs(rows, weights)
    inexact = rows.dtype.kind == "f"
    if skip_nan and inexact:
        # NaN sorts last; with weight 0 it is never selected.
        weights = numpy.where(numpy.isnan(rows), 0, weights)
    cdf = numpy.cumsum(weights, axis=1, dtype=numpy.float64)
    # The parallel scan rounds differently per tile; elements of weight 0 must not raise the sum before them.
    cdf = numpy.maximum.accumulate(numpy.where(weights == 0, 0.0, cdf), axis=1)
    cdf = cdf / cdf[:, -1:]
    if a.device.is_cpu:
        unusable = numpy.isnan(cdf[:, -1])
        if skip_nan and inexact:
            unusable = numpy.logical_and(unusable, numpy.logical_not(numpy.isnan(rows[:, 0])))
        if bool(unusable.any()):
            raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.kind == "f":
        cdf = cdf.astype(q.dtype)
    # Leading elements of weight 0 are never a quantile, not even for q = 0.
    cdf = numpy.where(cdf == 0, -1, cdf)
    index = numpy.minimum(_count_below(cdf, asarray(q, device=a.device).reshape(-1)), length - 1)
    result = gather_rows(rows, index).T
    if inexact and not skip_nan:
        last = rows[:, -1]
        result = numpy.where(numpy.isnan(last), last, result)
    return result.reshape((*q.shape, *reduced.kept))


def _count_below(cdf, q):
    """The number of elements of each row whose cumulative weight is below each quantile."""
    step = max(_MOST_COMPARISONS // max(cdf.size, 1), 1)
    parts = [
        numpy.count_nonzero(cdf[:, None, :] < q[start : start + step, None], axis=-1)
        for start in range(0, q.size, step)
    ]
    if not parts:
        return asarray(numpy.empty((cdf.shape[0], 0), numpy.int64), device=cdf.device)
    return parts[0] if len(parts) == 1 else numpy.concatenate(parts, axis=1)
