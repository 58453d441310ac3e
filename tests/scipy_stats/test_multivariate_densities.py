"""Densities of multivariate distributions at points on a device agree with SciPy's on the host."""

import numpy as np
import pytest
from records import settled
from scipy import stats

import gpunp

RNG = np.random.default_rng(31)
COVARIANCE = np.array([[2.0, 0.3], [0.3, 1.0]])
POINTS = RNG.normal(size=(7, 2))
UNIT = POINTS / np.linalg.norm(POINTS, axis=1, keepdims=True)
ALPHA = np.array([2.0, 3, 4])
SIMPLEX = RNG.dirichlet(ALPHA, 5).T
COUNTS = RNG.multinomial(10, [0.2, 0.3, 0.5], size=4)
# Along the last axis, as SciPy has them.
POSITIVE = np.stack([COVARIANCE + k * np.eye(2) for k in range(4)], axis=-1)
DENSITIES = {
    "multivariate_normal": (POINTS, ([1.0, 0], COVARIANCE)),
    "multivariate_t": (POINTS, ([1.0, 0], COVARIANCE, 3)),
    "dirichlet": (SIMPLEX, (ALPHA,)),
    "vonmises_fisher": (UNIT, (np.array([1.0, 0]), 2.0)),
    "matrix_normal": (RNG.normal(size=(5, 2, 2)), (None, COVARIANCE, COVARIANCE)),
    "matrix_t": (RNG.normal(size=(5, 2, 2)), (np.zeros((2, 2)), COVARIANCE, COVARIANCE, 4)),
    "wishart": (POSITIVE, (5, COVARIANCE)),
    "invwishart": (POSITIVE, (5, COVARIANCE)),
}
DENSITIES = {name: each for name, each in DENSITIES.items() if hasattr(stats, name)}
MASSES = {
    "multinomial": (COUNTS, (10, [0.2, 0.3, 0.5])),
    "dirichlet_multinomial": (COUNTS, (ALPHA, 10)),
    "multivariate_hypergeom": (np.array([[4, 3, 3], [1, 5, 4], [9, 9, 9]]), ([10, 8, 6], 10)),
}


FROZEN_GAMMA = stats.normal_inverse_gamma(1, 2.0, 3, 4) if hasattr(stats, "normal_inverse_gamma") else None


def _agree(actual, expected):
    assert isinstance(actual, gpunp.ndarray)
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=1e-10)


def _there(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("name", [*DENSITIES, *MASSES])
def test_values(name):
    points, parameters = (DENSITIES | MASSES)[name]
    distribution = getattr(stats, name)
    for method in ("pdf", "logpdf") if name in DENSITIES else ("pmf", "logpmf"):
        expected = getattr(distribution, method)(points, *parameters)
        _agree(getattr(distribution, method)(gpunp.asarray(points), *parameters), expected)
        _agree(getattr(distribution, method)(gpunp.asarray(points), *map(_there, parameters)), expected)
        _agree(getattr(distribution(*parameters), method)(gpunp.asarray(points)), expected)


def test_normal():
    one = np.linspace(-1, 1, 5)
    _agree(stats.multivariate_normal.pdf(gpunp.asarray(one)), stats.multivariate_normal.pdf(one))
    point = np.array([0.5, 1])
    actual = stats.multivariate_normal.logpdf(gpunp.asarray(point), cov=COVARIANCE)
    _agree(actual, stats.multivariate_normal.logpdf(point, cov=COVARIANCE))
    singular = np.array([[1.0, 1], [1, 1]])
    points = np.array([[1.0, 1], [1, 2]])
    for method in ("pdf", "logpdf"):
        call = getattr(stats.multivariate_normal, method)
        actual = call(gpunp.asarray(points), cov=singular, allow_singular=True)
        _agree(actual, call(points, cov=singular, allow_singular=True))
    with pytest.raises(np.linalg.LinAlgError):
        stats.multivariate_normal.pdf(gpunp.asarray(points), cov=singular)


@pytest.mark.parametrize("form", ["cholesky", "diagonal", "eigendecomposition", "precision"])
def test_covariances(form):
    arguments = {
        "cholesky": np.linalg.cholesky(COVARIANCE),
        "diagonal": np.array([1.0, 2]),
        "eigendecomposition": tuple(np.linalg.eigh(COVARIANCE)),
        "precision": np.linalg.inv(COVARIANCE),
    }
    covariance = getattr(stats.Covariance, f"from_{form}")(arguments[form])
    for method in ("whiten", "colorize"):
        _agree(getattr(covariance, method)(gpunp.asarray(POINTS)), getattr(covariance, method)(POINTS))
    expected = stats.multivariate_normal.logpdf(POINTS, cov=covariance)
    _agree(stats.multivariate_normal.logpdf(gpunp.asarray(POINTS), cov=covariance), expected)


@pytest.mark.parametrize("name", ["wishart", "invwishart"])
def test_matrices_of_one_number(name):
    points, distribution = np.linspace(0.1, 4, 6), getattr(stats, name)
    _agree(distribution.logpdf(gpunp.asarray(points), 4, 1.5), distribution.logpdf(points, 4, 1.5))
    with pytest.raises(np.linalg.LinAlgError):
        settled(distribution.pdf(gpunp.asarray([[1.0, 2.0], [2.0, 1.0]]), 4, COVARIANCE))


@pytest.mark.skipif(not hasattr(stats, "normal_inverse_gamma"), reason="this SciPy has no such distribution")
def test_normal_inverse_gamma():
    x, variance = POINTS[:, 0], POINTS[:, 1] - 0.1
    a = np.linspace(-1, 5, 7)
    for method in ("pdf", "logpdf"):
        call, frozen = (getattr(each, method) for each in (stats.normal_inverse_gamma, FROZEN_GAMMA))
        actual = call(gpunp.asarray(x), gpunp.asarray(variance), 1, 2, gpunp.asarray(a), b=3)
        _agree(actual, call(x, variance, 1, 2, a, b=3))
        _agree(frozen(gpunp.asarray(x), gpunp.asarray(variance)), frozen(x, variance))


def test_parameters_that_are_completed():
    call = stats.multivariate_normal.pdf
    _agree(call(gpunp.asarray(POINTS), mean=[1.0, 2], cov=2), call(POINTS, mean=[1.0, 2], cov=2))
    _agree(call(gpunp.asarray(POINTS), [0, 1], [1.0, 2]), call(POINTS, [0, 1], [1.0, 2]))
    # The last component follows from the others.
    _agree(stats.dirichlet.pdf(gpunp.asarray(SIMPLEX[:-1]), ALPHA), stats.dirichlet.pdf(SIMPLEX[:-1], ALPHA))


def test_errors():
    with pytest.raises(ValueError, match="simplex"):
        stats.dirichlet.pdf(gpunp.asarray([0.2, 0.2, 0.2]), ALPHA)
    with pytest.raises(ValueError, match="broadcast"):
        stats.multivariate_normal.pdf(gpunp.asarray(POINTS), mean=[1.0, 2, 3], cov=np.eye(3))
