"""Kendall's rank correlation (``scipy.stats.kendalltau``)."""

import math
import warnings

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.array.operands import on_one_device
from gpunp_scipy.stats.ranks import rankdata


def inversions(values):
    """The number of pairs in which a larger integer comes before a smaller one.

    The integers are distributed bit by bit, from the highest: a pair is counted where its bits first differ.
    That takes a step for each bit of the largest possible integer, and the host does not wait.

    Parameters
    ----------
    values : ndarray of int64
        One dimension; from 0 to the number of values, exclusive.

    Returns
    -------
    ndarray of float64
    """
    count = values.size
    ordered, position = numpy.sort(values), gpunp.arange(count)
    total = gpunp.zeros(())
    for bit in range(max(count - 1, 1).bit_length() - 1, -1, -1):
        prefix, one = values >> (bit + 1), (values >> bit) & 1
        start = numpy.searchsorted(ordered, prefix << (bit + 1))
        middle = numpy.searchsorted(ordered, (prefix << (bit + 1)) + (1 << bit))
        ones = numpy.cumsum(one) - one
        # Among the integers with the same higher bits.
        before = ones - ones[start]
        total = total + numpy.where(one == 0, before, 0).sum().astype("f8")
        moved = numpy.empty_like(values)
        moved[numpy.where(one == 1, middle + before, position - before)] = values
        values = moved
    return total


def _tie_sums(sizes):
    """Sums over groups of n ties of n (n - 1) / 2, n (n - 1) (n - 2) and n (n - 1) (2 n + 5)."""
    n = sizes.astype("f8")
    return [((n - 1) / 2).sum(), ((n - 1) * (n - 2)).sum(), ((n - 1) * (2 * n + 5)).sum()]


def _counts(x, y):
    """The number of discordant pairs and the sums over ties, which `_statistic` takes, on the host.

    Returns
    -------
    list of float
        Discordant pairs; then, for ties of pairs, of ``x`` and of ``y``, the sums of `_tie_sums` and the
        number of groups.
    """
    order = numpy.lexsort((y, x))
    x, y = x[order], y[order]
    ranks = rankdata(y, "min").astype(numpy.int64) - 1
    found = [inversions(ranks)]
    new = numpy.concatenate([numpy.ones(1, bool), (x[1:] != x[:-1]) | (y[1:] != y[:-1])])
    # Elements of equal pairs are neighbours, and have the same number.
    for a in (numpy.cumsum(new), x, y):
        a = numpy.sort(a)
        sizes = numpy.searchsorted(a, a, side="right") - numpy.searchsorted(a, a, side="left")
        found += [*_tie_sums(sizes), (1.0 / sizes).sum()]
    return asnumpy(numpy.stack(found)).tolist()


def _warn_of_a_small_sample(*, after_omitting):
    """Give the warning of SciPy's decorator for samples that are too small, if this release has it."""
    from scipy.stats import _axis_nan_policy

    if hasattr(_axis_nan_policy, "SmallSampleWarning"):
        text = "too_small_1d_omit" if after_omitting else "too_small_1d_not_omit"
        warnings.warn(getattr(_axis_nan_policy, text), _axis_nan_policy.SmallSampleWarning, stacklevel=3)


