import numpy as np
import pytest
from scipy import stats

import gpunp
from gpunp import random


def rng(seed=1):
    return random.default_rng(seed)


@pytest.mark.parametrize("on_device", [False, True])
def test_multinomial(on_device):
    p = np.array([0.2, 0.3, 0.5])
    given = gpunp.asarray(p) if on_device else p
    counts = gpunp.asnumpy(rng().multinomial(20, given, 20_000))
    assert counts.dtype == np.int64
    assert (counts.sum(axis=1) == 20).all()
    np.testing.assert_allclose(counts.mean(axis=0), 20 * p, atol=0.1)
    np.testing.assert_allclose(np.cov(counts.T), 20 * (np.diag(p) - np.outer(p, p)), atol=0.2)
    assert rng().multinomial(20, given).shape == (3,)
    assert rng().multinomial(20, given, (2, 4)).shape == (2, 4, 3)
    assert rng().multinomial(20, given, 0).shape == (0, 3)


def test_multinomial_broadcasts():
    n = np.array([5, 60])
    rows = rng().multinomial(n, [[0.5, 0.5], [0.1, 0.9]], (1000, 2))
    rows = gpunp.asnumpy(rows)
    assert (rows.sum(axis=-1) == n).all()
    np.testing.assert_allclose(rows.mean(axis=0), [[2.5, 2.5], [6, 54]], atol=0.4)
    assert rng().multinomial(gpunp.asarray(n)[:, None], [[0.5, 0.5], [0.1, 0.9]]).shape == (2, 2, 2)
    assert gpunp.asnumpy(rng().multinomial(7, [1.0])).tolist() == [7]
    assert gpunp.asnumpy(rng().multinomial(7, [0.0, 1.0, 0.0])).tolist() == [0, 7, 0]


def test_multivariate_hypergeometric():
    colors = [30, 40, 50]
    expected = stats.multivariate_hypergeom(colors, 60)
    for method in ("marginals", "count"):
        for given in (colors, gpunp.asarray(colors)):
            counts = gpunp.asnumpy(rng().multivariate_hypergeometric(given, 60, 20_000, method))
            assert (counts.sum(axis=1) == 60).all()
            np.testing.assert_allclose(counts.mean(axis=0), expected.mean(), atol=0.1)
            np.testing.assert_allclose(np.cov(counts.T), expected.cov(), atol=0.3)
    assert gpunp.asnumpy(rng().multivariate_hypergeometric([3, 0, 4], 7)).tolist() == [3, 0, 4]
    assert gpunp.asnumpy(rng().multivariate_hypergeometric([3, 4], 0, 2)).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("alpha", [(1.0, 2.0, 3.0), (0.3, 5.0, 0.7)])
def test_dirichlet(alpha):
    for given in (alpha, gpunp.asarray(alpha)):
        rows = gpunp.asnumpy(rng(3).dirichlet(given, 20_000))
        np.testing.assert_allclose(rows.sum(axis=1), 1)
        for i, a in enumerate(alpha):
            assert stats.kstest(rows[:, i], stats.beta(a, sum(alpha) - a).cdf).pvalue > 1e-4


def test_dirichlet_of_small_concentrations():
    alpha = (0.02, 0.05, 0.03)
    rows = gpunp.asnumpy(rng().dirichlet(alpha, 20_000))
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    reference = np.random.default_rng(1).dirichlet(alpha, 20_000)
    for i in range(3):
        assert stats.ks_2samp(rows[:, i], reference[:, i]).pvalue > 1e-4
    assert gpunp.asnumpy(rng().dirichlet([0.0, 1.0])).tolist() == [0.0, 1.0]
    assert gpunp.asnumpy(rng().dirichlet([0.0, 0.05])).tolist() == [0.0, 1.0]
    assert rng().dirichlet([]).shape == (0,)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method):
    mean, cov = [1.0, -2.0, 3.0], np.array([[2, 0.5, 0], [0.5, 1, 0.3], [0, 0.3, 0.7]])
    values = gpunp.asnumpy(rng().multivariate_normal(mean, cov, 40_000, method=method))
    np.testing.assert_allclose(values.mean(axis=0), mean, atol=0.05)
    np.testing.assert_allclose(np.cov(values.T), cov, atol=0.05)
    assert rng().multivariate_normal(mean, cov, (2, 3)).shape == (2, 3, 3)
    assert rng().multivariate_normal(gpunp.asarray(mean), cov).shape == (3,)


def test_multivariate_normal_of_a_singular_covariance():
    values = gpunp.asnumpy(rng().multivariate_normal([0, 0], [[1, 1], [1, 1]], 1000))
    np.testing.assert_allclose(values[:, 0], values[:, 1], atol=1e-6)
    with pytest.warns(RuntimeWarning, match="positive-semidefinite"):
        rng().multivariate_normal([0, 0], [[1, 0], [0, -1]])
    with pytest.raises(np.linalg.LinAlgError):
        rng().multivariate_normal([0, 0], [[1, 0], [0, -1]], method="cholesky")


ERRORS = [
    ("multinomial", (5, [0.5, 0.6, 0.1]), {}),
    ("multinomial", (-1, [0.5, 0.5]), {}),
    ("multinomial", (5, [0.5, -0.1, 0.6]), {}),
    ("multinomial", (5, []), {}),
    ("multinomial", ([5, 6], [0.5, 0.5]), {"size": 3}),
    ("dirichlet", ([-1, 1],), {}),
    ("dirichlet", ([[1, 2]],), {}),
    ("multivariate_hypergeometric", ([1, 2], 4), {}),
    ("multivariate_hypergeometric", ([-1, 2], 1), {}),
    ("multivariate_hypergeometric", ([1, 2], -1), {}),
    ("multivariate_hypergeometric", ([1, 2], 1), {"method": "x"}),
    ("multivariate_hypergeometric", ([[1, 2]], 1), {}),
    ("multivariate_hypergeometric", ([10**9, 2], 1), {}),
    ("multivariate_normal", ([0, 0], [[1, 0], [0, -1]]), {"check_valid": "raise"}),
    ("multivariate_normal", ([0, 0], [[1, 0]]), {}),
    ("multivariate_normal", ([[0]], [[1]]), {}),
    ("multivariate_normal", ([0, 0], [[1, 0], [0, 1]]), {"method": "x"}),
    ("multivariate_normal", ([0, 0], [[1, 0], [0, 1]]), {"check_valid": "x"}),
    ("multivariate_normal", ([0], [[1, 0], [0, 1]]), {}),
]


@pytest.mark.parametrize(("name", "args", "options"), ERRORS, ids=str)
def test_errors_are_those_of_numpy(name, args, options):
    with pytest.raises((ValueError, TypeError)) as expected:
        getattr(np.random.default_rng(1), name)(*args, **options)
    with pytest.raises(expected.type) as actual:
        getattr(rng(), name)(*args, **options)
    text = str(expected.value)
    if "mismatch" not in text and "setting an array" not in text and "pvals[" not in text:
        assert str(actual.value) == text


@pytest.mark.parametrize("make", [np.asarray, gpunp.asarray])
def test_complex_parameters_are_refused(make):
    for mean, cov in (([1j, 0], np.eye(2)), ([0, 0], 1j * np.eye(2))):
        with pytest.raises(TypeError, match="must not be complex"):
            random.default_rng(1).multivariate_normal(make(mean), make(cov))
