"""Power transformations and tie corrections of ``scipy.stats``."""

import numpy
import scipy.stats

import gpunp
from gpunp.dispatch.function_protocol import unhandled
from gpunp_scipy.rebinding import public


def _boxcox(x, lmbda=None, alpha=None, optimizer=None, **others):
    _refuse("boxcox", others)
    from scipy.special import boxcox as transform

    x = gpunp.asarray(x)
    if lmbda is not None:
        return transform(x, lmbda)
    if x.ndim != 1:
        raise ValueError("Data must be 1-dimensional.")
    if x.size == 0:
        return x
    _require_positive(x)
    best = _boxcox_normmax(x, method="mle", optimizer=optimizer)
    transformed = transform(x, best)
    if alpha is None:
        return transformed, best
    from scipy.stats import _morestats

    # Wilks' theorem, with the likelihood on the device.
    return transformed, best, _morestats._boxcox_conf_interval(x, best, alpha)


def _require_positive(x):
    lowest, highest = (float(each) for each in (x.min(), x.max()))
    if lowest == highest:
        raise ValueError("Data must not be constant.")
    if lowest <= 0:
        raise ValueError("Data must be positive.")


def _refuse(name, others):
    others = {key: value for key, value in others.items() if (key, value) != ("nan_policy", "propagate")}
    if others:
        raise unhandled(f"scipy.stats.{name}", f"it has no {', '.join(others)} on the device")


def _boxcox_normmax(x, brack=None, method="pearsonr", optimizer=None, **others):
    from scipy import optimize
    from scipy.stats import boxcox_llf

    if method not in ("pearsonr", "mle", "all"):
        raise ValueError(f"Method {method} not recognized.")
    if method != "mle":
        raise unhandled("scipy.stats.boxcox_normmax", "on the device it has method='mle'")
    _refuse("boxcox_normmax", others)
    x = gpunp.asarray(x)
    if optimizer is None:
        brack = (-2.0, 2.0) if brack is None else brack
        return optimize.brent(lambda lmbda: -float(boxcox_llf(lmbda, x)), brack=brack)
    if brack is not None:
        raise ValueError("`brack` must be None if `optimizer` is given")
    found = optimizer(lambda lmbda: -float(boxcox_llf(lmbda, x)))
    return getattr(found, "x", None)


def tiecorrect(rankvals):
    """The correction for ties of rank tests; see `scipy.stats.tiecorrect`."""
    ranks = numpy.sort(gpunp.asarray(rankvals).ravel())
    size = float(ranks.size)
    if ranks.size < 2:
        return gpunp.asarray(1.0)[()]
    # Each of n ties adds n**2 - 1, so that a group adds n**3 - n.
    first = numpy.searchsorted(ranks, ranks, side="left")
    last = numpy.searchsorted(ranks, ranks, side="right")
    ties = (last - first).astype("f8")
    return 1.0 - (ties * ties - 1.0).sum() / (size**3 - size)


_OPTIMISED = "The optimum is searched for on the host, with one wait for each value of the likelihood."
boxcox = public(_boxcox, scipy.stats.boxcox, __name__, _OPTIMISED)
boxcox_normmax = public(_boxcox_normmax, scipy.stats.boxcox_normmax, __name__, _OPTIMISED)
