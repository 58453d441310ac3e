"""Kernel density estimates agree with SciPy's on the host."""

import numpy as np
import pytest
from scipy import stats
from waiting import waits

import gpunp
from gpunp_scipy.stats import densities

RNG = np.random.default_rng(9)
DATA = RNG.normal(size=(3, 60))
POINTS = RNG.normal(size=(3, 17))


def _agree(actual, expected, tolerance=1e-10):
    assert actual.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=tolerance)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_densities(dimensions, weighted, device):
    data, points = DATA[:dimensions], POINTS[:dimensions]
    weights = np.arange(1.0, 61) if weighted else None
    on_host = stats.gaussian_kde(data, weights=weights)
    there = stats.gaussian_kde(
        gpunp.asarray(data), weights=None if weights is None else gpunp.asarray(weights)
    )
    assert isinstance(there, stats.gaussian_kde)
    for name in ("evaluate", "__call__", "pdf", "logpdf"):
        actual, count = waits(lambda name=name: getattr(there, name)(gpunp.asarray(points)))
        # On the CPU device SciPy solves the triangular system on the memory of the arrays.
        assert count == 0 or (dimensions > 1 and device.is_cpu)
        _agree(actual, getattr(on_host, name)(points))
        _agree(getattr(there, name)(points), getattr(on_host, name)(points))
        _agree(getattr(on_host, name)(gpunp.asarray(points)), getattr(on_host, name)(points))
    far = points + 100
    _agree(there.logpdf(gpunp.asarray(far)), on_host.logpdf(far))
    for name in ("covariance", "inv_cov", "cho_cov", "dataset", "weights"):
        _agree(getattr(there, name), getattr(on_host, name), 1e-9)
    assert float(there.neff) == pytest.approx(on_host.neff)
    assert float(there.factor) == pytest.approx(on_host.factor)
    assert float(there.log_det) == pytest.approx(on_host.log_det)


def _many(kind):
    """Data of one coordinate for which expansions are used: some neighbors, and what is in few leaves."""
    n = densities._MANY + 37
    return {
        "normal": RNG.normal(size=n) * 3 + 100,
        "far apart": RNG.standard_cauchy(size=n) * 1e3,
        "few values": RNG.integers(0, 5, n).astype(float),
        "exponents": 10.0 ** RNG.uniform(-3, 3, n),
    }[kind]


@pytest.mark.parametrize("kind", ["normal", "far apart", "few values", "exponents"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_data_on_a_line(kind, weighted):
    data = _many(kind)
    weights, on_host = None, stats.gaussian_kde(data, 0.02)
    if weighted:
        weights = RNG.uniform(0, 2, data.size)
        weights[::5] = 0
        # SciPy's logarithms with weights that are zero are NaN.
        on_host = stats.gaussian_kde(data[weights > 0], 0.02, weights[weights > 0])
    there = stats.gaussian_kde(gpunp.asarray(data), 0.02, weights)
    spread = float(np.sqrt(on_host.covariance[0, 0]))
    # Beside data, and up to 38 deviations away: there densities are subnormal.
    points = data[:300] + RNG.normal(size=300) * spread * 0.3
    points = np.concatenate([points, data.max() + spread * np.array([3, 20, 37.0])])
    expected = on_host(points)
    np.testing.assert_allclose(gpunp.asnumpy(there(points)), expected, rtol=1e-11, atol=1e-305)
    far = np.concatenate([points, [data.min() - 1e3 * spread]])
    expected = on_host.logpdf(far)
    np.testing.assert_allclose(gpunp.asnumpy(there.logpdf(far)), expected, rtol=1e-11, atol=1e-11)
    # SciPy refuses such points.
    strange = [np.nan, np.inf, -np.inf]
    np.testing.assert_array_equal(gpunp.asnumpy(there(strange)), [np.nan, 0, 0])
    np.testing.assert_array_equal(gpunp.asnumpy(there.logpdf(strange)), [np.nan, -np.inf, -np.inf])


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 7])
def test_many_pairs(dimensions):
    # Several blocks of points and of data, neither of which fills its last one.
    data, points = RNG.normal(size=(dimensions, 1100)), RNG.normal(size=(dimensions, 2100))
    weights = RNG.uniform(0.5, 2, 1100)
    for each in (None, weights):
        on_host, there = (
            stats.gaussian_kde(data, weights=each),
            stats.gaussian_kde(gpunp.asarray(data), None, each),
        )
        for name in ("evaluate", "logpdf"):
            _agree(getattr(there, name)(points), getattr(on_host, name)(points))


def test_no_points_and_points_without_density():
    there = stats.gaussian_kde(gpunp.asarray(DATA[:2]))
    assert there(gpunp.zeros((2, 0))).shape == there.logpdf(gpunp.zeros((2, 0))).shape == (0,)
    strange = np.array([[np.nan, 0, 1e3], [0, np.nan, 0]])
    np.testing.assert_array_equal(gpunp.asnumpy(there(strange)), [np.nan, np.nan, 0])
    found = gpunp.asnumpy(there.logpdf(strange))
    assert np.isnan(found[:2]).all()
    assert found[2] == pytest.approx(stats.gaussian_kde(DATA[:2]).logpdf([[1e3], [0]])[0])


