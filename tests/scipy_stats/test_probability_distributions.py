"""Distributions of ``scipy.stats`` on device arrays: all methods agree with SciPy's on the host."""

import functools

import numpy as np
import pytest
from distributions import ARGUMENTS, CONTINUOUS, DISCRETE, INVALID
from scipy import stats
from waiting import waits

import gpunp

PROBABILITIES = np.concatenate([[0, 1, np.nan, -0.5, 2], np.linspace(0.013, 0.987, 40)])
QUANTILES = ("ppf", "isf")
# What SciPy computes by quadrature or root finding, number by number: by distribution, the methods that run.
HOST = {
    "gausshyper": "pdf logpdf",
    "genhyperbolic": "pdf logpdf",
    "geninvgauss": "pdf logpdf",
    "irwinhall": "",
    "kstwo": "",
    "levy_stable": "",
    "nchypergeom_fisher": "",
    "nchypergeom_wallenius": "",
    "norminvgauss": "pdf logpdf",
    "studentized_range": "",
}
# Sums of probability masses whose number depends on the arguments.
SUMS = ("betabinom", "betanbinom", "logser", "nhypergeom", "poisson_binom", "zipf")
# Relative tolerances where SciPy's own values have fewer digits.
TOLERANCES = {"kstwobign": 1e-7, "tukeylambda": 1e-6, "ksone": 1e-8}
METHODS = {
    **dict.fromkeys(CONTINUOUS, ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", *QUANTILES)),
    **dict.fromkeys(DISCRETE, ("pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", *QUANTILES)),
}
RUN = sorted(name for name in METHODS if name not in HOST or HOST[name])


def _keywords(name):
    return {"loc": 1.5, "scale": 2.0} if name in CONTINUOUS else {"loc": 2}


def _places(name):
    """Numbers inside the support, at its ends and outside."""
    distribution, args = getattr(stats, name), ARGUMENTS[name]
    x = np.linspace(0.1, 0.9, 9) if name in HOST else distribution.ppf(PROBABILITIES[5:], *args)
    low, high = distribution.support(*args)
    # Near its ends, rounding errors are all that SciPy has of tukeylambda's probabilities. Logarithms of ends
    # may differ from the C library's in the last digit.
    ends = [np.nan, np.inf, -np.inf] if name in ("tukeylambda", "loguniform", "reciprocal") else [low, high]
    x = np.concatenate([x, [np.nan, np.inf, -np.inf, 0, 1, 2, -1, *ends]])
    if name in DISCRETE and "hypergeom" not in name:
        x = np.concatenate([x, x[:20] + 0.5])
    keywords = _keywords(name)
    return x * keywords.get("scale", 1) + keywords["loc"]


def _agree(name, actual, expected):
    actual = gpunp.asnumpy(actual)
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCES.get(name, 1e-9), atol=1e-290)


def _methods(name):
    return HOST[name].split() if name in HOST else METHODS[name]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RUN)
def test_values(name):
    distribution, args, keywords = getattr(stats, name), ARGUMENTS[name], _keywords(name)
    x = _places(name)
    for method in _methods(name):
        given = PROBABILITIES if method in QUANTILES else x
        expected = getattr(distribution, method)(given, *args, **keywords)
        call = functools.partial(getattr(distribution, method), gpunp.asarray(given), *args, **keywords)
        actual, count = waits(call)
        assert count == 0 or name in SUMS
        _agree(name, actual, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in RUN if name != "poisson_binom"])
def test_parameters_on_the_device(name):
    distribution, args, keywords = getattr(stats, name), ARGUMENTS[name], _keywords(name)
    x = _places(name)
    for method in _methods(name):
        given = PROBABILITIES if method in QUANTILES else x
        # Every fifth element has parameters that are not valid.
        invalid = np.arange(given.size) % 5 == 0
        parameters = [np.where(invalid, *pair) for pair in zip(INVALID.get(name, args), args, strict=True)]
        expected = getattr(distribution, method)(given, *parameters, **keywords)
        there = [gpunp.asarray(each) for each in parameters]
        locations = {key: gpunp.asarray([value]) for key, value in keywords.items()}
        actual = getattr(distribution, method)(gpunp.asarray(given), *there, **locations)
        if name == "hypergeom" and method in ("logcdf", "logsf"):
            # Beyond 1e-16 SciPy sums in logarithms.
            expected = np.where(expected < -30, gpunp.asnumpy(actual), expected)
            _agree_to(1e-7, actual, expected)
        else:
            _agree(name, actual, expected)


