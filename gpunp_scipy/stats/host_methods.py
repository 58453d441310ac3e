"""Methods of SciPy's distributions that have no form for device arrays."""

import sys
import types

from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch
from gpunp_scipy.routing.handlers import Unhandled

_REASONS = {"expect": "it integrates on the host"}
_FITS = ("fit", "fit_loc_scale", "nnlf")


class _Fit:
    """Calls of a method that fits a distribution to data on a device, or says how well it fits."""

    __slots__ = ("cls", "function")

    def __init__(self, function, cls):
        self.function, self.cls = function, cls

    def __call__(self, distribution, *args, **kwds):
        if switch.is_suspended():
            return hooks.original(self.function)(distribution, *args, **kwds)
        from gpunp_scipy.stats import fits

        return fits.run(self.function, self.cls, distribution, *args, **kwds)


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


def host_methods():
    """Yield methods that stay on the host and their handlers, and fits, which many distributions have.

    Without a reason SciPy's code is tried, and an error names the method.
    """
    base = sys.modules["scipy.stats._distn_infrastructure"].rv_generic
    for cls in _with_subclasses(base):
        for name, function in _functions(cls):
            if name in _FITS:
                yield function, _Fit(function, cls)
            elif name in _REASONS:
                yield function, Unhandled(function, f"scipy.stats:{name}", _REASONS[name])
    for cls in vars(sys.modules["scipy.stats._multivariate"]).values():
        if isinstance(cls, type) and cls.__name__.endswith(("_gen", "_frozen")):
            for name, function in _functions(cls):
                yield function, Unhandled(function, f"scipy.stats:{name}")
