"""Functions of ``scipy.stats`` whose own code computes on device arrays once it creates its arrays there."""

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.array.operands import device_of
from gpunp_scipy.rebinding import Numpy, Rebound


class _WithNumbers(Numpy):
    """NumPy where ``asarray`` copies to the host: statistics, whose probabilities the host computes."""

    def __init__(self):
        super().__init__()
        self.asarray = lambda a, *args, **kwargs: numpy.asarray(
            asnumpy(a) if isinstance(a, gpunp.ndarray) else a, *args, **kwargs
        )


_STATS = Rebound("scipy.stats._stats_py", {})
_TESTS = Rebound("scipy.stats._stats_py", {"np": _WithNumbers()})


def ks_2samp(data1, data2, alternative="two-sided", method="auto"):
    """The test of Kolmogorov and Smirnov, as `scipy.stats.ks_2samp` calls it for each pair of samples.

    The probability of the statistic is computed on the host.
    """
    from scipy.stats import _stats_py

    # SciPy 1.18 is generic but for the statistic; earlier releases use NumPy.
    generic = "array_namespace" in _stats_py.ks_2samp.__wrapped__.__code__.co_names
    with device_of(data1, data2):
        found = (_TESTS if generic else _STATS)["ks_2samp"](data1, data2, alternative, method)
        return type(found)(
            *map(gpunp.asarray, found),
            statistic_location=found.statistic_location,
            statistic_sign=found.statistic_sign,
        )


def ranksums(x, y, alternative="two-sided"):
    """Wilcoxon's rank sum test, as `scipy.stats.ranksums` calls it for each pair of samples."""
    with device_of(x, y):
        return _STATS["ranksums"](x, y, alternative)


trim1 = _STATS.public("trim1", __name__)
trimboth = _STATS.public("trimboth", __name__)
scoreatpercentile = _STATS.public("scoreatpercentile", __name__)
percentileofscore = _STATS.public("percentileofscore", __name__)
energy_distance = _STATS.public("energy_distance", __name__)
wasserstein_distance = _STATS.public("wasserstein_distance", __name__)

_MORE = Rebound("scipy.stats._morestats", {})
_OPTIMISED = "The optimum is searched for with one wait for each value of the likelihood."

yeojohnson = _MORE.public("yeojohnson", __name__, _OPTIMISED)
yeojohnson_normmax = _MORE.public("yeojohnson_normmax", __name__, _OPTIMISED)
anderson_ksamp = _MORE.public("anderson_ksamp", __name__)
probplot = _MORE.public("probplot", __name__)

_HYPOTESES = Rebound("scipy.stats._hypotests", {})
tukey_hsd = _HYPOTESES.public("tukey_hsd", __name__)
page_trend_test = Rebound("scipy.stats._page_trend_test", {}).public("page_trend_test", __name__)
