"""Tables, points of quasi-Monte Carlo, transformations and tests agree with SciPy's on the host."""

import dataclasses

import numpy as np
import pytest
import scipy
from scipy import stats
from scipy.stats import contingency, qmc
from waiting import waits

import gpunp

RNG = np.random.default_rng(41)
X = RNG.normal(size=40)
Y = RNG.normal(0.3, 1.2, size=50)
TIES = RNG.integers(0, 5, 40)
POSITIVE = RNG.gamma(2.0, size=40)
TABLE = RNG.integers(3, 20, (3, 4))
POINTS = RNG.random((20, 3))
ROWS = RNG.normal(size=(6, 4))


def _parts(result):
    if dataclasses.is_dataclass(result):
        return _parts([getattr(result, field.name) for field in dataclasses.fields(result)])
    if isinstance(result, list | tuple):
        return [part for each in result for part in _parts(each)]
    if result is None or isinstance(result, str):
        return []
    if hasattr(result, "__dict__") and not isinstance(result, np.ndarray | gpunp.ndarray):
        return _parts([value for name, value in sorted(vars(result).items()) if name[0] != "_"])
    return [result]


def _agree(actual, expected, tolerance=1e-9):
    actual, expected = _parts(actual), _parts(expected)
    assert len(actual) == len(expected)
    for ours, wanted in zip(actual, expected, strict=True):
        np.testing.assert_allclose(gpunp.asnumpy(ours), wanted, rtol=tolerance, atol=1e-11)


def _there(value):
    if isinstance(value, list):
        return [_there(each) for each in value]
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


