"""Quantiles and percentiles: elements selected by rank, and what lies between two of them."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.sorting import selection
from gpunp.statistics.quantile_methods import (
    check_method,
    discrete_index,
    is_discrete,
    virtual_index,
    weight_of_next,
)
from gpunp.statistics.rows import Reduced, count_numbers
from gpunp.statistics.weighted_quantile import check_weights, weighted_quantile

_KERNELS = ("include/gpunp/selection.h", "codegen/selection.py")
_NoValue = numpy._NoValue
_PERCENT = "Percentiles must be in the range [0, 100]"
_FRACTION = "Quantiles must be in the range [0, 1]"


@implements(numpy.percentile, kernels=_KERNELS)
def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Percentiles over axes, NaN where there is one; see `numpy.percentile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, True, False)


@implements(numpy.quantile, kernels=_KERNELS)
def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Quantiles over axes, NaN where there is one; see `numpy.quantile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, False, False)


@implements(numpy.nanpercentile, kernels=_KERNELS)
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NoValue, *, weights=None
):
    """Percentiles over axes, without NaN; see `numpy.nanpercentile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, True, True)


@implements(numpy.nanquantile, kernels=_KERNELS)
def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NoValue, *, weights=None
):
    """Quantiles over axes, without NaN; see `numpy.nanquantile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, False, True)


def _quantile(a, q, axis, out, method, keepdims, weights, percent, skip_nan):
    a = asarray(a, device=q.device if isinstance(q, ndarray) and not isinstance(a, ndarray) else None)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    # A Python number leaves the dtype of the result to the array.
    weak = type(q) in (int, float)
    q = _checked(q, a.device, percent)
    if weights is not None:
        weights = check_weights(weights, a, axis, method, skip_nan)
    if skip_nan and a.size == 0:
        return numpy.nanmean(a, axis, out=out, keepdims=keepdims)
    reduced = Reduced(a, axis, out, keepdims)
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if weights is not None:
        result = weighted_quantile(a, q, weights, reduced, skip_nan)
        return reduced.finish(_stored(result, reduced.out))
    check_method(method)
    rows = reduced.rows(a)
    if rows.shape[1] == 0 and (q.size or a.dtype.kind == "f"):
        raise IndexError(f"cannot take a quantile of no elements: the array has shape {a.shape}")
    by_row = (skip_nan and a.dtype.kind == "f") or isinstance(q, ndarray)
    shape = (*q.shape, *reduced.kept)
    find = _by_row if by_row else _by_host_rank
    lower, upper, weight, one_minus = find(rows, q, method, weak, skip_nan)
    if upper is None:
        return reduced.finish(_stored(lower.reshape(shape), reduced.out))
    target = None if skip_nan else reduced.out
    result = _between(lower, upper, weight, one_minus, shape, target)
    if skip_nan:
        result = _stored(result, reduced.out)
    return reduced.finish(result)


def _checked(q, device, percent):
    """Quantiles from 0 to 1, on the host where they came from there; elsewhere the kernels check them."""
    if isinstance(q, ndarray):
        if percent:
            q = numpy.true_divide(q, 100)
        if device.is_cpu and q.size and not bool(numpy.logical_and(q >= 0, q <= 1).all()):
            raise ValueError(_PERCENT if percent else _FRACTION)
        return q
    q = numpy.true_divide(q, 100, out=...) if percent else numpy.asanyarray(q)
    if q.size and not (q.min() >= 0 and q.max() <= 1):
        raise ValueError(_PERCENT if percent else _FRACTION)
    return q


def _select_in_parts(rows, ranks, nan_wins):
    """Elements by rank and row, however many ranks there are."""
    most = selection.MOST_RANKS
    count = len(ranks)
    if 0 < count <= most:
        return selection.select(rows, ranks, nan_wins)
    values = layout.empty((count, rows.shape[0]), rows.dtype, "C", rows.device)
    for start in range(0, count, most):
        part = ranks[start : start + most]
        layout.copy_into(values[start : start + most], selection.select(rows, part, nan_wins))
    return values


