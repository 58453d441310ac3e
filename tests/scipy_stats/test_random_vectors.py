"""Random vectors and matrices of multivariate distributions on a device."""

import numpy as np
import pytest
from scipy import stats

import gpunp

SCALE = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.4], [0.1, -0.4, 1.5]])
SPREADS = SCALE[:2, :2], SCALE
MEAN = np.array([1.0, -2.0, 0.5])
UP = np.eye(5)[0]
# The parameters, and the shape of one variate.
DRAWS = {
    "dirichlet": ((np.array([2.0, 3.0, 1.0]),), (3,)),
    "invwishart": ((12, SCALE), (3, 3)),
    "matrix_normal": ((np.ones((2, 3)), *SPREADS), (2, 3)),
    "matrix_t": ((np.ones((2, 3)), *SPREADS, 9), (2, 3)),
    "multinomial": ((10, np.array([0.2, 0.3, 0.5])), (3,)),
    "multivariate_hypergeom": ((np.array([5, 6, 7]), 6), (3,)),
    "multivariate_normal": ((MEAN, SCALE), (3,)),
    "multivariate_t": ((MEAN, SCALE, 12), (3,)),
    "ortho_group": ((3,), (3, 3)),
    "special_ortho_group": ((3,), (3, 3)),
    "uniform_direction": ((3,), (3,)),
    "unitary_group": ((2,), (2, 2)),
    "vonmises_fisher": ((UP, 3.0), (5,)),
    "wishart": ((6, SCALE), (3, 3)),
}
NAMES = [name for name in DRAWS if hasattr(stats, name)]
COUNT = 20_000


def _generator(device=None):
    return gpunp.random.default_rng(5, device=device)


def _summary(values):
    """Means, and means of products of the first component with all."""
    flat = values.reshape(len(values), -1)
    return np.concatenate([flat.mean(axis=0), (flat * flat[:, :1].conj()).mean(axis=0)])


@pytest.mark.parametrize("name", NAMES)
def test_moments(device, name):
    parameters, shape = DRAWS[name]
    distribution = getattr(stats, name)
    size = (COUNT,) if name == "vonmises_fisher" else COUNT
    found = distribution.rvs(*parameters, size=size, random_state=_generator(device))
    assert isinstance(found, gpunp.ndarray)
    assert found.device == device
    assert found.shape == (COUNT, *shape)
    expected = distribution.rvs(*parameters, size=size, random_state=np.random.default_rng(6))
    assert found.dtype.kind == expected.dtype.kind
    found = gpunp.asnumpy(found)
    spread = 7 * max(1.0, float(np.abs(expected).std()) ** 2) * np.sqrt(2 / COUNT)
    np.testing.assert_allclose(_summary(found), _summary(expected), atol=spread, rtol=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_frozen_and_one(device, name):
    parameters, shape = DRAWS[name]
    frozen = getattr(stats, name)(*parameters)
    found = frozen.rvs(size=7, random_state=_generator(device))
    assert isinstance(found, gpunp.ndarray)
    assert found.shape == (7, *shape)
    again = frozen.rvs(size=7, random_state=_generator(device))
    assert (found == again).all()
    # One variate, and a generator of the host for distributions whose parameters are there.
    assert frozen.rvs(size=1, random_state=_generator(device)).size == np.prod(shape)
    assert isinstance(frozen.rvs(size=7, random_state=1), np.ndarray)


def test_parameters_on_the_device(device):
    mean, covariance = (gpunp.asarray(each, device=device) for each in (MEAN, SCALE))
    draw = stats.multivariate_normal.rvs
    found = draw(mean, covariance, size=4, random_state=np.random.default_rng(1))
    assert found.device == device
    assert (found == draw(mean, covariance, size=4, random_state=np.random.default_rng(1))).all()
    frozen = stats.multivariate_normal(mean, covariance)
    points = MEAN + np.linspace(-1, 1, 5)[:, None]
    expected = stats.multivariate_normal(MEAN, SCALE).pdf(points)
    np.testing.assert_allclose(gpunp.asnumpy(frozen.pdf(gpunp.asarray(points))), expected, rtol=1e-12)
    alpha = np.array([1.0, 2, 3])
    for name in ("mean", "var", "cov", "entropy"):
        found = getattr(stats.dirichlet, name)(gpunp.asarray(alpha, device=device))
        assert found.device == device
        np.testing.assert_allclose(gpunp.asnumpy(found), getattr(stats.dirichlet, name)(alpha), rtol=1e-14)
    assert stats.multivariate_normal.marginal([0, 2], mean, covariance).mean.tolist() == [1.0, 0.5]


def test_orthogonal_matrices(device):
    for name in ("ortho_group", "special_ortho_group", "unitary_group"):
        found = gpunp.asnumpy(getattr(stats, name).rvs(4, size=9, random_state=_generator(device)))
        products = found @ np.swapaxes(found, 1, 2).conj()
        np.testing.assert_allclose(products, np.broadcast_to(np.eye(4), products.shape), atol=1e-13)
        if name == "special_ortho_group":
            np.testing.assert_allclose(np.linalg.det(found), 1, atol=1e-13)


def test_normal_inverse_gamma(device):
    if not hasattr(stats, "normal_inverse_gamma"):
        pytest.skip("this SciPy has no such distribution")
    x, variance = stats.normal_inverse_gamma.rvs(1, 2, 6, 4, size=COUNT, random_state=_generator(device))
    expected = stats.normal_inverse_gamma.mean(1, 2, 6, 4)
    np.testing.assert_allclose([float(x.mean()), float(variance.mean())], expected, rtol=0.03)
    x, variance = stats.normal_inverse_gamma(1, 2, 6, 4).rvs(random_state=_generator(device))
    assert x.shape == variance.shape == ()


def test_errors(device):
    with pytest.raises(ValueError, match=r"multinomial\.rvs|pvals"):
        stats.multinomial.rvs(5, [1.5, -0.5], random_state=_generator(device))
    with pytest.raises(ValueError, match="Dimension"):
        stats.ortho_group.rvs(-1, random_state=_generator(device))
    with pytest.raises(ValueError, match="cannot be used to seed"):
        stats.multivariate_normal.rvs(MEAN, SCALE, random_state="seed")
    with pytest.raises(TypeError, match=r"scipy\.stats\.random_correlation\.rvs: it makes one table"):
        stats.random_correlation.rvs(gpunp.asarray([0.5, 1.5]))


def test_fits(device):
    points = np.random.default_rng(2).normal(size=(50, 3))
    there = gpunp.asarray(points, device=device)
    for keywords in ({}, {"fix_mean": MEAN}, {"fix_cov": SCALE}):
        expected = stats.multivariate_normal.fit(points, **keywords)
        found = stats.multivariate_normal.fit(there, **keywords)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(gpunp.asnumpy(one), other, rtol=1e-12, atol=1e-15)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    mu, kappa = stats.vonmises_fisher.fit(gpunp.asarray(unit, device=device))
    expected_mu, expected_kappa = stats.vonmises_fisher.fit(unit)
    np.testing.assert_allclose(gpunp.asnumpy(mu), expected_mu, rtol=1e-12)
    assert float(kappa) == pytest.approx(expected_kappa, rel=1e-9)
