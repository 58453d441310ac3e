"""SciPy's random variables of any family, at points on a device: SciPy's code with its arrays there.

Among them are transformed, truncated and mixed ones, order statistics, and classes of ``make_distribution``.
"""

import types

import numpy
import scipy.special
import scipy.stats
from scipy.stats import _distribution_infrastructure as infrastructure
from scipy.stats._probability_distribution import _ProbabilityDistribution

import gpunp
from gpunp_scipy.rebinding import public
from gpunp_scipy.stats.device_classes import distribution_for


class _Special:
    """The module ``scipy.special``, with a `logsumexp` of lists of device arrays."""

    def __getattr__(self, name):
        return getattr(scipy.special, name)

    @staticmethod
    def logsumexp(a, axis=None):
        if isinstance(a, list):
            a = numpy.stack(numpy.broadcast_arrays(*a))
        return scipy.special.logsumexp(a, axis=axis)


def _endpoint(value, parameters):
    """An end of a domain: an array, the name of a parameter, or a function of parameters."""
    if callable(value):
        return gpunp.asarray(value(**parameters))
    return gpunp.asarray(parameters.get(value, value) if isinstance(value, str) else value)


def _support(self, **params):
    """The support for parameters, on the device."""
    shape = next((each.shape for each in params.values()), ())
    ends = (_endpoint(value, params) for value in self._variable.domain.endpoints)
    return tuple(self._preserve_type(numpy.broadcast_to(end, shape)) for end in ends)


def _on_device(parameters):
    return {name: gpunp.asarray(value) for name, value in parameters.items()}


def _quadrature(self, integrand, limits=None, args=(), params=None, log=False):
    """SciPy's quadrature or sum, between limits on the device."""
    params = _on_device(params or {})
    a, b = map(gpunp.asarray, self._support(**params) if limits is None else limits)
    count = len(args or ())

    def function(x, *values):
        return integrand(x, *values[:count], **dict(zip(params, values[count:], strict=True)))

    # SciPy 1.17 has no keyword arguments of integrands.
    values = (*map(gpunp.asarray, args or ()), *params.values())
    rtol = None if infrastructure._isnull(self.tol) else self.tol
    if isinstance(self._scipys, infrastructure.ContinuousDistribution):
        return infrastructure._tanhsinh(function, a, b, args=values, log=log, rtol=rtol).integral
    found = infrastructure.nsum(function, a, b, args=values, log=log, tolerances={"rtol": rtol}).sum
    # A sum without terms is zero, also for parameters that are not numbers.
    found = numpy.where(a > b, -numpy.inf if log else 0.0, found)
    unknown = numpy.isnan(next(iter(params.values()))) if params else False
    return numpy.where(unknown, numpy.nan, found)[()]


def sample(self, shape=(), *, method=None, rng=None):
    """Random variates of a generator of the device; see ``ContinuousDistribution.sample``."""
    shape = tuple(shape) if numpy.iterable(shape) else (shape,)
    found = self._sample_dispatch(shape + self._shape, method=method, rng=rng, **self._parameters)
    return gpunp.asarray(found).astype(self._dtype, copy=False)


def sample_of_mixture(self, shape=(), *, rng=None, method=None):
    """Random variates of a generator of the device; see `scipy.stats.Mixture.sample`."""
    self._raise_if_method(method)
    shape = tuple(shape) if numpy.iterable(shape) else (shape,)
    size = int(numpy.prod(shape))
    counts = numpy.random.default_rng(int(rng.integers(2**63 - 1))).multinomial(size, self._weights)
    parts = [
        each.sample(shape=int(count), rng=rng) for count, each in zip(counts, self._components, strict=True)
    ]
    return rng.permuted(numpy.concatenate(parts)).reshape(shape)[()]


METHODS = {
    "UnivariateDistribution": {
        "_quadrature": _quadrature,
        "_support": _support,
        "sample": sample,
    },
    "Mixture": {"sample": sample_of_mixture},
}
GLOBALS = {infrastructure.__name__: {"special": _Special()}}


def variable_for(variable):
    """A random variable whose methods take device arrays.

    Parameters
    ----------
    variable : object
        A random variable of SciPy; its parameters are on the host.

    Returns
    -------
    object
        Of another class, with the parameters on the current device.
    """
    made = distribution_for(variable)
    attributes = vars(made)
    for name, value in list(attributes.items()):
        if name == "_scipys":
            continue
        if isinstance(value, _ProbabilityDistribution):
            attributes[name] = variable_for(value)
        elif name == "_components":
            attributes[name] = [variable_for(each) for each in value]
    for name, value in list(attributes.items()):
        if isinstance(value, types.MethodType) and value.__self__ is getattr(variable, "_dist", None):
            # A transformed variable keeps methods of the one behind it.
            attributes[name] = getattr(made._dist, value.__func__.__name__)
    if "_parameters" in attributes:
        made._parameters = _on_device(made._parameters)
        made._invalid = gpunp.asarray(made._invalid)
        made.reset_cache()
    return made


truncate = public(scipy.stats.truncate, scipy.stats.truncate, __name__, host=("lb", "ub"))
order_statistic = public(scipy.stats.order_statistic, scipy.stats.order_statistic, __name__, host=("r", "n"))
