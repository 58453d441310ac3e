"""Fits of distributions to data on the device."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import fmin

import gpunp

# Distributions with a formula, a solver of their own, or SciPy's general search; some share a base class.
SHAPES = {
    "beta": (2.0, 3.0),
    "erlang": (3,),
    "expon": (),
    "gamma": (2.0,),
    "gumbel_r": (),
    "halfnorm": (),
    "invgauss": (0.5,),
    "laplace": (),
    "logistic": (),
    "lognorm": (0.8,),
    "norm": (),
    "pareto": (3.0,),
    "rayleigh": (),
    "t": (5.0,),
    "truncpareto": (2.0, 5.0),
    "uniform": (),
    "vonmises": (1.5,),
    "weibull_min": (1.7,),
}


def compare(name, data, *args, **options):
    fit = getattr(stats, name).fit
    found = fit(gpunp.asarray(data), *args, **options)
    np.testing.assert_allclose(
        [float(each) for each in found], fit(data, *args, **options), rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_estimates(name):
    shapes = SHAPES[name]
    data = getattr(stats, name).rvs(*shapes, size=40, random_state=np.random.default_rng(5))
    compare(name, data, *shapes)


def test_options():
    data = stats.gamma.rvs(2.0, scale=3.0, size=60, random_state=np.random.default_rng(2))
    compare("gamma", data, floc=0)
    compare("gamma", data, 1.5, loc=0.1, scale=2.0, fa=2.0)
    compare("gamma", data, method="MM", floc=0)
    compare("gamma", data.astype("f4"), floc=0)
    # Outside the support for the first parameters: penalties.
    compare("beta", data / 20 + 0.01, 2.0, 2.0, loc=0.1, scale=0.2)
    found = stats.norm.fit_loc_scale(gpunp.asarray(data))
    np.testing.assert_allclose([float(each) for each in found], stats.norm.fit_loc_scale(data))
    # The search of the base class, and the likelihood of its result.
    general = super(type(stats.norm), stats.norm).fit(gpunp.asarray(data))
    np.testing.assert_allclose(general, super(type(stats.norm), stats.norm).fit(data), rtol=1e-6)
    likelihood = stats.norm.nnlf(general, gpunp.asarray(data))
    np.testing.assert_allclose(float(likelihood), stats.norm.nnlf(general, data))
    # Parameters on the device are numbers.
    assert stats.norm.fit(data, floc=gpunp.asarray([1.0])[0])[0] == 1.0


def test_errors():
    data = gpunp.asarray([1.0, np.nan, 2.0])
    with pytest.raises(ValueError, match="non-finite"):
        stats.norm.fit(data)
    with pytest.raises(ValueError, match="All parameters fixed"):
        stats.norm.fit(gpunp.ones(3), floc=0, fscale=1)
    with pytest.raises(TypeError, match=r"does not handle scipy\.stats\.levy_stable\.fit"):
        stats.levy_stable.fit(gpunp.ones(3) + gpunp.arange(3), 1.5, 0.5, loc=0.0, scale=1.0)


def test_a_value_of_the_likelihood_waits_once(device):
    data = gpunp.asarray(stats.gumbel_r.rvs(size=50, random_state=np.random.default_rng(3)))
    evaluations = 0

    def search(function, x0, args=(), disp=0):
        nonlocal evaluations

        def counted(x, *rest):
            nonlocal evaluations
            evaluations += 1
            return function(x, *rest)

        return fmin(counted, x0, args=args, disp=disp)

    before = device.transfer_counts[2]
    stats.t.fit(data, optimizer=search)
    assert device.transfer_counts[2] - before <= evaluations + 12


def test_distributions_of_what_is_on_the_device():
    data = np.random.default_rng(1).normal(size=100)
    expected = stats.rv_histogram(np.histogram(data, bins=8), density=False)
    found = stats.rv_histogram(np.histogram(gpunp.asarray(data), bins=8), density=False)
    np.testing.assert_array_equal(found.cdf(gpunp.asarray(data[:9])).get(), expected.cdf(data[:9]))
    normal = stats.Normal(mu=gpunp.asarray([0.0, 1.0]), sigma=gpunp.asarray(2.0))
    np.testing.assert_allclose(
        normal.cdf(gpunp.asarray([0.3, 0.4])).get(), stats.norm.cdf([0.3, 0.4], [0, 1], 2)
    )
