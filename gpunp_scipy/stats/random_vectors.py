"""Random vectors and matrices on a device (``rvs`` of the multivariate distributions).

The code is SciPy's, with the globals of `device_classes`, a generator of the device, and the steps below in
place of those that SciPy takes for one matrix after another.
"""

import functools
import inspect

import numpy
from scipy._lib._util import check_random_state

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.stats.device_classes import class_for, with_globals
from gpunp_scipy.stats.draws import generator_for


@functools.cache
def _signature(function):
    return inspect.signature(function)


def run(function, cls, distribution, *args, **kwds):
    """Run ``rvs``: on the device of a parameter, or of ``random_state``; parameters are used on the host.

    Parameters
    ----------
    function : function
        SciPy's method.
    cls : type
        The class that defines it.
    distribution : object
        The distribution, which may be frozen.
    *args, **kwds
        The arguments of the method.
    """
    scipys = hooks.original(function)
    given = kwds.get("random_state", args[-1] if args else None)
    device = device_of(*args, *kwds.values())
    if device is None:
        if not isinstance(given, gpunp.random.Generator):
            return scipys(distribution, *args, **kwds)
        device = given.device or gpunp.get_device()
    bound = _signature(scipys).bind(distribution, *args, **kwds)
    arguments = {
        name: fetched(value) if isinstance(value, gpunp.ndarray) else value
        for name, value in bound.arguments.items()
    }
    arguments.pop("self")
    made = with_globals(distribution)
    frozen = getattr(distribution, "_dist", distribution)
    arguments["random_state"] = generator_for(arguments.get("random_state"), frozen._random_state)
    with device:
        return getattr(class_for(cls), function.__name__)(made, **arguments)


def random_state(seed):
    """SciPy's ``check_random_state``, which takes generators of a device, too."""
    return seed if isinstance(seed, gpunp.random.Generator) else check_random_state(seed)


def normal_inverse_gamma_rvs(self, mu=0, lmbda=1, a=1, b=1, size=None, random_state=None):
    """A normal variate whose variance is one of the inverse gamma distribution."""
    from scipy.stats import invgamma, norm

    variance = invgamma.rvs(a, scale=b, size=size, random_state=random_state)
    x = norm.rvs(mu, numpy.sqrt(variance / lmbda), size=size, random_state=random_state)
    dtype = numpy.result_type(1.0, mu, lmbda, a, b)
    return x.astype(dtype), variance.astype(dtype)


METHODS = {"normal_inverse_gamma_gen": {"rvs": normal_inverse_gamma_rvs}}
