"""Methods of SciPy's distributions that have no form for device arrays."""

import sys
import types

from gpunp_scipy.routing.handlers import Unhandled

_FITS = "it compares with simulated samples, or searches for parameters, on the host"
_REASONS = {"fit": _FITS, "fit_loc_scale": _FITS, "expect": "it integrates on the host"}


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
    """Yield methods that stay on the host and their handlers.

    Without a reason SciPy's code is tried, and an error names the method. Many distributions have a `fit` of
    their own.
    """
    base = sys.modules["scipy.stats._distn_infrastructure"].rv_generic
    for cls in _with_subclasses(base):
        for name, function in _functions(cls):
            if name in _REASONS:
                yield function, Unhandled(function, f"scipy.stats:{name}", _REASONS[name])
    for cls in vars(sys.modules["scipy.stats._multivariate"]).values():
        if isinstance(cls, type) and cls.__name__.endswith(("_gen", "_frozen")):
            for name, function in _functions(cls):
                yield function, Unhandled(function, f"scipy.stats:{name}")
