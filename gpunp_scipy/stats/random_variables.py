"""SciPy's random variables (``scipy.stats.Normal`` and others) at points on a device.

Methods of some are those of the distribution of the same family, with the parameters of the random variable.
Those of the others are SciPy's code, which `variables_on_device` has for device arrays.
"""

import numpy
from scipy.special import ndtri_exp

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import on_one_device
from gpunp.dispatch import hooks
from gpunp.dispatch.function_protocol import unhandled
from gpunp_scipy.stats.vectorizing import NeedsHost

# Methods, and the names of the older classes.
_METHODS = {
    "ccdf": "sf",
    "cdf": "cdf",
    "iccdf": "isf",
    "icdf": "ppf",
    "ilogccdf": "isf",
    "ilogcdf": "ppf",
    "logccdf": "logsf",
    "logcdf": "logcdf",
    "logpdf": "logpdf",
    "logpmf": "logpmf",
    "pdf": "pdf",
    "pmf": "pmf",
}


def create(self, **parameters):
    """``UnivariateDistribution.__init__``; parameters are copied to the host."""
    from scipy.stats._distribution_infrastructure import UnivariateDistribution

    host = {key: _on_host(value) for key, value in parameters.items()}
    hooks.original(UnivariateDistribution.__init__)(self, **host)


def create_mixture(self, components, *, weights=None):
    """``Mixture.__init__``; the weights are copied to the host."""
    from scipy.stats import Mixture

    hooks.original(Mixture.__init__)(self, components, weights=_on_host(weights))


def _on_host(value):
    return fetched(value) if isinstance(value, gpunp.ndarray) else value


def _family(variable):
    """The distribution and the parameters of a random variable, or None."""
    from scipy import stats

    families = {
        "Binomial": lambda: (stats.binom, variable.n, variable.p),
        "Logistic": lambda: (stats.logistic,),
        "Normal": lambda: (stats.norm, variable.mu, variable.sigma),
        "StandardNormal": lambda: (stats.norm,),
        "Uniform": lambda: (stats.uniform, variable.a, variable.b - variable.a),
    }
    found = families.get(type(variable).__name__)
    return found and found()


# Quantiles of logarithms of probabilities, exact where these are tiny, of symmetric distributions.
_EXACT = {
    "logistic": lambda log: log - numpy.log(-numpy.expm1(log)),
    "norm": ndtri_exp,
}


def _values(name, distribution, parameters, x):
    """The values of a method; quantiles may be those of logarithms of probabilities."""
    if name.startswith("ilog"):
        if distribution.name in _EXACT:
            mu, sigma = parameters or (0.0, 1.0)
            z = _EXACT[distribution.name](gpunp.asarray(x))
            return mu + sigma * (z if name == "ilogcdf" else -z)
        x = numpy.exp(x)
    return getattr(distribution, _METHODS[name])(x, *parameters)


def _between(distribution, parameters, x, y):
    """The probability between two points, which is negative where they are in descending order."""
    below, above = (
        [function(each, *parameters) for each in (x, y)] for function in (distribution.cdf, distribution.sf)
    )
    # Of two differences, the one of small probabilities.
    return numpy.where((above[0] < 0.5) & (above[1] < 0.5), above[0] - above[1], below[1] - below[0])


def _of(name):
    def call(self, x, y=None, /, *, method=None):
        distribution, *parameters = _family(self) or (None,)
        of_two = y is not None and name in ("ccdf", "cdf")
        allowed = y is None or of_two
        if type(self).__name__ == "Binomial":
            allowed = y is None and not name.startswith("ilog")
        if not (allowed and hasattr(distribution, _METHODS[name]) and method is None):
            arguments = on_one_device(*((x,) if y is None else (x, y)))
            return _by_scipys_code(self, name, arguments[0].device, *arguments, method=method)
        if not of_two:
            return _values(name, distribution, parameters, x)
        found = _between(distribution, parameters, *on_one_device(x, y))
        return found if name == "cdf" else 1 - found

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``{name}`` of a random variable, at points on a device."
    return call


def _by_scipys_code(variable, name, device, *arguments, **keywords):
    # Here, as it imports SciPy.
    from gpunp_scipy.stats.variables_on_device import variable_for

    try:
        with device, numpy.errstate(all="ignore"):
            return getattr(variable_for(variable), name)(*arguments, **keywords)
    except NeedsHost as reason:
        raise unhandled(f"scipy.stats.{type(variable).__name__}.{name}", str(reason)) from None


def sample(self, shape=(), *, method=None, rng=None):
    """Random variates; with a generator of a device they are there."""
    if not isinstance(rng, gpunp.random.Generator):
        scipys = type(self).sample
        return hooks.original(scipys)(self, shape, method=method, rng=rng)
    return _by_scipys_code(self, "sample", rng.device or gpunp.get_device(), shape, method=method, rng=rng)


FUNCTIONS = {name: _of(name) for name in _METHODS}
globals().update(FUNCTIONS)
