"""The tests of Cramer and von Mises: statistics on the device, their probabilities on the host."""

import numpy
from scipy.stats import _hypotests, distributions

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.array.operands import on_one_device
from gpunp_scipy.stats.ranks import rankdata


def _floating(*arrays):
    """The arrays in a common dtype, which is a floating one."""
    dtype = numpy.result_type(*arrays)
    dtype = dtype if dtype.kind == "f" else numpy.dtype("f8")
    return [a.astype(dtype, copy=False) for a in arrays]


def _result(statistic, pvalue):
    pvalue = gpunp.asarray(pvalue, dtype=statistic.dtype, device=statistic.device)
    return _hypotests.CramerVonMisesResult(statistic=statistic[()], pvalue=pvalue[()])


def cramervonmises(rvs, cdf, args=(), *, axis=-1):
    """The test of one sample, as `scipy.stats.cramervonmises` calls it for samples without NaN."""
    if isinstance(cdf, str):
        cdf = getattr(distributions, cdf).cdf
    (x,) = _floating(*on_one_device(rvs))
    x = numpy.moveaxis(x, axis, -1)
    n = x.shape[-1]
    if n <= 1:
        raise ValueError("The sample must contain at least two observations.")
    with x.device:
        places = (2 * gpunp.arange(1, n + 1, dtype=x.dtype) - 1) / (2 * n)
        statistic = 1 / (12 * n) + ((places - cdf(numpy.sort(x, axis=-1), *args)) ** 2).sum(axis=-1)
    return _result(statistic, numpy.clip(1.0 - _hypotests._cdf_cvm(asnumpy(statistic), n), 0.0, None))


def cramervonmises_2samp(x, y, method="auto", *, axis=-1):
    """The test of two samples, as `scipy.stats.cramervonmises_2samp` calls it for samples without NaN."""
    x, y = (numpy.moveaxis(a, axis, -1) for a in _floating(*on_one_device(x, y)))
    nx, ny = x.shape[-1], y.shape[-1]
    if nx <= 1 or ny <= 1:
        raise ValueError("x and y must contain at least two observations.")
    if method not in ("auto", "exact", "asymptotic"):
        raise ValueError("method must be either auto, exact or asymptotic.")
    if method == "auto":
        method = "asymptotic" if max(nx, ny) > 20 else "exact"
    with x.device:
        pooled = numpy.concatenate([numpy.sort(x, axis=-1), numpy.sort(y, axis=-1)], axis=-1)
        # Average ranks of equal numbers.
        ranks = rankdata(pooled, axis=-1).astype(x.dtype, copy=False)
        squares = (
            n * ((each - gpunp.arange(1, n + 1, dtype=x.dtype)) ** 2).sum(axis=-1)
            for n, each in ((nx, ranks[..., :nx]), (ny, ranks[..., nx:]))
        )
        u = sum(squares)
        k, n = nx * ny, nx + ny
        statistic = u / (k * n) - (4 * k - 1) / (6 * n)
    if method == "exact":
        u = asnumpy(u)
        pvalue = [_hypotests._pval_cvm_2samp_exact(each, nx, ny) for each in u.ravel()]
        return _result(statistic, numpy.reshape(pvalue, u.shape))
    t = asnumpy(statistic)
    xp = _hypotests.array_namespace(t)
    return _result(statistic, _hypotests._pval_cvm_2samp_asymptotic(t, n, nx, ny, k, xp=xp))
