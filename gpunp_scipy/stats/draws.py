"""Random variates of distributions (``rv_generic.rvs``)."""

import numpy

import gpunp
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp.dispatch.function_protocol import unhandled
from gpunp_scipy.stats.device_classes import distribution_for, on_device
from gpunp_scipy.stats.vectorizing import NeedsHost


def generator_for(random_state, own):
    """A generator of the device.

    Parameters
    ----------
    random_state : None, int, numpy.random.Generator, numpy.random.RandomState or gpunp.random.Generator
        Generators of NumPy give the seed.
    own : numpy.random.Generator or numpy.random.RandomState
        That of the distribution.
    """
    if isinstance(random_state, gpunp.random.Generator):
        return random_state
    if random_state is None or random_state is numpy.random:
        random_state = own
    if isinstance(random_state, numpy.random.RandomState):
        return gpunp.random.default_rng(random_state.randint(2**63, dtype=numpy.int64))
    if isinstance(random_state, numpy.random.Generator):
        return gpunp.random.default_rng(random_state.integers(2**63, dtype=numpy.int64))
    return gpunp.random.default_rng(random_state)


def rvs(self, *args, **kwds):
    """Random variates; see `scipy.stats.rv_continuous.rvs`.

    They are on the device if a parameter is, or if ``random_state`` is a `gpunp.random.Generator`.
    """
    random_state = kwds.get("random_state")
    device = device_of(*args, *kwds.values())
    if device is None:
        if not isinstance(random_state, gpunp.random.Generator):
            return hooks.original(_scipys_rvs())(self, *args, **kwds)
        device = random_state.device or gpunp.get_device()
    discrete = kwds.pop("discrete", None)
    kwds.pop("random_state", None)
    generator = generator_for(random_state, self._random_state)
    distribution = distribution_for(self)
    try:
        with device, numpy.errstate(all="ignore"):
            return _draw(distribution, args, kwds, generator, discrete)
    except NeedsHost as reason:
        raise unhandled(f"scipy.stats.{self.name}.rvs", str(reason)) from None


def _draw(self, args, kwds, generator, discrete):
    args, loc, scale, size = self._parse_args_rvs(*args, **kwds)
    args = [each[()] for each in on_device(args)]
    if not all(bool(numpy.all(each)) for each in (self._argcheck(*args), scale >= 0)):
        raise ValueError(
            "Domain error in arguments. The `scale` parameter must be positive for all distributions, and "
            "many distributions have restrictions on shape parameters. Please see the "
            f"`scipy.stats.{self.name}` documentation for details."
        )
    values = self._rvs(*args, size=size, random_state=generator) * scale[()] + loc[()]
    values = gpunp.asarray(values)
    return values.astype(numpy.int64) if discrete and not hasattr(self, "xk") else values


def _scipys_rvs():
    from scipy.stats import _distn_infrastructure

    return _distn_infrastructure.rv_generic.rvs
