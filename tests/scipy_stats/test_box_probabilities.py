"""Probabilities of boxes under multivariate normal and t distributions (their ``cdf``)."""

import numpy as np
import pytest
from scipy import stats

import gpunp

RNG = np.random.default_rng(17)
HALF = RNG.normal(size=(4, 4))
COVARIANCE = HALF @ HALF.T + np.eye(4)
MEAN = RNG.normal(size=4)
POINTS = RNG.normal(size=(6, 4)) * 2
INF = np.inf
# Correlations in both branches of the formula, their ends, and beside them.
CORRELATIONS = (0.0, 0.5, -0.5, 0.92, 0.93, -0.93, 0.9999, -0.9999, 1.0, -1.0)


def _points(n):
    edges = [[INF] * n, [-INF] * n, [INF] * (n - 1) + [0.3], [0.3] + [-INF] * (n - 1), [np.nan] * n]
    return np.concatenate([POINTS[:, :n], edges])


def _agree(actual, expected, tolerance):
    assert isinstance(actual, gpunp.ndarray)
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=0, atol=tolerance)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_two_variables(device, correlation):
    covariance = np.array([[1.0, 2 * correlation], [2 * correlation, 4.0]])
    x, lower = _points(2)[:-1], POINTS[::-1, 2:]
    keywords = {"mean": MEAN[:2], "cov": covariance, "allow_singular": True}
    cdf = stats.multivariate_normal.cdf
    _agree(cdf(gpunp.asarray(x, device=device), **keywords), cdf(x, **keywords), 1e-14)
    there = gpunp.asarray(POINTS[:, :2], device=device)
    # Limits in descending order change the sign.
    _agree(
        cdf(there, **keywords, lower_limit=lower), cdf(POINTS[:, :2], **keywords, lower_limit=lower), 1e-14
    )


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("n", [1, 3, 4])
def test_more_variables(device, n):
    x, parameters = _points(n)[:-1], (MEAN[:n], COVARIANCE[:n, :n])
    frozen = stats.multivariate_normal(*parameters)
    there = gpunp.asarray(x, device=device)
    expected = stats.multivariate_normal.cdf(x, *parameters, rng=np.random.default_rng(1))
    _agree(stats.multivariate_normal.cdf(there, *parameters), expected, 2e-5)
    _agree(frozen.cdf(there, rng=np.random.default_rng(2)), expected, 2e-5)
    with np.errstate(divide="ignore"):
        expected = np.log(expected)
    np.testing.assert_allclose(gpunp.asnumpy(frozen.logcdf(there[:6])), expected[:6], atol=0.02)
    lower = gpunp.asarray(POINTS[::-1, :n], device=device)
    expected = stats.multivariate_normal.cdf(POINTS[:, :n], *parameters, lower_limit=POINTS[::-1, :n])
    _agree(frozen.cdf(there[:6], lower_limit=lower), expected, 2e-5)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_t(device, n):
    x, parameters = POINTS[:, :n], (MEAN[:n], COVARIANCE[:n, :n], 3)
    expected = stats.multivariate_t.cdf(x, *parameters, maxpts=100_000, random_state=1)
    there = gpunp.asarray(x, device=device)
    _agree(stats.multivariate_t.cdf(there, *parameters, maxpts=50_000, random_state=2), expected, 3e-4)
    frozen = stats.multivariate_t(*parameters)
    _agree(frozen.cdf(there, maxpts=50_000, random_state=2), expected, 3e-4)
    normal = stats.multivariate_t.cdf(there, *parameters[:2], np.inf)
    _agree(normal, stats.multivariate_normal.cdf(x, *parameters[:2]), 2e-5)


def test_t_of_few_degrees_of_freedom(device):
    # SciPy's values are for one degree of freedom then, those of its distribution of one variable are not.
    points = np.linspace(-2, 3, 7)
    found = stats.multivariate_t.cdf(
        gpunp.asarray(points, device=device), 0, 1, 0.4, maxpts=50_000, random_state=1
    )
    _agree(found, stats.t.cdf(points, 0.4), 1e-3)


def test_variables_that_others_determine(device):
    covariance = np.array([[1, 0.5, 1.5], [0.5, 1, 1.5], [1.5, 1.5, 3]])
    x = POINTS[:, :3]
    expected = stats.multivariate_normal.cdf(x, cov=covariance, allow_singular=True)
    found = stats.multivariate_normal.cdf(
        gpunp.asarray(x, device=device), cov=covariance, allow_singular=True
    )
    _agree(found, expected, 3e-5)
    with pytest.raises(np.linalg.LinAlgError):
        stats.multivariate_normal.cdf(gpunp.asarray(x, device=device), cov=covariance)


def test_shapes(device):
    grid = gpunp.asarray(RNG.normal(size=(2, 3, 2)), device=device)
    found = stats.multivariate_normal.cdf(grid, cov=COVARIANCE[:2, :2])
    _agree(found, stats.multivariate_normal.cdf(gpunp.asnumpy(grid), cov=COVARIANCE[:2, :2]), 1e-14)
    one = stats.multivariate_normal.cdf(grid[0, 0], cov=COVARIANCE[:2, :2])
    assert one.shape == ()
    unknown = stats.multivariate_normal.cdf(gpunp.asarray([[np.nan, 0, 0]]), cov=np.eye(3))
    assert np.isnan(gpunp.asnumpy(unknown))