def kendalltau(
    x,
    y,
    *,
    nan_policy="propagate",
    method="auto",
    variant="b",
    alternative="two-sided",
    axis=None,
    keepdims=False,
):
    """Kendall's rank correlation; see `scipy.stats.kendalltau`.

    Samples of several dimensions are flattened. The host waits twice: to look for NaN, and for the counts,
    from which it computes the p-value.
    """
    from scipy.stats import _stats_py

    if variant not in ("b", "c"):
        raise ValueError(f"Unknown `variant` '{variant}' specified. `variant` must be 'b' or 'c'.")
    x, y = on_one_device(x, y)
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if axis is not None:
        numpy.lib.array_utils.normalize_axis_index(axis, max(x.ndim, y.ndim))
        if max(x.ndim, y.ndim) > 1:
            keywords = {"method": method, "variant": variant, "alternative": alternative}
            return _of_slices(x, y, axis, keepdims, nan_policy=nan_policy, **keywords)
    dtype = numpy.result_type(x.dtype, y.dtype)
    dtype = dtype if dtype.kind == "f" else numpy.dtype("f8")
    shape = (1,) * max(x.ndim, y.ndim) if keepdims else ()
    x, y = x.ravel(), y.ravel()
    if x.size != y.size:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    given = x.size
    if nan_policy == "omit":
        valid = ~(numpy.isnan(x) | numpy.isnan(y))
        x, y = x[valid], y[valid]
    if x.size < 2:
        _warn_of_a_small_sample(after_omitting=x.size < given)
    tau, pvalue = math.nan, math.nan
    with x.device:
        known = x.size > 1 and not bool((numpy.isnan(x) | numpy.isnan(y)).any())
        if not known and nan_policy == "raise" and x.size > 1:
            raise ValueError("The input contains nan values")
        if known:
            tau, pvalue = _statistic(x.size, _counts(x, y), method, variant, alternative)
        values = [gpunp.full(shape, each, dtype) for each in (tau, pvalue)]
        return _stats_py._pack_CorrelationResult(*(v[()] if v.ndim == 0 else v for v in values), values[0])


def _of_slices(x, y, axis, keepdims, **keywords):
    """The correlations along an axis, one after another."""
    from scipy.stats import _stats_py

    x, y = (numpy.moveaxis(each, axis, -1) for each in (x, y))
    batch = numpy.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    x, y = (numpy.broadcast_to(each, (*batch, each.shape[-1])) for each in (x, y))
    found = [kendalltau(x[place], y[place], **keywords) for place in numpy.ndindex(batch)]
    values = []
    for name in ("statistic", "pvalue"):
        value = numpy.stack([getattr(each, name) for each in found]).reshape(batch)
        values.append(numpy.expand_dims(value, axis) if keepdims else value)
    return _stats_py._pack_CorrelationResult(*values, values[0])


def _statistic(size, counts, method, variant, alternative):
    from scipy.special import ndtr
    from scipy.stats import _mstats_basic

    dis, ntie, _, _, _, xtie, x0, x1, xclasses, ytie, y0, y1, yclasses = counts
    total = size * (size - 1) // 2
    if total in (xtie, ytie):
        return math.nan, math.nan
    difference = total - xtie - ytie + ntie - 2 * dis
    if variant == "b":
        tau = difference / math.sqrt(total - xtie) / math.sqrt(total - ytie)
    else:
        classes = round(min(xclasses, yclasses))
        tau = 2 * difference / (size**2 * (classes - 1) / classes)
    tau = min(1.0, max(-1.0, tau))
    ties = xtie != 0 or ytie != 0
    if method == "exact" and ties:
        raise ValueError("Ties found; exact method cannot be used.")
    if method == "auto":
        method = "exact" if not ties and (size <= 33 or min(dis, total - dis) <= 1) else "asymptotic"
    if method == "exact":
        return tau, _mstats_basic._kendall_p_exact(size, round(total - dis), alternative)
    if method != "asymptotic":
        raise ValueError(
            f"Unknown `method` '{method}' specified.  `method` must be 'auto', 'exact' or 'asymptotic'."
        )
    pairs = size * (size - 1.0)
    variance = (pairs * (2 * size + 5) - x1 - y1) / 18 + 2 * xtie * ytie / pairs
    variance += x0 * y0 / (9 * pairs * (size - 2)) if size > 2 else math.nan
    z = difference / math.sqrt(variance)
    one_sided = {"less": ndtr(z), "greater": ndtr(-z)}
    return tau, float(one_sided.get(alternative, 2 * ndtr(-abs(z))))
