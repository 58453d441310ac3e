"""SciPy's random variables (``scipy.stats.Normal`` and others) at points on a device.

Their methods are those of the distribution of the same family, with the parameters of the random variable.
"""

import numpy
from scipy.special import ndtri_exp

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import on_one_device
from gpunp.dispatch import hooks
from gpunp_scipy.routing.handlers import Unhandled

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

    host = {
        key: fetched(value) if isinstance(value, gpunp.ndarray) else value
        for key, value in parameters.items()
    }
    hooks.original(UnivariateDistribution.__init__)(self, **host)


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
            reason = "only Normal, Uniform, Logistic and Binomial run on the device, without `method`"
            arguments = (self, x) if y is None else (self, x, y)
            keywords = {} if method is None else {"method": method}
            of = getattr(type(self), name)
            return Unhandled(of, f"scipy.stats:{name}", reason)(*arguments, **keywords)
        if not of_two:
            return _values(name, distribution, parameters, x)
        found = _between(distribution, parameters, *on_one_device(x, y))
        return found if name == "cdf" else 1 - found

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``{name}`` of a random variable, at points on a device."
    return call


FUNCTIONS = {name: _of(name) for name in _METHODS}
globals().update(FUNCTIONS)
