"""Methods of SciPy's distributions that have no form for device arrays."""

import importlib
import sys
import types

from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch
from gpunp_scipy.routing.decisions import host_reason
from gpunp_scipy.routing.handlers import Unhandled
from gpunp_scipy.stats import RANDOM_VECTORS
from gpunp_scipy.stats.multivariate import OfParameters

_REASONS = {"expect": "it integrates on the host"}
_OF_PARAMETERS = ("cov", "entropy", "marginal", "mean", "mode", "var")
_FITS = ("fit", "fit_loc_scale", "nnlf")


class _Method:
    """Calls of a method that a module of ours runs: ``run(function, cls, distribution, *args, **kwds)``."""

    __slots__ = ("cls", "function", "topic")

    def __init__(self, function, cls, topic):
        self.function, self.cls, self.topic = function, cls, topic

    def __call__(self, distribution, *args, **kwds):
        if switch.is_suspended():
            return hooks.original(self.function)(distribution, *args, **kwds)
        topic = importlib.import_module(f"gpunp_scipy.stats.{self.topic}")
        return topic.run(self.function, self.cls, distribution, *args, **kwds)


def _functions(cls):
    """The public methods that a class of SciPy defines."""
    if cls.__module__.startswith("scipy.stats."):
        for name, value in vars(cls).items():
            if isinstance(value, types.FunctionType) and not name.startswith("_"):
                yield name, value


def _with_subclasses(cls):
    yield cls
    for each in cls.__subclasses__():
        yield from _with_subclasses(each)


def _multivariate(cls):
    """The handlers of a class of multivariate distributions, besides those of points."""
    if "__call__" in vars(cls):
        # It makes a frozen distribution.
        yield cls.__call__, OfParameters(cls.__call__)
    for name, function in _functions(cls):
        if name in _OF_PARAMETERS:
            yield function, OfParameters(function)
        elif name == "rvs" and cls.__name__ in RANDOM_VECTORS:
            yield function, _Method(function, cls, "random_vectors")
        else:
            reason = host_reason("scipy.stats", "random_table") if name == "rvs" else None
            yield function, Unhandled(function, f"scipy.stats:{name}", reason)


def host_methods():
    """Yield methods that stay on the host and their handlers, and fits, which many distributions have.

    Without a reason SciPy's code is tried, and an error names the method.
    """
    base = sys.modules["scipy.stats._distn_infrastructure"].rv_generic
    for cls in _with_subclasses(base):
        for name, function in _functions(cls):
            if name in _FITS:
                yield function, _Method(function, cls, "fits")
            elif name in _REASONS:
                yield function, Unhandled(function, f"scipy.stats:{name}", _REASONS[name])
    for cls in vars(sys.modules["scipy.stats._multivariate"]).values():
        if isinstance(cls, type) and cls.__name__.endswith(("_gen", "_frozen")):
            yield from _multivariate(cls)
