"""Functions of ``scipy.stats`` whose own code computes on device arrays once it creates its arrays there."""

import numpy
import scipy.stats

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import device_of, on_one_device
from gpunp_scipy.device_numpy import CREATION, Numpy
from gpunp_scipy.rebinding import Rebound, public, unwrapped
from gpunp_scipy.stats.ranks import rankdata


class _WithNumbers(Numpy):
    """NumPy where ``asarray`` copies to the host: statistics, whose probabilities the host computes."""

    def __init__(self):
        super().__init__(CREATION, nested=False)
        self.asarray = lambda a, *args, **kwargs: numpy.asarray(
            asnumpy(a) if isinstance(a, gpunp.ndarray) else a, *args, **kwargs
        )


_STATS = Rebound("scipy.stats._stats_py", {})
_TESTS = Rebound("scipy.stats._stats_py", {"np": _WithNumbers()})
# A list of scores becomes one array.
_SCORES = Rebound("scipy.stats._stats_py", {"np": Numpy(CREATION)})


def _wilcoxon_distribution(count):
    """The distribution of the statistic, whose tables are on the host."""
    from scipy.stats import _wilcoxon

    return _wilcoxon.WilcoxonDistribution(asnumpy(count) if isinstance(count, gpunp.ndarray) else count)


_WILCOXON = Rebound(
    "scipy.stats._wilcoxon", {"np": _WithNumbers(), "WilcoxonDistribution": _wilcoxon_distribution}
)


def wilcoxon_nd(x, *args, **kwargs):
    """What `scipy.stats.wilcoxon` calls for samples without NaN."""
    with device_of(x, *args, *kwargs.values()):
        return _WILCOXON["_wilcoxon_nd"](x, *args, **kwargs)


def ks_2samp(data1, data2, alternative="two-sided", method="auto", **keywords):
    """The test of Kolmogorov and Smirnov, as `scipy.stats.ks_2samp` calls it for samples without NaN.

    The probability of the statistic is computed on the host.
    """
    from scipy.stats import _stats_py

    # SciPy 1.18 is generic but for the statistic; earlier releases use NumPy.
    generic = "array_namespace" in unwrapped(_stats_py.ks_2samp).__code__.co_names
    functions = _TESTS if generic else _STATS
    if "mode" in keywords and method != "auto":
        # An older name of the parameter.
        raise TypeError("ks_2samp() got multiple values for argument now known as `method`")
    method = keywords.pop("mode", method)
    with device_of(data1, data2):
        found = functions["ks_2samp"](data1, data2, alternative, method, **keywords)
        return type(found)(
            *(gpunp.asarray(each)[()] for each in found),
            statistic_location=found.statistic_location,
            statistic_sign=found.statistic_sign,
        )


def ranksums(x, y, alternative="two-sided", *, axis=-1):
    """Wilcoxon's rank sum test, as `scipy.stats.ranksums` calls it for samples without NaN."""
    from scipy.special import ndtr
    from scipy.stats import _stats_py

    x, y = (numpy.moveaxis(a, axis, -1) for a in on_one_device(x, y))
    n1, n2 = x.shape[-1], y.shape[-1]
    ranks = rankdata(numpy.concatenate([x, y], axis=-1), axis=-1).astype(float, copy=False)
    expected, variance = n1 * (n1 + n2 + 1) / 2, n1 * n2 * (n1 + n2 + 1) / 12
    z = (ranks[..., :n1].sum(axis=-1) - expected) / variance**0.5
    if alternative == "two-sided":
        pvalue = 2 * ndtr(-numpy.absolute(z))
    elif alternative in ("less", "greater"):
        pvalue = ndtr(z if alternative == "less" else -z)
    else:
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    return _stats_py.RanksumsResult(z, pvalue)


trim1 = _STATS.public("trim1", __name__)
trimboth = _STATS.public("trimboth", __name__)


def _scoreatpercentile(a, per, limit=(), *others, **options):
    # Percentages are compared one by one.
    per, limit = (
        value if device_of(value, nested=True) is None else fetched(value)[()] for value in (per, limit)
    )
    return _SCORES["scoreatpercentile"](on_one_device(a)[0], per, tuple(limit), *others, **options)


scoreatpercentile = public(_scoreatpercentile, scipy.stats.scoreatpercentile, __name__)