def _by_host_rank(rows, q, method, weak, skip_nan):
    """Neighbours of each quantile, all rows alike, and the weights they are combined with."""
    n = rows.shape[1]
    if is_discrete(method, q):
        index = numpy.asarray(discrete_index(method, n, n - 1, q)).astype(numpy.intp)
        ranks = numpy.clip(index, 0, n - 1).ravel().tolist()
        return _selected(rows, ranks), None, None, None
    index = numpy.asanyarray(virtual_index(method, n, n - 1, q))
    below = numpy.floor(index)
    lower = numpy.clip(below, 0, n - 1).astype(numpy.intp)
    upper = numpy.clip(below + 1, 0, n - 1).astype(numpy.intp)
    # NumPy keeps the weights' dtype, that of q, unless q was a Python number.
    weight = numpy.asanyarray(weight_of_next(method, index, below), index.dtype)
    ranks = numpy.stack([lower.ravel(), upper.ravel()], axis=1).ravel().tolist()
    values = _selected(rows, ranks)
    if weak:
        weight = float(weight)
        return values[0:1], values[1:2], weight, 1 - weight
    weight = weight.reshape(-1, 1)
    return values[0::2], values[1::2], weight, 1 - weight


def _selected(rows, ranks):
    if rows.size == 0:
        return layout.empty((len(ranks), rows.shape[0]), rows.dtype, "C", rows.device)
    return _select_in_parts(rows, ranks, True)


def _by_row(rows, q, method, weak, skip_nan):
    """As `_by_host_rank`, with ranks found on the device: by the numbers of a row, or for quantiles there."""
    if rows.size == 0 or q.size == 0:
        empty = layout.empty((q.size, rows.shape[0]), rows.dtype, "C", rows.device)
        kind = q.dtype if q.dtype.kind == "f" else numpy.dtype("f8")
        weight = layout.zeros((q.size, 1), kind, "C", rows.device)
        return (empty, None, None, None) if is_discrete(method, q) else (empty, empty, weight, weight)
    discrete = is_discrete(method, q)
    q = asarray(q, device=rows.device).reshape(-1, 1)
    valid = numpy.logical_and(q >= 0, q <= 1)
    if skip_nan and rows.dtype.kind == "f":
        length = count_numbers(rows)
    else:
        length = asarray([rows.shape[1]], device=rows.device)
    last = length - 1
    # Arithmetic is in the dtype of q, as with a length that is a Python number.
    n, n_last = (length, last) if q.dtype.kind in "biu" else (length.astype(q.dtype), last.astype(q.dtype))
    if discrete:
        index = discrete_index(method, n, n_last, q)
        ranks = _ranks(index, last, valid)
        return _select_in_parts(rows, ranks, not skip_nan), None, None, None
    index = virtual_index(method, n, n_last, q)
    below = numpy.floor(index)
    weight = weight_of_next(method, index, below)
    lower, upper = _ranks(below, last, valid), _ranks(below + 1, last, valid)
    ranks = numpy.stack([lower, upper], axis=1).reshape(-1, lower.shape[1])
    values = _select_in_parts(rows, ranks, not skip_nan)
    one_minus = 1 - weight
    if weak and rows.dtype.kind == "f":
        weight, one_minus = weight.astype(rows.dtype), one_minus.astype(rows.dtype)
    return values[0::2], values[1::2], weight, one_minus


def _ranks(index, last, valid):
    """Ranks within each row; -1, which the kernels report, for quantiles outside of [0, 1]."""
    ranks = numpy.clip(index, 0, None).astype(numpy.int64)
    return numpy.where(valid, numpy.minimum(ranks, last), -1)


def _between(lower, upper, weight, one_minus, shape, out):
    """Interpolate from the nearer neighbour, so that the result is monotonic and exact at both ends."""
    difference = numpy.subtract(upper, lower)
    if out is None and not isinstance(weight, ndarray):
        # The weights are known: most calls need one of the two formulas.
        near_upper = numpy.greater_equal(weight, 0.5)
        if near_upper.all() or not near_upper.any():
            if not isinstance(weight, float):
                weight, one_minus = (asarray(x, device=lower.device) for x in (weight, one_minus))
            if near_upper.all():
                return numpy.subtract(upper, difference * one_minus).reshape(shape)
            return numpy.add(lower, difference * weight).reshape(shape)
    if not isinstance(weight, float):
        weight, one_minus = (asarray(x, device=lower.device) for x in (weight, one_minus))
    near_upper = numpy.broadcast_to(asarray(weight, device=lower.device) >= 0.5, lower.shape).reshape(shape)
    first = numpy.add(lower, difference * weight).reshape(shape)
    second = numpy.subtract(upper, difference * one_minus).reshape(shape)
    result = numpy.where(near_upper, second, first)
    if out is None:
        return result
    # NumPy's addition writes into out, with its rule for casting.
    return numpy.positive(result, out=out)


def _stored(result, out):
    """``out`` with the result in it, or the result."""
    if out is None:
        return result
    numpy.copyto(out, result, casting="unsafe")
    return out
