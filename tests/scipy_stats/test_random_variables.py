"""Random variables of SciPy that are transformed, truncated, mixed or made of distributions."""

import numpy as np
import pytest
from records import settled
from scipy import stats

import gpunp

X = np.array([-3.0, -0.5, 0.2, 1.0, 2.5, 9.0, np.nan])
P = np.array([0.0, 0.1, 0.3, 0.5, 0.9, 1.0, np.nan])
WHOLE = np.array([-1.0, 0, 1, 2.5, 4, 50, np.nan])
NORMAL = stats.Normal(mu=1.0, sigma=2.0)
# Among them one with an array of parameters.
CONTINUOUS = {
    "absolute": lambda: stats.abs(NORMAL),
    "array": lambda: stats.truncate(stats.Normal(mu=np.arange(7.0)), lb=np.arange(7.0) - 1),
    "exponential": lambda: stats.exp(NORMAL),
    "gamma": lambda: stats.make_distribution(stats.gamma)(a=2.0),
    "inverse": lambda: 1 / stats.make_distribution(stats.gamma)(a=2.0),
    "logarithm": lambda: stats.log(stats.make_distribution(stats.gamma)(a=2.0)),
    "mixture": lambda: stats.Mixture([NORMAL, stats.Normal(mu=-1.0, sigma=0.5)], weights=[0.4, 0.6]),
    "negative": lambda: -NORMAL,
    "order statistic": lambda: stats.order_statistic(NORMAL, r=3, n=5),
    "power": lambda: stats.make_distribution(stats.gamma)(a=2.0) ** 3,
    "scaled": lambda: 2 * NORMAL + 1,
    "truncated": lambda: stats.truncate(NORMAL, lb=-1, ub=3),
}
DISCRETE = {
    "binomial": lambda: stats.Binomial(n=10, p=0.3),
    "poisson": lambda: stats.make_distribution(stats.poisson)(mu=2.0),
}
QUANTILES = ("icdf", "iccdf", "ilogcdf", "ilogccdf")


class Triangle:
    """The density of a user's distribution, from which the other methods are computed."""

    __make_distribution_version__ = "1.16.0"
    parameters = {"a": (0, np.inf)}
    support = (0, 1)

    def pdf(self, x, a):
        return a * x ** (a - 1)


def _points(name, of_values):
    return of_values if name not in QUANTILES else P if "log" not in name else np.log(P)


def _agree(found, expected, tolerance=1e-8):
    found = settled(found)
    assert isinstance(found, gpunp.ndarray)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(gpunp.asnumpy(found), expected, rtol=tolerance, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "logcdf", "ccdf", "logccdf", *QUANTILES])
@pytest.mark.parametrize("kind", CONTINUOUS)
def test_continuous(kind, method, device):
    variable, points = CONTINUOUS[kind](), _points(method, X)
    _agree(getattr(variable, method)(gpunp.asarray(points)), getattr(variable, method)(points))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", DISCRETE)
def test_discrete(kind, device):
    variable = DISCRETE[kind]()
    methods = ("pmf", "logpmf", "icdf", "iccdf") + (("cdf", "ccdf") if kind == "poisson" else ())
    for method in methods:
        points = P[1:-2] if method in QUANTILES else WHOLE
        _agree(getattr(variable, method)(gpunp.asarray(points)), getattr(variable, method)(points))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["cdf", "ccdf", "logcdf"])
@pytest.mark.parametrize("kind", ["gamma", "scaled", "truncated"])
def test_between_two_points(kind, method, device):
    variable, y = CONTINUOUS[kind](), X[::-1].copy()
    if method == "logcdf":
        # The logarithm of a negative difference is a complex number.
        y = X + 1
    _agree(getattr(variable, method)(gpunp.asarray(X), gpunp.asarray(y)), getattr(variable, method)(X, y))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["logexp", "complement", "quadrature"])
def test_a_method_of_computation(method, device):
    expected = NORMAL.cdf(X[:5], method=method)
    _agree(NORMAL.cdf(gpunp.asarray(X[:5]), method=method), expected)


def test_parameters_on_the_device(device):
    there = gpunp.asarray
    _agree(
        stats.truncate(NORMAL, lb=there(-1.0), ub=there(3.0)).pdf(there(X)), CONTINUOUS["truncated"]().pdf(X)
    )
    _agree(
        stats.order_statistic(NORMAL, r=there(3), n=there(5)).pdf(there(X)),
        CONTINUOUS["order statistic"]().pdf(X),
    )
    components = [NORMAL, stats.Normal(mu=-1.0, sigma=0.5)]
    _agree(stats.Mixture(components, weights=there([0.4, 0.6])).pdf(there(X)), CONTINUOUS["mixture"]().pdf(X))


def test_a_density_of_a_user(device):
    variable = stats.make_distribution(Triangle())(a=2.0)
    x = np.array([-1, 0.1, 0.5, 1.5])
    for method in ("pdf", "cdf", "ccdf"):
        _agree(getattr(variable, method)(gpunp.asarray(x)), getattr(variable, method)(x))
    _agree(variable.icdf(gpunp.asarray(P[1:5])), variable.icdf(P[1:5]))


@pytest.mark.parametrize("kind", [*CONTINUOUS, *DISCRETE])
def test_samples(kind, device):
    variable = (CONTINUOUS | DISCRETE)[kind]()
    rng = gpunp.random.default_rng(5)
    shape = np.shape(variable.support()[0])
    sample = variable.sample((2, 3), rng=rng)
    assert isinstance(sample, gpunp.ndarray)
    assert (sample.shape, sample.dtype) == ((2, 3, *shape), np.float64)
    many = gpunp.asnumpy(variable.sample(4000, rng=rng))
    # Of 4000 numbers the share below the median is within five standard deviations.
    np.testing.assert_allclose(
        (many < variable.icdf(0.5)).mean(axis=0), 0.5, atol=0.12 if kind in DISCRETE else 0.04
    )


def test_samples_of_generators_of_the_host():
    assert isinstance(NORMAL.sample(3, rng=np.random.default_rng(1)), np.ndarray)
    np.testing.assert_array_equal(NORMAL.sample(3, rng=7), NORMAL.sample(3, rng=np.random.default_rng(7)))


def test_errors(device):
    with pytest.raises(ValueError, match="broadcast"):
        CONTINUOUS["array"]().cdf(gpunp.asarray(X[:2]))
    with pytest.raises(NotImplementedError):
        CONTINUOUS["mixture"]().cdf(gpunp.asarray(X), method="formula")
    with pytest.raises(NotImplementedError, match="continuous"):
        DISCRETE["poisson"]().cdf(gpunp.asarray(WHOLE), gpunp.asarray(WHOLE))
    # Its values are integrals on the host.
    with pytest.raises(TypeError, match="gpunp does not handle"):
        stats.make_distribution(stats.studentized_range)(k=3.0, df=10.0).cdf(gpunp.asarray([1.0]))
