"""Samples with NaN, of mixed kinds or of several dtypes, and infinite complex quantiles."""

import warnings

import numpy as np
import pytest
import scipy
from scipy import spatial, stats

import gpunp

OLDER = np.lib.NumpyVersion(scipy.__version__) < "1.18.0"
X = np.random.default_rng(0).normal(size=20)
INFINITE = np.array([1 + 1j, np.nan, complex(np.inf, 1), complex(1, np.inf), complex(np.nan, 1)])


@pytest.mark.parametrize("method", ["pdf", "cdf", "logpdf", "sf"])
@pytest.mark.parametrize("name", ["norm", "expon", "laplace"])
def test_infinite_complex_quantiles(name, method):
    with np.errstate(all="ignore"):
        expected = getattr(getattr(stats, name), method)(INFINITE)
    found = getattr(getattr(stats, name), method)(gpunp.asarray(INFINITE)).get()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("first", [np.asarray, list, gpunp.asarray])
def test_samples_of_mixed_kinds(first):
    samples = [X[:4], X[4:12] + 0.5, X[12:]]
    with warnings.catch_warnings():
        # Of p-values beyond the table, and of a parameter whose default will change.
        warnings.simplefilter("ignore")
        expected = stats.anderson_ksamp(samples)
        found = stats.anderson_ksamp([first(samples[0]), *map(gpunp.asarray, samples[1:])])
    np.testing.assert_allclose(gpunp.asnumpy(found.statistic), expected.statistic)


@pytest.mark.skipif(
    np.lib.NumpyVersion(scipy.__version__) < "1.18.0", reason="SciPy 1.17 refuses missing values"
)
@pytest.mark.parametrize("char", "fd")
def test_power_transforms_of_missing_values(char):
    data = np.array([1, np.nan, 2, 3], char)
    expected, found = stats.yeojohnson_normmax(data), stats.yeojohnson_normmax(gpunp.asarray(data))
    assert found.dtype == expected.dtype
    assert np.isnan(float(found))
    values, parameter = stats.yeojohnson(gpunp.asarray(data))
    assert np.isnan(gpunp.asnumpy(values)).all()
    assert np.isnan(float(parameter))


@pytest.mark.parametrize("per", [[10, 20], np.array([10.0, 50.0, 100.0]), 30])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_scores_at_percentages(per, axis):
    data = X.reshape(4, 5)
    data = data.ravel() if axis is None else data
    expected = stats.scoreatpercentile(data, per, axis=axis)
    for percentages in (per, gpunp.asarray(per)):
        found = stats.scoreatpercentile(gpunp.asarray(data), percentages, axis=axis)
        np.testing.assert_allclose(gpunp.asnumpy(found), expected)


def test_distances_of_complex_vectors():
    points = np.arange(6).reshape(2, 3) * (1 + 1j)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        expected = spatial.distance_matrix(points, points[::-1])
        found = spatial.distance_matrix(gpunp.asarray(points), gpunp.asarray(points[::-1]))
    np.testing.assert_allclose(found.get(), expected)


def _same(found, expected):
    for name in ("statistic", "pvalue"):
        one, other = gpunp.asnumpy(getattr(found, name)), np.asarray(getattr(expected, name))
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=1e-6 if other.dtype == "f4" else 1e-10)


STACK = np.random.default_rng(1).normal(size=(2, 3, 8))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_signed_ranks_of_a_stack(method, alternative):
    keywords = {"method": method, "alternative": alternative, "axis": -1}
    _same(stats.wilcoxon(gpunp.asarray(STACK), **keywords), stats.wilcoxon(STACK, **keywords))


@pytest.mark.skipif(OLDER, reason="this SciPy's ansari is for host arrays")
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_scales_of_a_stack(alternative):
    x, y = STACK[0], 1.5 * STACK[1]
    there = gpunp.asarray(x), gpunp.asarray(y)
    _same(stats.ansari(*there, alternative, axis=1), stats.ansari(x, y, alternative, axis=1))


def test_rank_sums_of_single_precision():
    x, y = STACK[0, 0].astype("f4"), STACK[1, 0].astype("f4")
    _same(stats.ranksums(gpunp.asarray(x), gpunp.asarray(y)), stats.ranksums(x, y))


@pytest.mark.parametrize("method", ["scott", "silverman"])
def test_marginal_densities(method):
    data, weights = STACK[:, 0], np.arange(1.0, 9)
    found = stats.gaussian_kde(gpunp.asarray(data), method, gpunp.asarray(weights)).marginal([1])
    expected = stats.gaussian_kde(data, method, weights).marginal([1])
    np.testing.assert_allclose(found(gpunp.asarray(X)).get(), expected(X), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("statistic", ["mean", "median", "count", "sum", "std", "min", "max"])
def test_bins_of_nothing(statistic):
    nothing = np.zeros(0)
    with np.errstate(all="ignore"):
        expected = stats.binned_statistic(nothing, nothing, statistic, 3, range=(-1, 1))
    there = gpunp.asarray(nothing)
    found = stats.binned_statistic(there, there, statistic, 3, range=(-1, 1))
    np.testing.assert_array_equal(found.statistic.get(), expected.statistic)
    with pytest.raises(ValueError, match="zero-size array"):
        stats.binned_statistic(there, there, statistic)


@pytest.mark.skipif(OLDER, reason="this SciPy has no such parameter")
@pytest.mark.parametrize("name", ["boxcox_llf", "yeojohnson_llf"])
def test_likelihoods_without_missing_values(name):
    data = np.abs(STACK[0]) + 0.1
    data[0, 0] = np.nan
    function = getattr(stats, name)
    found = function(0.5, gpunp.asarray(data), axis=1, nan_policy="omit").get()
    np.testing.assert_allclose(found, function(0.5, data, axis=1, nan_policy="omit"), rtol=1e-12)
    with pytest.raises(ValueError, match="nan_policy must be"):
        function(0.5, gpunp.asarray(data), nan_policy="none")
