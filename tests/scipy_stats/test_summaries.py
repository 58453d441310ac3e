"""Moments, entropy, support and random variates of distributions with parameters on the device."""

import numpy as np
import pytest
import scipy
from distributions import ARGUMENTS, CONTINUOUS
from scipy import stats

import gpunp

LOCATIONS = np.array([1.5, 0.0, 2.0])
# Distributions whose moments or quantiles are integrals, sums or roots of numbers.
MOMENTS_ON_HOST = (
    "argus crystalball exponpow exponweib genexpon genhalflogistic gompertz jf_skew_t irwinhall "
    "johnsonsb kappa3 kappa4 ksone kstwo kstwobign levy_stable bernoulli nchypergeom_fisher "
    "nchypergeom_wallenius powerlognorm powernorm recipinvgauss skewnorm studentized_range "
    "truncexpon truncnorm tukeylambda vonmises vonmises_line wrapcauchy johnsonsu nhypergeom pareto "
    "poisson_binom zipf gausshyper genhyperbolic geninvgauss norminvgauss "
)
# Formulas that SciPy 1.17 lacks.
OLD = np.lib.NumpyVersion(scipy.__version__) < "1.18.0"
MEANS = sorted(set(ARGUMENTS) - set(MOMENTS_ON_HOST.split()) - ({"halfgennorm"} if OLD else set()))
ENTROPIES = (
    *("anglit", "arcsine", "beta", "cauchy", "chi", "chi2", "expon", "f", "gamma", "gengamma", "genextreme"),
    *("genlogistic", "genpareto", "gumbel_l", "gumbel_r", "invgamma", "laplace", "logistic", "lognorm"),
    *("maxwell", "norm", "pareto", "powerlaw", "rayleigh", "semicircular", "t", "triang", "uniform", "wald"),
    *("weibull_min", "bernoulli", "dlaplace", "geom", "planck", "randint"),
)
DRAWN = sorted(
    set(CONTINUOUS)
    - {"gausshyper", "genhyperbolic", "geninvgauss", "irwinhall", "kstwo", "levy_stable", "studentized_range"}
    - {"norminvgauss"}
)


def _parameters(name):
    """The parameters three times, the second time invalid."""
    args = [np.full(3, float(each)) for each in ARGUMENTS[name]]
    return args, [gpunp.asarray(each) for each in args]


def _agree(actual, expected):
    if isinstance(expected, tuple):
        for pair in zip(actual, expected, strict=True):
            _agree(*pair)
        return
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MEANS)
def test_moments(name):
    distribution, (args, there) = getattr(stats, name), _parameters(name)
    loc = gpunp.asarray(LOCATIONS)
    for moments in ("mv", "mvsk"):
        _agree(
            distribution.stats(*there, loc=loc, moments=moments),
            distribution.stats(*args, loc=LOCATIONS, moments=moments),
        )
    for method in ("mean", "var", "std", "support", "median"):
        _agree(
            getattr(distribution, method)(*there, loc=loc),
            getattr(distribution, method)(*args, loc=LOCATIONS),
        )
    for order in (0, 1, 2, 3):
        _agree(distribution.moment(order, *there, loc=loc), distribution.moment(order, *args, loc=LOCATIONS))
    _agree(distribution.interval(0.9, *there, loc=loc), distribution.interval(0.9, *args, loc=LOCATIONS))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in ENTROPIES if not (OLD and name == "t")])
def test_entropy(name):
    distribution, (args, there) = getattr(stats, name), _parameters(name)
    _agree(
        distribution.entropy(*there, loc=gpunp.asarray(LOCATIONS)), distribution.entropy(*args, loc=LOCATIONS)
    )


def test_invalid_parameters():
    shapes = np.array([2.0, -1.0, np.nan])
    there = gpunp.asarray(shapes)
    for method in ("mean", "var", "entropy", "support", "stats"):
        _agree(getattr(stats.gamma, method)(there), getattr(stats.gamma, method)(shapes))
    _agree(stats.gamma.moment(2, there), stats.gamma.moment(2, shapes))
    with pytest.raises(ValueError, match="integer"):
        stats.gamma.moment(1.5, there)
    with pytest.raises(ValueError, match="positive"):
        stats.gamma.moment(-1, there)


def test_integrals_stay_on_the_host():
    with pytest.raises(TypeError, match=r"does not handle scipy.stats.johnsonsb.stats: "):
        stats.johnsonsb.stats(gpunp.asarray([4.0]), 3.0)
    with pytest.raises(TypeError, match=r"does not handle scipy.stats.alpha.entropy: "):
        stats.alpha.entropy(gpunp.asarray([4.0]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DRAWN)
def test_draws(name, device):
    distribution, args = getattr(stats, name), ARGUMENTS[name]
    drawn = distribution.rvs(*args, size=(2, 500), random_state=gpunp.random.default_rng(5))
    assert isinstance(drawn, gpunp.ndarray)
    assert drawn.shape == (2, 500)
    assert drawn.device == device
    assert stats.kstest(gpunp.asnumpy(drawn).ravel(), distribution.cdf, args=args).pvalue > 1e-3
    again = distribution.rvs(*args, size=(2, 500), random_state=gpunp.random.default_rng(5))
    np.testing.assert_array_equal(gpunp.asnumpy(again), gpunp.asnumpy(drawn))


def test_draws_with_parameters_on_the_device():
    loc, scale = np.array([-100.0, 100]), np.array([1.0, 2])
    for seed in (1, np.random.default_rng(1), np.random.RandomState(1), None):
        drawn = stats.norm.rvs(gpunp.asarray(loc), gpunp.asarray(scale), size=(4000, 2), random_state=seed)
        np.testing.assert_allclose(gpunp.asnumpy(drawn.mean(axis=0)), loc, atol=0.2)
        np.testing.assert_allclose(gpunp.asnumpy(drawn.std(axis=0)), scale, rtol=0.1)
    drawn = stats.poisson.rvs(gpunp.asarray([3.0, 50]), size=(4000, 2), random_state=2)
    assert drawn.dtype == np.int64
    np.testing.assert_allclose(gpunp.asnumpy(drawn.mean(axis=0)), [3, 50], rtol=0.05)
    frozen = stats.gamma(gpunp.asarray([2.0, 8.0]))
    assert frozen.rvs(size=(5, 2), random_state=1).shape == (5, 2)
    with pytest.raises(ValueError, match="size"):
        stats.norm.rvs(gpunp.asarray(loc), size=3)


@pytest.mark.parametrize("name", ["gamma", "poisson"])
@pytest.mark.parametrize("confidence", [0.9, np.array([0.5, 0.9, 0.0, 1.0])])
def test_intervals(name, confidence):
    shapes, there = np.array([1.0, 2, 3, -1]), gpunp.asarray(confidence)
    distribution = getattr(stats, name)
    expected = distribution.interval(confidence, shapes, loc=1)
    for found in (
        distribution.interval(there, gpunp.asarray(shapes), loc=1),
        distribution.interval(there, shapes, loc=1),
        distribution(gpunp.asarray(shapes), loc=1).interval(there),
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(gpunp.asnumpy(one), other, rtol=1e-9)
    with pytest.raises(ValueError, match="between 0 and 1"):
        distribution.interval(gpunp.asarray([1.2]), 2.0)