def _percentileofscore(a, score, kind="rank", nan_policy="propagate"):
    """SciPy's percentages, from places in the order of the data: NaN comes last there."""
    a, score = on_one_device(a, score)
    if a.ndim != 1:
        raise ValueError("`a` must be 1-dimensional.")
    if nan_policy not in ("propagate", "raise", "omit"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if kind not in ("rank", "strict", "weak", "mean"):
        raise ValueError("kind can only be 'rank', 'strict', 'weak' or 'mean'")
    missing = numpy.count_nonzero(numpy.isnan(a))
    unknown = numpy.isnan(score)
    if nan_policy == "raise" and (int(missing) or bool(unknown.any())):
        raise ValueError("The input contains nan values")
    if a.size == 0:
        return numpy.full_like(score, numpy.nan, dtype=numpy.float64)[()]
    # Integers and floats are compared in their common dtype.
    common = numpy.result_type(a, score)
    a, score = numpy.sort(a.astype(common, copy=False)), score.astype(common, copy=False)
    left = numpy.searchsorted(a, score, "left") if kind != "weak" else 0
    right = numpy.searchsorted(a, score, "right") if kind != "strict" else 0
    count = a.size - missing if nan_policy == "omit" else a.size
    places = left + right + (left < right) if kind == "rank" else left + right
    percentages = places * ((100.0 if kind in ("strict", "weak") else 50.0) / count)
    if nan_policy == "propagate":
        unknown = unknown | (missing > 0)
    return numpy.where(unknown, numpy.nan, percentages)[()]


percentileofscore = public(_percentileofscore, scipy.stats.percentileofscore, __name__)
energy_distance = _STATS.public("energy_distance", __name__)
wasserstein_distance = _STATS.public("wasserstein_distance", __name__)


class _Lines:
    """SciPy's module of statistics, with the line through the points of a probability plot."""

    def __getattr__(self, name):
        from scipy.stats import _stats_py

        return getattr(_stats_py, name)

    @staticmethod
    def linregress(x, y):
        """The slope, the intercept and the correlation coefficient; SciPy 1.17 has host arrays only."""
        x, y = on_one_device(x, y)
        xm, ym = x - x.mean(), y - y.mean()
        sxx, sxy, syy = (xm * xm).sum(), (xm * ym).sum(), (ym * ym).sum()
        slope = sxy / sxx
        return slope, y.mean() - slope * x.mean(), sxy / numpy.sqrt(sxx * syy), None, None


def _nan(x, **_):
    """A NaN on the device, of the precision of the data."""
    return gpunp.full((), numpy.nan, x.dtype if x.dtype.kind == "f" else float)


_MORE = Rebound("scipy.stats._morestats", {"_stats_py": _Lines(), "_get_nan": _nan})
_OPTIMISED = "The optimum is searched for with one wait for each value of the likelihood."

yeojohnson = _MORE.public("yeojohnson", __name__, _OPTIMISED)
yeojohnson_normmax = _MORE.public("yeojohnson_normmax", __name__, _OPTIMISED)


def _anderson_ksamp(samples, *args, **kwargs):
    return _MORE["anderson_ksamp"](on_one_device(*samples), *args, **kwargs)


anderson_ksamp = public(_anderson_ksamp, scipy.stats.anderson_ksamp, __name__)
probplot = _MORE.public("probplot", __name__)
_FITTED = "Parameters of the distribution are searched for on the host, which waits in each step."
anderson = _MORE.public("anderson", __name__, _FITTED)
ppcc_max = _MORE.public("ppcc_max", __name__, _FITTED)


def _probplot_of_one(x, sparams=(), **options):
    """A probability plot for a shape parameter that is an element of an array of the device."""
    return _MORE["probplot"](x, float(sparams), **options)


_PLOTS = Rebound("scipy.stats._morestats", {"probplot": _probplot_of_one})
boxcox_normplot = _MORE.public("boxcox_normplot", __name__)
ppcc_plot = _PLOTS.public("ppcc_plot", __name__)
yeojohnson_normplot = _MORE.public("yeojohnson_normplot", __name__)

_HYPOTESES = Rebound("scipy.stats._hypotests", {})
tukey_hsd = _HYPOTESES.public("tukey_hsd", __name__)
page_trend_test = Rebound("scipy.stats._page_trend_test", {}).public("page_trend_test", __name__)
