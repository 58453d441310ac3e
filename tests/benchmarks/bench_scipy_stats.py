"""Distributions, ranks, correlations and density estimates of scipy.stats."""

import importlib

import numpy as np
from rows import Above, Share, row

CHAPTER = "scipy.stats"


def functions(lib):
    """SciPy's module for gpunp and NumPy."""
    if lib.dialect == "torch":
        raise NotImplementedError("it has no such functions")
    return importlib.import_module("scipy.stats")


def special(lib):
    """CuPy's special functions: it has no distributions."""
    return importlib.import_module("cupyx.scipy.special")


def register(name, title, goal, build, moved=None):
    @row(name, title, CHAPTER, goal, "device", moved)
    def make(lib, size):
        return build(lib, functions(lib), size.elements >> 2)


def normal_cdf(lib, stats, n):
    x = lib.values(n).astype("d")
    if lib.name == "CuPy":
        ndtr = special(lib).ndtr
        return lambda: ndtr((x - 0.5) / 2.0)
    return lambda: stats.norm.cdf(x, 0.5, 2.0)


def gamma_pdf(lib, stats, n):
    x = lib.values(n).astype("d")
    if lib.name == "CuPy":
        xp, f = lib.xp, special(lib)
        return lambda: xp.exp(f.xlogy(1.5, x) - x - f.gammaln(xp.asarray(2.5)))
    return lambda: stats.gamma.pdf(x, 2.5)


def normal_quantiles(lib, stats, n):
    q = lib.values(n).astype("d") % 1
    if lib.name == "CuPy":
        ndtri = special(lib).ndtri
        return lambda: ndtri(q)
    return lambda: stats.norm.ppf(q)


def rankdata(lib, stats, n):
    x = lib.values(n).astype("d")
    if lib.name == "CuPy":
        xp = lib.xp

        def run():
            # Without the means of ties: a lower bound of what ranks take.
            order = xp.argsort(x)
            ranks = xp.empty(n)
            ranks[order] = xp.arange(1.0, n + 1)
            return ranks

        return run
    return lambda: stats.rankdata(x)


def pearsonr(lib, stats, n):
    x, y = lib.values(n).astype("d"), lib.values(n).astype("d")[::-1].copy()
    if lib.name == "CuPy":
        return lambda: lib.xp.corrcoef(x, y)
    return lambda: stats.pearsonr(x, y).statistic


def kendalltau(lib, stats, n):
    if lib.name == "CuPy":
        raise NotImplementedError("it has no kendalltau")
    x, y = lib.values(n >> 4).astype("d"), lib.values(n >> 4).astype("d")[::-1].copy()
    return lambda: stats.kendalltau(x, y).statistic


def density(lib, stats, n):
    rng = np.random.default_rng(3)
    points, count = lib.upload(rng.normal(size=max(n >> 10, 16))), max(n >> 9, 64)
    data = lib.upload(rng.normal(size=count))
    if lib.name == "CuPy":
        xp = lib.xp
        factor = float(data.std()) * count**-0.2

        def run():
            exponents = -0.5 * ((points[:, None] - data[None, :]) / factor) ** 2
            return xp.exp(exponents).sum(axis=1) / (count * factor * np.sqrt(2 * np.pi))

        return run
    estimate = stats.gaussian_kde(data)
    return lambda: estimate(points)


def binned(lib, stats, n):
    x, values = lib.values(n).astype("d"), lib.values(n).astype("d")
    if lib.name == "CuPy":
        xp = lib.xp

        def run():
            sums = xp.histogram(x, 100, weights=values)[0]
            return sums / xp.histogram(x, 100)[0]

        return run
    return lambda: stats.binned_statistic(x, values, "mean", 100).statistic


register(
    "stats_norm_cdf",
    "`norm.cdf(x, 0.5, 2)`, float64",
    Share(0.85, "copy"),
    normal_cdf,
    lambda s: 4 * s.elements,
)
register("stats_gamma_pdf", "`gamma.pdf(x, 2.5)`, float64", Above(0.5e-3), gamma_pdf)
register("stats_norm_ppf", "`norm.ppf(q)`, float64", Above(0.5e-3), normal_quantiles)
register("stats_rankdata", "`rankdata(x)`, float64", Above(10e-3), rankdata)
register("stats_pearsonr", "`pearsonr(x, y)`, float64", Above(1e-3), pearsonr)
register("stats_kendalltau", "`kendalltau(x, y)`, float64", Above(50e-3), kendalltau)
register("stats_gaussian_kde", "`gaussian_kde(data)(points)`, float64", Above(2e-3), density)
register("stats_binned_statistic", '`binned_statistic(x, v, "mean", 100)`, float64', Above(5e-3), binned)
