"""Integrals of functions whose values are device arrays: `scipy.integrate.quad_vec` with its full output."""

import functools
import types

import numpy
import scipy.integrate

import gpunp
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.device_numpy import Numpy


def _array(values, dtype=None):
    """An array of the values of intervals, which is on the device if one of them is."""
    device = device_of(values, nested=True)
    if device is None:
        return numpy.array(values, dtype=dtype)
    return gpunp.stack([gpunp.asarray(value, dtype=dtype, device=device) for value in values])


@functools.cache
def _scipys():
    """SciPy's function with a namespace that stacks device arrays."""
    source = hooks.original(scipy.integrate.quad_vec)
    space = Numpy()
    space.array = _array
    names = {**source.__globals__, "np": space}
    bound = types.FunctionType(source.__code__, names, source.__name__, source.__defaults__)
    bound.__kwdefaults__ = source.__kwdefaults__
    # Infinite intervals call the function again.
    names["quad_vec"] = bound
    return bound


def quad_vec(
    f,
    a,
    b,
    epsabs=1e-200,
    epsrel=1e-8,
    norm="2",
    cache_size=100e6,
    limit=10000,
    workers=1,
    points=None,
    quadrature=None,
    full_output=False,
    *,
    args=(),
):
    """Integrate a function whose values are arrays; see `scipy.integrate.quad_vec`.

    The code is SciPy's; waits for the norms of each interval. With ``full_output`` the integrals over the
    intervals are on the device, the intervals and the errors on the host.
    """
    return _scipys()(
        f,
        a,
        b,
        epsabs=epsabs,
        epsrel=epsrel,
        norm=norm,
        cache_size=cache_size,
        limit=limit,
        workers=workers,
        points=points,
        quadrature=quadrature,
        full_output=full_output,
        args=args,
    )
