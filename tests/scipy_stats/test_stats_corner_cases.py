"""Samples with NaN, of mixed kinds or of several dtypes, and infinite complex quantiles."""

import warnings

import numpy as np
import pytest
import scipy
from scipy import spatial, stats

import gpunp

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