def _agree_to(tolerance, actual, expected):
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize("name", sorted(HOST))
def test_quadrature_stays_on_the_host(name):
    refused = next(method for method in METHODS[name] if method not in HOST[name].split())
    with pytest.raises(TypeError, match=rf"does not handle scipy.stats.{name}.{refused}: "):
        getattr(getattr(stats, name), refused)(gpunp.asarray([0.5]), *ARGUMENTS[name])


def test_fallback():
    x = np.array([0.25, 0.5])
    with gpunp.config.using(fallback="numpy"):
        actual = stats.gausshyper.cdf(gpunp.asarray(x), *ARGUMENTS["gausshyper"])
    _agree_to(1e-12, actual, stats.gausshyper.cdf(x, *ARGUMENTS["gausshyper"]))


def test_frozen():
    x = np.linspace(0.1, 4, 7)
    shape, scale = np.linspace(1, 3, 7), np.linspace(0.5, 2, 7)
    frozen = stats.gamma(gpunp.asarray(shape), scale=gpunp.asarray(scale))
    on_host = stats.gamma(shape, scale=scale)
    for method in METHODS["gamma"]:
        given = x / 5 if method in QUANTILES else x
        _agree("gamma", getattr(frozen, method)(gpunp.asarray(given)), getattr(on_host, method)(given))
    _agree("gamma", frozen.mean(), on_host.mean())
    _agree("gamma", frozen.std(), on_host.std())
    assert isinstance(stats.norm(1, 2).cdf(gpunp.asarray(x)), gpunp.ndarray)


@pytest.mark.parametrize("dtype", ["f2", "f4", "i4", "u1"])
def test_dtypes(dtype):
    x = np.arange(5).astype(dtype)
    _agree("norm", stats.norm.pdf(gpunp.asarray(x), 1, 2), stats.norm.pdf(x, 1, 2))
    _agree("poisson", stats.poisson.pmf(gpunp.asarray(x), 1.5), stats.poisson.pmf(x, 1.5))


def test_broadcasting_and_scalars():
    x, loc = np.linspace(-1, 1, 4), np.array([[0.0], [1.0]])
    _agree("norm", stats.norm.logsf(gpunp.asarray(x), gpunp.asarray(loc)), stats.norm.logsf(x, loc))
    _agree("norm", stats.norm.logsf(gpunp.asarray(x), loc), stats.norm.logsf(x, loc))
    _agree("norm", stats.norm.cdf(0.5, gpunp.asarray(loc)), stats.norm.cdf(0.5, loc))
    found = stats.norm.cdf(gpunp.asarray(0.5))
    assert found.shape == ()
    assert float(found) == pytest.approx(stats.norm.cdf(0.5), rel=1e-15)
    assert stats.norm.cdf(gpunp.asarray(np.zeros((0, 3)))).shape == (0, 3)
    _agree("norm", stats.norm.cdf(gpunp.asarray(x), scale=-1), stats.norm.cdf(x, scale=-1))


def test_errors():
    x = gpunp.asarray([0.5])
    with pytest.raises(TypeError, match="argument"):
        stats.norm.cdf(x, 1, 2, 3)
    with pytest.raises(TypeError, match="argument"):
        stats.gamma.cdf(x)
    with pytest.raises(ValueError, match="Domain error"):
        stats.gamma.rvs(gpunp.asarray([-1.0]))


def test_tails():
    x = np.array([-40.0, -10, -3, 3, 10, 40])
    _agree("norm", stats.norm.logcdf(gpunp.asarray(x)), stats.norm.logcdf(x))
    x = np.array([-9.0, -6, -5, -4, -3])
    _agree_to(1e-9, np.log(stats.skewnorm.cdf(gpunp.asarray(x), 2.0)), np.log(stats.skewnorm.cdf(x, 2.0)))
    x = np.array([30.0, 30.1, 31])
    args = 29.0, 40.0
    _agree("truncnorm", stats.truncnorm.logsf(gpunp.asarray(x), *args), stats.truncnorm.logsf(x, *args))
    for kappa in (0.5, 20, 49.9, 50, 300):
        x = np.linspace(-7, 7, 29)
        # SciPy's approximation for larger concentrations is less exact than ours.
        tolerance = 1e-10 if kappa < 50 else 1e-2
        actual, expected = stats.vonmises.cdf(gpunp.asarray(x), kappa), stats.vonmises.cdf(x, kappa)
        np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=tolerance, atol=1e-7)


class _Triangle(stats.rv_continuous):
    """A distribution of a user's, without a formula for quantiles."""

    def _cdf(self, x, c):
        return x ** (2 * c)

    def _pdf(self, x, c):
        return 2 * c * x ** (2 * c - 1)


