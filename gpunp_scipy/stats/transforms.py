"""Power transformations and tie corrections of ``scipy.stats``."""

import numpy

import gpunp


def boxcox(x, lmbda=None, alpha=None, optimizer=None):
    """Box and Cox's transformation; see `scipy.stats.boxcox`.

    Without ``lmbda`` the optimum is searched for on the host, with one wait for each value of the likelihood.
    """
    from scipy.special import boxcox as transform

    x = gpunp.asarray(x)
    if lmbda is not None:
        return transform(x, lmbda)
    if x.ndim != 1:
        raise ValueError("Data must be 1-dimensional.")
    if x.size == 0:
        return x
    _require_positive(x)
    best = boxcox_normmax(x, method="mle", optimizer=optimizer)
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


def boxcox_normmax(x, brack=None, method="pearsonr", optimizer=None, *, ymax=None):
    """The best parameter for Box and Cox's transformation; see `scipy.stats.boxcox_normmax`.

    ``method="mle"`` without ``ymax``; the others need the order statistics of the host.
    """
    from scipy import optimize
    from scipy.stats import boxcox_llf

    from gpunp.dispatch.function_protocol import unhandled

    if method not in ("pearsonr", "mle", "all"):
        raise ValueError(f"Method {method} not recognized.")
    if method != "mle" or ymax is not None:
        raise unhandled("scipy.stats.boxcox_normmax", "on the device it has method='mle' without ymax")
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
