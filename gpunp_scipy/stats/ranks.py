"""Ranks of data (``scipy.stats.rankdata``): a sort, and a kernel that finds ties. Nothing waits."""

import inspect

import numpy
from gpunp.sorting.engine import sort_rows_with_order

import gpunp
from gpunp_scipy.stats import sample_kernels

_METHODS = ("average", "min", "max", "dense", "ordinal")


def _is_new():
    """Whether SciPy is 1.18 or later, where ranks have the floating dtype of the data."""
    from scipy.stats import _stats_py

    return "return_sorted" in inspect.signature(_stats_py._rankdata).parameters


def _dtype(x, method):
    if _is_new():
        return x.dtype if x.dtype.kind in "fc" else numpy.dtype("f8")
    return numpy.dtype("f8" if method == "average" else "i8")


def _last_positions(is_first, position):
    """The position of the last element of the group that each element of the last axis belongs to."""
    count = position.size
    is_last = numpy.concatenate([is_first[..., 1:], numpy.ones_like(is_first[..., :1])], axis=-1)
    ends = numpy.where(is_last, position, count)[..., ::-1]
    return numpy.minimum.accumulate(ends, axis=-1)[..., ::-1]


def _begins(ordered):
    """Where in sorted rows an element differs from the one before."""
    return numpy.concatenate(
        [numpy.ones_like(ordered[..., :1], dtype=bool), ordered[..., 1:] != ordered[..., :-1]], axis=-1
    )


def _ranked(x, method, dtype, nans=None):
    """Ranks along the last axis, and the sorted data.

    Parameters
    ----------
    x : ndarray
        With one element at least.
    method : str
    dtype : dtype
        Of the ranks.
    nans : {None, "propagate", "omit"}, optional
        Whether NaN has no rank, and with ``"propagate"`` no other element of its row, either.
    """
    with x.device:
        ordered, order = sort_rows_with_order(x)
        result = gpunp.empty(x.shape, dtype=dtype)
        if method != "dense" and sample_kernels.takes_ranks(x.dtype, dtype):
            sample_kernels.write_ranks(ordered, order, result, method, nans)
            return result, ordered
        numpy.put_along_axis(result, order, _in_order(ordered, method).astype(dtype), axis=-1)
        if nans is not None:
            unknown = numpy.isnan(x)
            unknown = unknown.any(axis=-1, keepdims=True) if nans == "propagate" else unknown
            result = numpy.where(unknown, dtype.type(numpy.nan), result)
        return result, ordered


def _in_order(ordered, method):
    """The ranks of sorted data."""
    if method == "dense":
        return numpy.cumsum(_begins(ordered), axis=-1)
    position = gpunp.arange(ordered.shape[-1])
    if method == "ordinal":
        return numpy.broadcast_to(position + 1, ordered.shape)
    begins = _begins(ordered)
    first = numpy.maximum.accumulate(numpy.where(begins, position, 0), axis=-1)
    if method == "min":
        return first + 1
    last = _last_positions(begins, position)
    return last + 1 if method == "max" else (first + last) * 0.5 + 1.0


def rank_slices(x, method, return_sorted=False, return_ties=False, xp=None):
    """What SciPy's rank statistics call: ranks along the last axis, maybe with the sorted data and the ties.

    Parameters
    ----------
    x : ndarray
    method : {"average", "min", "max", "dense", "ordinal"}
    return_sorted, return_ties : bool, optional
    xp : module, optional
        Without effect.

    Returns
    -------
    ranks : ndarray
    ordered : ndarray or None
        The data in order. SciPy 1.17 returns none.
    ties : ndarray or None
        At the first of equal elements their number, else 0.
    """
    if not _is_new():
        # SciPy 1.17 has no sorted data: the third argument is that about ties.
        return_ties = return_ties or return_sorted
    dtype = _dtype(x, method)
    ranks, ordered = _ranked(x, method, dtype)
    ties = None
    if return_ties:
        new, position = _begins(ordered), gpunp.arange(x.shape[-1], device=x.device)
        ties = numpy.where(new, _last_positions(new, position) - position + 1, 0).astype(dtype)
    if _is_new():
        return ranks, ordered, ties
    return (ranks, ties) if return_ties else ranks


def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """Ranks of data; see `scipy.stats.rankdata`. Only ``nan_policy="raise"`` waits."""
    if method not in _METHODS:
        raise ValueError(f'unknown method "{method}"')
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    x = gpunp.asarray(a)
    if axis is None:
        x, axis = x.ravel(), -1
    dtype = _dtype(x, method)
    if x.size == 0:
        return numpy.empty_like(x, dtype=dtype)
    floating = x.dtype.kind in "fc"
    if floating and nan_policy == "raise" and bool(numpy.isnan(x).any()):
        raise ValueError("The input contains nan values")
    x = numpy.swapaxes(x, axis, -1)
    # Ranks that are integers (SciPy 1.17) have no NaN.
    nans = nan_policy if floating and dtype.kind in "fc" and nan_policy != "raise" else None
    ranks, _ = _ranked(x, method, dtype, nans)
    return numpy.swapaxes(ranks, axis, -1)