def test_distributions_of_users():
    triangle = _Triangle(a=0.0, b=1.0, name="triangle")
    x = np.linspace(-0.25, 1.25, 13)
    for method in METHODS["norm"]:
        actual = getattr(triangle, method)(gpunp.asarray(x), 0.75)
        _agree_to(1e-10, actual, getattr(triangle, method)(x, 0.75))
    values = stats.rv_discrete(values=([1, 2, 5], [0.25, 0.5, 0.25]))
    _agree("", values.pmf(gpunp.asarray([1.0, 2, 3])), values.pmf([1.0, 2, 3]))
    _agree("", values.cdf(gpunp.asarray([0.5, 2, 3, 5])), values.cdf([0.5, 2, 3, 5]))
    _agree("", values.ppf(gpunp.asarray([0.1, 0.25, 0.5, 1])), values.ppf([0.1, 0.25, 0.5, 1]))


def test_histograms():
    data = np.random.default_rng(2).normal(size=200)
    found = stats.rv_histogram(np.histogram(data, bins=12))
    x = np.linspace(-4, 4, 31)
    for method in METHODS["norm"]:
        given = (x + 4) / 8 if method in QUANTILES else x
        _agree_to(1e-10, getattr(found, method)(gpunp.asarray(given)), getattr(found, method)(given))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("name", ["Normal", "Uniform", "Logistic", "Binomial"])
def test_random_variables(name):
    if not hasattr(stats, name):
        pytest.skip("this SciPy has no such random variable")
    arguments = {
        "Normal": {"mu": 1.0, "sigma": 2.0},
        "Uniform": {"a": -1.0, "b": 2.0},
        "Binomial": {"n": 5, "p": 0.3},
    }
    variable = getattr(stats, name)(**arguments.get(name, {}))
    x, p = np.array([-1.5, -1, 0, 1, 1.75, 2, 5, np.nan]), np.array([0.0, 0.1, 0.5, 0.9, 1.0])
    # Between integers SciPy's Binomial has values of a continuous function.
    x = np.round(x) if name == "Binomial" else x
    densities = ("pmf", "logpmf") if name == "Binomial" else ("pdf", "logpdf")
    for method in (*densities, "cdf", "logcdf", "ccdf", "logccdf"):
        _agree_to(1e-11, getattr(variable, method)(gpunp.asarray(x)), getattr(variable, method)(x))
    for method in ("icdf", "iccdf"):
        if name != "Binomial":
            _agree_to(1e-11, getattr(variable, method)(gpunp.asarray(p)), getattr(variable, method)(p))
    logarithms = np.array([-1e4, -800, -3, -0.5, 0, 0.1])
    for method in ("ilogcdf", "ilogccdf"):
        if name != "Binomial":
            found = getattr(variable, method)(gpunp.asarray(logarithms))
            _agree_to(1e-11, found, getattr(variable, method)(logarithms))
    y = np.array([1.0, -1.2, 3, 2, 1.8, 9, 4, 1])
    for method in ("cdf", "ccdf"):
        if name != "Binomial":
            found = getattr(variable, method)(gpunp.asarray(x), gpunp.asarray(y))
            _agree_to(1e-11, found, getattr(variable, method)(x, y))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(ARGUMENTS) - {"levy_stable", "poisson_binom"}))
def test_frozen_with_parameters_on_the_device(name):
    parameters = [np.array([float(each)]) for each in ARGUMENTS[name]]
    distribution, loc = getattr(stats, name), np.array([1, 2])
    expected = distribution(*parameters, loc=loc)
    frozen = distribution(*map(gpunp.asarray, parameters), loc=gpunp.asarray(loc))
    for one, other in zip(frozen.support(), expected.support(), strict=True):
        _agree(name, one, other)
    for method in ("mean", "var"):
        try:
            found = getattr(frozen, method)()
        except TypeError as error:
            # Without a formula.
            assert "gpunp does not handle" in str(error)  # noqa: PT017
            continue
        _agree(name, found, getattr(expected, method)())


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "sf"])
def test_complex_points(method, char):
    x = np.array([0.5, -1 + 0.3j, 2 - 0.1j]).astype(char)
    function = getattr(stats.norm, method)
    actual, expected = function(gpunp.asarray(x), 1, 2), function(x, 1, 2)
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-6 if char == "F" else 1e-12)
    for wrong in (stats.gamma(2).sf, stats.norm.ppf):
        with pytest.raises(TypeError):
            wrong(gpunp.asarray(x))
