"""SciPy's random variables (``scipy.stats.Normal`` and others) at points on a device.

Their methods are those of the distribution of the same family, with the parameters of the random variable.
"""

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.routing.handlers import Unhandled

# Methods, and the names of the older classes.
_METHODS = {
    "ccdf": "sf",
    "cdf": "cdf",
    "iccdf": "isf",
    "icdf": "ppf",
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


def _of(name):
    def call(self, x, y=None, /, *, method=None):
        distribution, *parameters = _family(self) or (None,)
        function = getattr(distribution, _METHODS[name], None)
        if function is None or y is not None or method is not None or device_of(x) is None:
            reason = "only Normal, Uniform, Logistic and Binomial run on the device, without y and method"
            arguments = (self, x) if y is None else (self, x, y)
            keywords = {} if method is None else {"method": method}
            of = getattr(type(self), name)
            return Unhandled(of, f"scipy.stats:{name}", reason)(*arguments, **keywords)
        return function(x, *parameters)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``{name}`` of a random variable, at points on a device."
    return call


FUNCTIONS = {name: _of(name) for name in _METHODS}
globals().update(FUNCTIONS)
