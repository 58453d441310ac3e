"""Fits of distributions to data on a device: SciPy's solvers step on the host, likelihoods are on it."""

import numpy

from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.routing.handlers import Unhandled
from gpunp_scipy.stats.calls import as_number
from gpunp_scipy.stats.device_classes import class_for, distribution_for
from gpunp_scipy.stats.vectorizing import NeedsHost


def run(function, cls, distribution, *args, **kwds):
    """Run ``fit``, ``fit_loc_scale`` or ``nnlf`` with data on a device; parameters are numbers.

    Parameters
    ----------
    function : function
        SciPy's method.
    cls : type
        The class that defines it, which may be a base of that of the distribution.
    distribution : rv_generic
    *args, **kwds
        The arguments of the method.
    """
    args, kwds = [as_number(each) for each in args], {key: as_number(each) for key, each in kwds.items()}
    device = device_of(*args, *kwds.values())
    if device is None:
        return hooks.original(function)(distribution, *args, **kwds)
    method = getattr(class_for(cls), function.__name__)
    try:
        with device, numpy.errstate(all="ignore"):
            return method(distribution_for(distribution), *args, **kwds)
    except NeedsHost as reason:
        refusal = Unhandled(function, f"scipy.stats:{function.__name__}", str(reason))
        return refusal(distribution, *args, **kwds)
