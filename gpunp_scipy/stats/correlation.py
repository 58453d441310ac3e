"""Correlation of two samples (`scipy.stats.pearsonr`): two passes, and the host does not wait."""

import functools
import math
import types

import numpy
from scipy.stats import BootstrapMethod, _stats_py, bootstrap

import gpunp
from gpunp.array.operands import on_one_device
from gpunp.dispatch import hooks
from gpunp_scipy.stats import sample_kernels


def _checked(x, y, axis):
    x, y = on_one_device(x, y)
    if "c" in (x.dtype.kind, y.dtype.kind):
        raise ValueError("This function does not support complex data")
    dtype = numpy.result_type(x.dtype, y.dtype)
    dtype = dtype if dtype.kind == "f" else numpy.dtype("f8")
    if axis is None:
        x, y, axis = x.ravel(), y.ravel(), -1
    if int(axis) != axis:
        raise ValueError("`axis` must be an integer.")
    try:
        numpy.broadcast_shapes(x.shape, y.shape)
    except ValueError as error:
        raise ValueError("`x` and `y` must be broadcastable.") from error
    ndim = max(x.ndim, y.ndim)
    x, y = (a.reshape((1,) * (ndim - a.ndim) + a.shape) for a in (x, y))
    axis = int(axis)
    if x.shape[axis] != y.shape[axis]:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    if x.shape[axis] < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    return [numpy.moveaxis(a, axis, -1).astype(dtype, copy=False) for a in (x, y)]


def _coefficients(x, y):
    """Correlation coefficients along the last axis; NaN for constant data."""
    shape = numpy.broadcast_shapes(x.shape, y.shape)
    dtype = x.dtype if x.dtype.char in "fd" else numpy.dtype("f4" if x.dtype.char == "e" else "f8")
    rows = (math.prod(shape[:-1]), shape[-1])
    x, y = (numpy.broadcast_to(a, shape).astype(dtype, order="C", copy=False) for a in (x, y))
    xx, yy, xy = sample_kernels.products(x.reshape(rows), y.reshape(rows)).T
    return numpy.clip(xy / (numpy.sqrt(xx) * numpy.sqrt(yy)), -1, 1).reshape(shape[:-1])


class PearsonRResult(_stats_py.PearsonRResult):
    """SciPy's result, whose intervals may be found by resampling on the device."""

    def confidence_interval(self, confidence_level=0.95, method=None):
        if not isinstance(method, BootstrapMethod):
            return super().confidence_interval(confidence_level, method)
        found = bootstrap(
            (self._x, self._y),
            lambda x, y, axis: pearsonr(x, y, axis=axis).statistic,
            confidence_level=confidence_level,
            axis=self._axis,
            paired=True,
            alternative=self._alternative,
            **method._asdict(),
        )
        low, high = (numpy.clip(each, -1, 1) for each in found.confidence_interval)
        return _stats_py.ConfidenceInterval(low, high)


@functools.cache
def _resampling():
    """SciPy's function, which has other methods than the formula for NumPy's arrays only."""
    scipys = hooks.original(_stats_py.pearsonr)
    space = vars(_stats_py) | {"is_numpy": lambda xp: True, "PearsonRResult": PearsonRResult}
    made = types.FunctionType(
        scipys.__code__, space, scipys.__name__, scipys.__defaults__, scipys.__closure__
    )
    made.__kwdefaults__ = scipys.__kwdefaults__
    return made


def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    """Pearson's correlation coefficient and its p-value; see `scipy.stats.pearsonr`.

    Without ``method``, constant data give NaN as in SciPy, but no warning: the host would have to wait.
    """
    from scipy.special import betainc

    if method is not None:
        x, y = on_one_device(x, y)
        with x.device:
            return _resampling()(x, y, alternative=alternative, method=method, axis=axis)
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    x, y = _checked(x, y, axis)
    with x.device, numpy.errstate(all="ignore"):
        n = x.shape[-1]
        r = _coefficients(x, y).astype(x.dtype, copy=False)
        if n == 2:
            r = numpy.round(r)
            pvalue = numpy.where(numpy.isnan(r), r, numpy.ones_like(r))
        else:
            # Without correlation, (1 + r) / 2 has a symmetric beta distribution.
            half = x.dtype.type(n / 2 - 1)
            if alternative == "two-sided":
                pvalue = 2 * betainc(half, half, (1 - numpy.absolute(r)) / 2)
            else:
                pvalue = betainc(half, half, (1 - r if alternative == "greater" else 1 + r) / 2)
        return PearsonRResult(
            statistic=r[()] if r.ndim == 0 else r,
            pvalue=pvalue[()] if pvalue.ndim == 0 else pvalue,
            alternative=alternative,
            n=gpunp.asarray(n, dtype=x.dtype),
            x=x,
            y=y,
            axis=-1,
        )