@pytest.mark.parametrize("method", [None, "scott", "silverman", 0.3, lambda kde: 0.5])
def test_bandwidths(method):
    on_host = stats.gaussian_kde(DATA[0], bw_method=method)
    there = stats.gaussian_kde(gpunp.asarray(DATA[0]), bw_method=method)
    _agree(there(POINTS[0]), on_host(POINTS[0]))
    there.set_bandwidth(0.25)
    on_host.set_bandwidth(0.25)
    _agree(there(POINTS[0]), on_host(POINTS[0]))


def test_integrals():
    on_host, there = stats.gaussian_kde(DATA[0]), stats.gaussian_kde(gpunp.asarray(DATA[0]))
    _agree(there.integrate_box_1d(-1, 0.5), on_host.integrate_box_1d(-1, 0.5))
    _agree(there.integrate_box_1d(-np.inf, gpunp.asarray(0.5)), on_host.integrate_box_1d(-np.inf, 0.5))
    _agree(there.integrate_box([-1], [0.5]), on_host.integrate_box([-1], [0.5]), 1e-6)
    mean, cov = np.zeros(2), np.array([[1.0, 0.25], [0.25, 2]])
    on_host, there = stats.gaussian_kde(DATA[:2]), stats.gaussian_kde(gpunp.asarray(DATA[:2]))
    _agree(there.integrate_gaussian(mean, cov), on_host.integrate_gaussian(mean, cov))
    other = stats.gaussian_kde(POINTS[:2])
    _agree(there.integrate_kde(other), on_host.integrate_kde(other))
    _agree(there.marginal(1)(POINTS[1]), on_host.marginal(1)(POINTS[1]))
    with pytest.raises(TypeError, match="integrate_box"):
        there.integrate_box([-1, -1], [0, 0])
    with pytest.raises(ValueError, match="1D"):
        there.integrate_box_1d(0, 1)
    with pytest.raises(ValueError, match="mean does not have dimension 2"):
        there.integrate_gaussian([0.0], cov)
    with pytest.raises(ValueError, match="covariance does not have dimension 2"):
        there.integrate_gaussian(mean, 1.0)
    with pytest.raises(ValueError, match="dimensionality"):
        there.integrate_kde(stats.gaussian_kde(DATA[0]))


def test_samples():
    there = stats.gaussian_kde(gpunp.asarray(DATA[:2] * 5 + 3))
    drawn = there.resample(4000, seed=3)
    assert drawn.shape == (2, 4000)
    on_host = stats.gaussian_kde(DATA[:2] * 5 + 3)
    np.testing.assert_allclose(gpunp.asnumpy(drawn.mean(axis=1)), on_host.dataset.mean(axis=1), atol=0.4)
    expected = np.cov(on_host.dataset) + on_host.covariance
    np.testing.assert_allclose(gpunp.asnumpy(np.cov(drawn)), expected, atol=2.5)
    assert there.resample().shape == (2, 60)
    assert there.resample(5, gpunp.random.default_rng(1)).shape == (2, 5)


def test_dtypes_and_shapes():
    there = stats.gaussian_kde(gpunp.asarray(np.array([1, 2, 4, 7])))
    _agree(there(gpunp.asarray([1, 3])), stats.gaussian_kde([1, 2, 4, 7])([1, 3]))
    data = DATA.astype("f4")
    on_host, there = stats.gaussian_kde(data), stats.gaussian_kde(gpunp.asarray(data))
    _agree(there(gpunp.asarray(POINTS.astype("f4"))), on_host(POINTS.astype("f4")), 1e-5)
    _agree(there(POINTS[:, 0]), on_host(POINTS[:, 0]), 1e-5)


def test_errors():
    with pytest.raises(ValueError, match="multiple elements"):
        stats.gaussian_kde(gpunp.asarray([1.0]))
    with pytest.raises(ValueError, match="greater than number of samples"):
        stats.gaussian_kde(gpunp.asarray(DATA[:, :2]))
    with pytest.raises(ValueError, match="one-dimensional"):
        stats.gaussian_kde(gpunp.asarray(DATA), weights=np.ones((2, 60)))
    with pytest.raises(ValueError, match="length n"):
        stats.gaussian_kde(gpunp.asarray(DATA), weights=np.ones(5))
    with pytest.raises(np.linalg.LinAlgError, match="lower-dimensional"):
        stats.gaussian_kde(gpunp.asarray(np.ones((2, 5))))
    with pytest.raises(ValueError, match="bw_method"):
        stats.gaussian_kde(gpunp.asarray(DATA), bw_method="none")
    with pytest.raises(ValueError, match="dataset has dimension 3"):
        stats.gaussian_kde(gpunp.asarray(DATA))(np.ones((2, 5)))