CALLS = [
    (stats.trim1, (X, 0.1)),
    (stats.trim1, (X, 0.1, "left")),
    (stats.trimboth, (ROWS, 0.2)),
    (stats.trimboth, (X, 0.2, None)),
    (stats.scoreatpercentile, (X, 30)),
    (stats.scoreatpercentile, (X, [10, 50], (), "lower")),
    (stats.percentileofscore, (X, 0.1)),
    (stats.percentileofscore, (TIES, 2, "weak")),
    *((stats.percentileofscore, (TIES, [[1, 2.5, 9]], kind)) for kind in ("rank", "strict", "weak", "mean")),
    (stats.percentileofscore, (X, np.array([0.1, np.nan, -np.inf, np.inf]))),
    (stats.percentileofscore, (np.where(X > 0, X, np.nan), [0.1, np.inf], "mean", "omit")),
    (stats.percentileofscore, (np.where(X > 0, X, np.nan), [0.1, np.inf])),
    (stats.percentileofscore, (np.full(3, np.nan), [0.1], "rank", "omit")),
    (stats.percentileofscore, (X[:0], [0.1, 2])),
    (stats.energy_distance, (X, Y)),
    (stats.wasserstein_distance, (X, Y)),
    (stats.wasserstein_distance, (X, X[::-1] + 1, POSITIVE, POSITIVE)),
    (stats.tiecorrect, (stats.rankdata(TIES),)),
    (stats.tiecorrect, (stats.rankdata(X),)),
    (stats.boxcox, (POSITIVE, 0.5)),
    (stats.yeojohnson, (X, 0.5)),
    (stats.probplot, (X,)),
    (stats.tukey_hsd, (X, Y)),
    (stats.page_trend_test, (ROWS,)),
    (stats.ranksums, (X, Y)),
    (stats.ranksums, (X, Y, "less")),
    (stats.ranksums, (ROWS, ROWS[::-1] + 1)),
    (stats.ks_2samp, (X, Y)),
    (stats.ks_2samp, (X, Y, "less")),
    (stats.ks_2samp, (X, Y, "two-sided", "asymp")),
    (stats.ks_2samp, (TIES, TIES[::2] + 1)),
    (stats.kstest, (X, Y)),
    (stats.ks_2samp, (X, Y), {"mode": "asymp"}),
    (stats.ecdf, (X,)),
    (stats.ecdf, (TIES,)),
    (stats.bayes_mvs, (X,)),
    *([(stats.lmoment, (X,))] if hasattr(stats, "lmoment") else []),
    (stats.logrank, (POSITIVE, POSITIVE * 2)),
    (contingency.association, (TABLE,)),
    (contingency.association, (TABLE, "pearson")),
    (contingency.chi2_contingency, (TABLE,)),
    (contingency.crosstab, (TIES, TIES[::-1])),
    (contingency.expected_freq, (TABLE,)),
    (contingency.margins, (TABLE,)),
    (qmc.scale, (POINTS, [0, 0, -1], [1, 2, 3])),
    *((qmc.discrepancy, (POINTS,), {"method": method}) for method in ("CD", "WD", "MD", "L2-star")),
    (qmc.discrepancy, (POINTS,), {"iterative": True}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS, ids=[f"{i}-{call[0].__name__}" for i, call in enumerate(CALLS)])
def test_values(call):
    function, arguments, keywords = (*call, {})[:3]
    actual, expected = function(*map(_there, arguments), **keywords), function(*arguments, **keywords)
    if "trim" in function.__name__:
        # The order within what is left is not defined.
        actual, expected = np.sort(actual, axis=0), np.sort(expected, axis=0)
    _agree(actual, expected)


@pytest.mark.parametrize("function", [stats.trim1, stats.trimboth])
def test_trimming_never_waits(function):
    assert waits(lambda: function(gpunp.asarray(X), 0.1))[1] == 0


def test_old_and_new_name_of_a_parameter():
    for x, y in ((X, Y), (gpunp.asarray(X), gpunp.asarray(Y))):
        with pytest.raises(TypeError, match="got multiple values for argument"):
            stats.ks_2samp(x, y, method="exact", mode="exact")


def test_samples_with_unknown_values():
    x = X.copy()
    x[3] = np.nan
    for policy in ("propagate", "omit"):
        expected = stats.ranksums(x, Y, nan_policy=policy)
        _agree(stats.ranksums(gpunp.asarray(x), gpunp.asarray(Y), nan_policy=policy), expected)


def test_best_transformations():
    for function, data in ((stats.boxcox, POSITIVE), (stats.yeojohnson, X)):
        _agree(function(gpunp.asarray(data)), function(data), 1e-5)
    _agree(stats.boxcox(gpunp.asarray(POSITIVE), alpha=0.1), stats.boxcox(POSITIVE, alpha=0.1), 1e-5)
    with pytest.raises(ValueError, match="positive"):
        stats.boxcox(gpunp.asarray(X))
    with pytest.raises(ValueError, match="constant"):
        stats.boxcox(gpunp.asarray(np.ones(5)))
    with pytest.raises(ValueError, match="1-dimensional"):
        stats.boxcox(gpunp.asarray(np.ones((5, 2))))
    best = stats.boxcox_normmax(gpunp.asarray(POSITIVE), method="mle")
    assert best == pytest.approx(stats.boxcox_normmax(POSITIVE, method="mle"), rel=1e-5)
    with pytest.raises(ValueError, match="not recognized"):
        stats.boxcox_normmax(gpunp.asarray(POSITIVE), method="best")
    with pytest.raises(TypeError, match="method='mle'"):
        stats.boxcox_normmax(gpunp.asarray(POSITIVE))


def test_scaling_back():
    scaled = qmc.scale(gpunp.asarray(POINTS), gpunp.asarray([0, 0, -1]), [1, 2, 3])
    _agree(qmc.scale(scaled, [0, 0, -1], [1, 2, 3], reverse=True), POINTS)
    with pytest.raises(ValueError, match="not a 2D array"):
        qmc.scale(scaled[0], 0, 1)
    with pytest.raises(ValueError, match="unit hypercube"):
        qmc.scale(scaled * 5, 0, 1)
    with pytest.raises(ValueError, match="out of bounds"):
        qmc.scale(scaled, 0, 1, reverse=True)
    with pytest.raises(ValueError, match="Bounds are not consistent"):
        qmc.scale(scaled, [1, 1, 1], [0, 0, 0])
    with pytest.raises(ValueError, match="unit hypercube"):
        qmc.discrepancy(scaled * 5)
    with pytest.raises(ValueError, match="not a valid method"):
        qmc.discrepancy(gpunp.asarray(POINTS), method="XD")
    with pytest.raises(ValueError, match="not a 2D array"):
        qmc.discrepancy(gpunp.asarray(POINTS[0]))
    for shape in ((0, 2), (2, 0)):
        with pytest.raises(ValueError, match=r"discrepancy: a sample of shape .* has no points"):
            qmc.discrepancy(gpunp.zeros(shape))


def test_distribution_functions_of_data():
    found, expected = stats.ecdf(gpunp.asarray(X)), stats.ecdf(X)
    _agree(found.cdf.quantiles, expected.cdf.quantiles)
    _agree(found.cdf.probabilities, expected.cdf.probabilities)
    _agree(found.sf.probabilities, expected.sf.probabilities)
    _agree(found.cdf.evaluate(gpunp.asarray([-0.5, 0.1])), expected.cdf.evaluate([-0.5, 0.1]))


def test_posterior_distributions():
    for ours, wanted in zip(stats.mvsdist(gpunp.asarray(X)), stats.mvsdist(X), strict=True):
        _agree([ours.mean(), ours.ppf(gpunp.asarray([0.1, 0.9]))], [wanted.mean(), wanted.ppf([0.1, 0.9])])


@pytest.mark.skipif(np.lib.NumpyVersion(scipy.__version__) < "1.18.0", reason="SciPy 1.17 takes numbers only")
def test_proportions():
    k = np.array([3.0, 7, 10])
    for alternative in ("two-sided", "less", "greater"):
        actual = stats.binomtest(gpunp.asarray(k), 10, 0.4, alternative=alternative)
        expected = stats.binomtest(k, 10, 0.4, alternative=alternative)
        _agree([actual.statistic, actual.pvalue], [expected.statistic, expected.pvalue])
        _agree(list(actual.proportion_ci(0.9)), list(expected.proportion_ci(0.9)))
        actual, expected = (
            stats.quantile_test(x, q=0.1, alternative=alternative) for x in (gpunp.asarray(X), X)
        )
        _agree([actual.statistic, actual.pvalue], [expected.statistic, expected.pvalue])
