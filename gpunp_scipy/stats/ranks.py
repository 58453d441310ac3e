"""Ranks of data (``scipy.stats.rankdata``): a sort, scans that find ties, and a scatter. Nothing waits."""

import inspect

import numpy

import gpunp

_METHODS = ("average", "min", "max", "dense", "ordinal")


def _is_new():
    """Whether SciPy is 1.18 or later, where ranks have the floating dtype of the data."""
    from scipy.stats import _stats_py

    return "return_sorted" in inspect.signature(_stats_py._rankdata).parameters


def _dtype(x, method):
    if _is_new():
        return x.dtype if x.dtype.kind == "f" else numpy.dtype("f8")
    return numpy.dtype("f8" if method == "average" else "i8")


def _last_positions(is_first, position):
    """The position of the last element of the group that each element of the last axis belongs to."""
    count = position.size
    is_last = numpy.concatenate([is_first[..., 1:], numpy.ones_like(is_first[..., :1])], axis=-1)
    ends = numpy.where(is_last, position, count)[..., ::-1]
    return numpy.minimum.accumulate(ends, axis=-1)[..., ::-1]


def _ranked(x, method, dtype):
    """Ranks along the last axis, the sorted data, where a group of ties begins there, and the positions."""
    with x.device:
        order = numpy.argsort(x, axis=-1, stable=True)
        position = gpunp.arange(x.shape[-1])
        ordered = new = None
        if method == "ordinal":
            ranks = numpy.broadcast_to(position + 1, x.shape)
        else:
            ordered = numpy.take_along_axis(x, order, axis=-1)
            new = numpy.concatenate(
                [numpy.ones_like(ordered[..., :1], dtype=bool), ordered[..., 1:] != ordered[..., :-1]],
                axis=-1,
            )
            first = numpy.maximum.accumulate(numpy.where(new, position, 0), axis=-1)
            if method == "dense":
                ranks = numpy.cumsum(new, axis=-1)
            elif method == "min":
                ranks = first + 1
            else:
                last = _last_positions(new, position)
                ranks = last + 1 if method == "max" else (first + last) * 0.5 + 1.0
        result = gpunp.empty(x.shape, dtype=dtype)
        numpy.put_along_axis(result, order, ranks.astype(dtype), axis=-1)
        return result, ordered, new, position


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
    ranks, ordered, new, position = _ranked(x, method, dtype)
    ties = None
    if return_ties:
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
    floating = x.dtype.kind == "f"
    if floating and nan_policy == "raise" and bool(numpy.isnan(x).any()):
        raise ValueError("The input contains nan values")
    x = numpy.swapaxes(x, axis, -1)
    ranks = _ranked(x, method, dtype)[0]
    if floating and dtype.kind == "f":
        unknown = numpy.isnan(x)
        if nan_policy == "propagate":
            unknown = unknown.any(axis=-1, keepdims=True)
        ranks = numpy.where(unknown, dtype.type(numpy.nan), ranks)
    return numpy.swapaxes(ranks, axis, -1)
