"""Quantiles and percentiles: elements selected by rank, and interpolation between two of them."""

import functools

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, joined
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.sorting import selection
from gpunp.sorting.engine import gather_rows, sort_rows
from gpunp.statistics.quantile_methods import (
    check_method,
    discrete_index,
    is_discrete,
    virtual_index,
    weight_of_next,
)
from gpunp.statistics.rows import Reduced, count_numbers
from gpunp.statistics.weighted_quantile import check_weights, weighted_quantile

_KERNELS = ("include/gpunp/sorting/selection.h", "codegen/selection.py")
_NoValue = numpy._NoValue
# The most quantiles in one call whose ranks are cached.
_REMEMBERED = 64
_PERCENT = "Percentiles must be in the range [0, 100]"
_FRACTION = "Quantiles must be in the range [0, 1]"


@implements(numpy.percentile, kernels=_KERNELS)
def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Percentiles over axes, NaN if an element is NaN; see `numpy.percentile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, percent=True, skip_nan=False)


@implements(numpy.quantile, kernels=_KERNELS)
def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """Quantiles over axes, NaN if an element is NaN; see `numpy.quantile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, percent=False, skip_nan=False)


@implements(numpy.nanpercentile, kernels=_KERNELS)
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NoValue, *, weights=None
):
    """Percentiles over axes, ignoring NaN; see `numpy.nanpercentile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, percent=True, skip_nan=True)


@implements(numpy.nanquantile, kernels=_KERNELS)
def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NoValue, *, weights=None
):
    """Quantiles over axes, ignoring NaN; see `numpy.nanquantile`."""
    return _quantile(a, q, axis, out, method, keepdims, weights, percent=False, skip_nan=True)


def _quantile(a, q, axis, out, method, keepdims, weights, *, percent, skip_nan):
    a = asarray(a, device=q.device if isinstance(q, ndarray) and not isinstance(a, ndarray) else None)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    # A Python number does not affect the dtype of the result.
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
        found = reduced.finish(_stored(result, reduced.out))
        # With weights NumPy returns no scalars.
        return found._unmark_scalar() if out is None else found
    check_method(method)
    rows = reduced.rows(a)
    if rows.shape[1] == 0 and (q.size or a.dtype.kind == "f"):
        raise IndexError(f"cannot take a quantile of no elements: the array has shape {a.shape}")
    shape = (*q.shape, *reduced.kept)
    if (skip_nan and a.dtype.kind == "f") or isinstance(q, ndarray):
        values, rule, weight, one_minus = _by_row(rows, q, method, weak, skip_nan)
    else:
        plan = _plan if q.size <= _REMEMBERED else _plan.__wrapped__
        ranks, rule, weight, one_minus = plan(
            rows.shape[1], method, weak, a.dtype.kind, q.dtype.char, q.shape, q.tobytes()
        )
        values = _selected(rows, ranks)
    if rule == "element":
        return reduced.finish(_stored(values.reshape(shape), reduced.out))
    target = None if skip_nan else reduced.out
    result = _between(values[0::2], values[1::2], rule, weight, one_minus, shape, target)
    return reduced.finish(_stored(result, reduced.out) if skip_nan else result)


def _checked(q, device, percent):
    """Convert ``q`` to quantiles from 0 to 1, on the host if given there; kernels check those on a GPU."""
    q = joined(q)
    if isinstance(q, ndarray):
        if percent:
            q = numpy.true_divide(q, 100)
        if device.is_cpu and q.size and not bool(numpy.logical_and(q >= 0, q <= 1).all()):
            raise ValueError(_PERCENT if percent else _FRACTION)
        return q
    q = numpy.true_divide(q, 100, out=...) if percent else numpy.asanyarray(q)
    if q.dtype.kind == "O":
        raise TypeError(f"quantile: q must hold NumPy or Python numbers, not {type(q.item(0)).__name__}")
    in_range = 0 <= q.item() <= 1 if q.ndim == 0 else not q.size or (q.min() >= 0 and q.max() <= 1)
    if not in_range:
        raise ValueError(_PERCENT if percent else _FRACTION)
    return q


def _select_in_parts(rows, ranks, nan_wins):
    """Select elements by rank in each row, in as many calls as the number of ranks requires."""
    most = selection.MOST_RANKS
    count = len(ranks)
    if 0 < count <= most:
        return selection.select(rows, ranks, nan_wins)
    values = layout.empty((count, rows.shape[0]), rows.dtype, "C", rows.device)
    for start in range(0, count, most):
        part = ranks[start : start + most]
        layout.copy_into(values[start : start + most], selection.select(rows, part, nan_wins))
    return values


@functools.lru_cache(maxsize=512)
def _plan(n, method, weak, kind, char, shape, data):
    """Ranks of quantiles in rows of ``n`` elements, and how two neighbors are combined.

    Returns
    -------
    ranks : tuple of int
        One rank per quantile, or those of its two neighbors.
    rule : str
        "element": the quantile is the element. "lower": ``a + (b - a) * weight``, "upper":
        ``b - (b - a) * one_minus``, and "mixed": "upper" where the weight is 0.5 or more, "lower" elsewhere.
    weight, one_minus : float or numpy.ndarray or None
    """
    q = numpy.frombuffer(data, char).reshape(shape)
    if is_discrete(method, q):
        index = numpy.asarray(discrete_index(method, n, n - 1, q)).astype(numpy.intp)
        return tuple(numpy.clip(index, 0, n - 1).ravel().tolist()), "element", None, None
    index = numpy.asanyarray(virtual_index(method, n, n - 1, q))
    below = numpy.floor(index)
    lower = numpy.clip(below, 0, n - 1).astype(numpy.intp).ravel()
    upper = numpy.clip(below + 1, 0, n - 1).astype(numpy.intp).ravel()
    # NumPy keeps the weights' dtype, that of q, unless q was a Python number.
    weight = numpy.asanyarray(weight_of_next(method, index, below), index.dtype).reshape(-1, 1)
    near_upper = weight >= 0.5
    one_minus = 1 - weight
    rule = "upper" if near_upper.all() else "mixed" if near_upper.any() else "lower"
    if rule == "mixed" and kind == "f":
        # Differences of floats are signed, so "upper" is "lower" with the neighbors swapped.
        swap = near_upper[:, 0]
        lower, upper = numpy.where(swap, upper, lower), numpy.where(swap, lower, upper)
        weight = numpy.where(near_upper, one_minus, weight)
        rule = "lower"
    if weak:
        weight = float(weight[0, 0])
        one_minus = 1 - weight
    return tuple(numpy.stack([lower, upper], axis=1).ravel().tolist()), rule, weight, one_minus


def _selected(rows, ranks):
    """Select elements by ranks that are the same for all rows; NaN for rows with NaN."""
    if rows.size == 0:
        return _no_elements(len(ranks), rows)
    if selection.takes(rows, len(ranks)):
        return _select_in_parts(rows, ranks, nan_wins=True)
    ordered = sort_rows(rows)
    places = asarray(numpy.asarray(ranks), device=rows.device)
    values = gather_rows(ordered, numpy.broadcast_to(places, (rows.shape[0], len(ranks)))).T
    if rows.dtype.kind != "f":
        return values
    last = ordered[:, -1]
    return numpy.where(numpy.isnan(last), last, values)


def _no_elements(count, rows):
    """An uninitialized array, for results without elements."""
    return layout.empty((count, rows.shape[0]), rows.dtype, "C", rows.device)


def _by_row(rows, q, method, weak, skip_nan):
    """As `_plan` and `_selected`, but with ranks computed on the device.

    For quantiles on the device, and for rows whose number of elements that are not NaN differs. Returns the
    selected elements instead of the ranks.
    """
    if rows.size == 0 or q.size == 0:
        if is_discrete(method, q):
            return _no_elements(q.size, rows), "element", None, None
        kind = q.dtype if q.dtype.kind == "f" else numpy.dtype("f8")
        weight = layout.zeros((q.size, 1), kind, "C", rows.device)
        return _no_elements(2 * q.size, rows), "lower", weight, weight
    q = asarray(q, device=rows.device).reshape(-1, 1)
    valid = numpy.logical_and(q >= 0, q <= 1)
    if skip_nan and rows.dtype.kind == "f":
        length = count_numbers(rows)
    else:
        length = asarray([rows.shape[1]], device=rows.device)
    last = length - 1
    # Compute in the dtype of q, as with a length that is a Python number.
    n, n_last = (length, last) if q.dtype.kind in "biu" else (length.astype(q.dtype), last.astype(q.dtype))
    if is_discrete(method, q):
        ranks = _ranks(discrete_index(method, n, n_last, q), last, valid)
        return _select_in_parts(rows, ranks, not skip_nan), "element", None, None
    index = virtual_index(method, n, n_last, q)
    below = numpy.floor(index)
    weight = weight_of_next(method, index, below)
    lower, upper = _ranks(below, last, valid), _ranks(below + 1, last, valid)
    ranks = numpy.stack([lower, upper], axis=1).reshape(-1, lower.shape[1])
    values = _select_in_parts(rows, ranks, not skip_nan)
    one_minus = 1 - weight
    if weak and rows.dtype.kind == "f":
        weight, one_minus = weight.astype(rows.dtype), one_minus.astype(rows.dtype)
    return values, "mixed", weight, one_minus


def _ranks(index, last, valid):
    """Ranks within each row; -1, which the kernels report, for quantiles outside [0, 1]."""
    ranks = numpy.clip(index, 0, None).astype(numpy.int64)
    return numpy.where(valid, numpy.minimum(ranks, last), -1)


def _between(lower, upper, rule, weight, one_minus, shape, out):
    """Interpolate from the nearer neighbor, so that the result is monotonic and exact at both ends."""
    difference = numpy.subtract(upper, lower)
    if isinstance(weight, numpy.ndarray):
        if rule != "upper":
            weight = asarray(weight, device=lower.device)
        if rule != "lower":
            one_minus = asarray(one_minus, device=lower.device)
    if rule == "upper":
        result = numpy.subtract(upper, difference * one_minus)
    else:
        result = numpy.add(lower, difference * weight)
    if rule == "mixed":
        result = numpy.where(weight >= 0.5, numpy.subtract(upper, difference * one_minus), result)
    result = result.reshape(shape)
    # A ufunc writes into out, with the casting rule of NumPy's own addition into it.
    return result if out is None else numpy.positive(result, out=out)


def _stored(result, out):
    """Copy the result into ``out`` and return that; return the result if ``out`` is None."""
    if out is None:
        return result
    numpy.copyto(out, result, casting="unsafe")
    return out
