"""Integrals of functions whose values are device arrays: `scipy.integrate.quad_vec` with its full output."""

import functools
import sys
import types

import numpy
import scipy.integrate
from scipy._lib._util import MapWrapper
from scipy.integrate import _quad_vec

import gpunp
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.optimize.evaluation import numbers

_EPSILON = sys.float_info.epsilon
_NORMS = {None: _quad_vec._max_norm, "max": _quad_vec._max_norm, "2": numpy.linalg.norm}


def _array(values, dtype=None):
    """An array of the values of intervals, which is on the device if one of them is."""
    device = device_of(values, nested=True)
    if device is None:
        return numpy.array(values, dtype=dtype)
    return gpunp.stack([gpunp.asarray(value, dtype=dtype, device=device) for value in values])


class _Norm:
    """The norm of an integral as SciPy's code calls it: for the sum of all intervals, as a number.

    Attributes
    ----------
    of : callable
        The norm itself, whose result stays on the device.
    """

    def __init__(self, norm):
        self.of = norm if callable(norm) else _NORMS[norm]
        # The sum of all intervals, and its norm once known.
        self.total, self.known = None, None

    def __call__(self, total):
        if self.known is None:
            self.known = float(self.of(total))
        self.total = total
        return self.known


class _Rule:
    """A rule of quadrature, which leaves the norms that errors are estimated from on the device.

    Parameters
    ----------
    name : str
        That of SciPy's function.
    estimate : callable
        Returns the integral over an interval and the norms.
    errors : callable
        Gets the limits and the norms as numbers, and returns the error and the rounding error.
    """

    def __init__(self, name, estimate, errors):
        scipys = getattr(_quad_vec, name)
        self.num_eval, self.cache_size = scipys.num_eval, getattr(scipys, "cache_size", 0)
        self.name, self.estimate, self.errors = name, estimate, errors

    def __reduce__(self):
        # For workers in other processes.
        return _rule, (self.name,)

    def __call__(self, a, b, f, norm):
        # SciPy's code calls this for the intervals at the start only.
        integral, norms = self.estimate(a, b, f, norm.of)
        if norm.known is None and norm.total is None:
            norm.total = integral
            if isinstance(integral, float | complex) and norm.of in _NORMS.values():
                norm.of = abs
        return integral, *self.errors(a, b, *map(float, numbers(*norms)))


def _gauss_kronrod(a, b, f, norm, x, w, v):
    """The integral by Kronrod's rule, and the norms of its difference from Gauss's and of both scales."""
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    values = [f(middle + half * each) for each in x]
    total = total_abs = gauss = spread = 0.0
    for weight, value in zip(v, values, strict=True):
        total += weight * value
        total_abs += weight * abs(value)
    for weight, value in zip(w, values[1::2], strict=False):
        gauss += weight * value
    mean = total / 2.0
    for weight, value in zip(v, values, strict=True):
        spread += weight * abs(value - mean)
    norms = norm((total - gauss) * half), norm(spread * half), norm(50 * _EPSILON * half * total_abs)
    return half * total, norms


def _gauss_kronrod_errors(a, b, error, spread, rounding):
    if spread != 0 and error != 0:
        error = spread * min(1.0, (200 * error / spread) ** 1.5)
    return max(error, rounding) if rounding > sys.float_info.min else error, rounding


def _trapezoid(a, b, f, norm):
    first, last, middle = f(a), f(b), f(0.5 * (a + b))
    fine = 0.25 * (b - a) * (first + 2 * middle + last)
    coarse = 0.5 * (b - a) * (first + last)
    return fine, (norm(coarse - fine), norm(first), norm(middle), norm(last))


def _trapezoid_errors(a, b, difference, first, middle, last):
    return 1 / 3 * difference, 0.25 * abs(b - a) * (first + 2 * middle + last) * 2e-16


def _halved(task):
    """The estimates for the halves of an interval, its old one, and the number of evaluations."""
    (_, a, b, old), f, norm, rule = task
    middle, count = 0.5 * (a + b), 2 * rule.num_eval
    if rule.cache_size:
        f = functools.lru_cache(rule.cache_size)(f)
    halves = [(*ends, *rule.estimate(*ends, f, norm.of)) for ends in ((a, middle), (middle, b))]
    if old is None:
        old, _ = rule.estimate(a, b, f, norm.of)
        count += rule.num_eval
    return halves, old, f.cache_info().misses if rule.cache_size else count


class _Rounds:
    """Replaces SciPy's ``MapWrapper``: the norms of all intervals of a round are fetched in one copy."""

    def __init__(self, workers):
        self.mapper = MapWrapper(workers)

    def __enter__(self):
        self.mapper.__enter__()
        return self

    def __exit__(self, *exception):
        return self.mapper.__exit__(*exception)

    def __call__(self, _, tasks):
        """What SciPy's ``_subdivide_interval`` returns for each task."""
        found = list(self.mapper(_halved, tasks))
        _, _, norm, rule = tasks[0]
        norms, changes, total = [], [], norm.total
        for halves, old, _ in found:
            changes.append(halves[0][2] + halves[1][2] - old)
            total = total + changes[-1]
            norms += [each for half in halves for each in half[3]]
        # With the norm that SciPy's code asks for next.
        *found_norms, norm.known = map(float, numbers(*norms, norm.of(total)))
        remaining = iter(found_norms)
        parts = []
        for (halves, _, count), change, task in zip(found, changes, tasks, strict=True):
            errors = [rule.errors(a, b, *(next(remaining) for _ in each)) for a, b, _, each in halves]
            intervals = [
                (a, b, value, error) for (a, b, value, _), (error, _) in zip(halves, errors, strict=True)
            ]
            gained = errors[0][0] + errors[1][0] - task[0][0]
            parts.append((change, gained, errors[0][1] + errors[1][1], intervals, count))
        return parts


def _rule(name):
    """The rule of a function of SciPy, which has the nodes and weights."""
    if name == "_quadrature_trapezoid":
        return _Rule(name, _trapezoid, _trapezoid_errors)
    scipys = getattr(_quad_vec, name)
    names = {**scipys.__globals__, "_quadrature_gk": _gauss_kronrod}
    return _Rule(name, types.FunctionType(scipys.__code__, names), _gauss_kronrod_errors)


@functools.cache
def _scipys():
    """SciPy's function with a namespace that stacks device arrays, and rules that wait once a round."""
    source = hooks.original(scipy.integrate.quad_vec)
    space = Numpy()
    space.array = _array
    rules = {name: _rule(name) for name in map("_quadrature_{}".format, ("gk21", "gk15", "trapezoid"))}
    names = {**source.__globals__, "np": space, "MapWrapper": _Rounds, **rules}
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

    The code is SciPy's; waits once for the norms of all intervals that are halved in a round. With
    ``full_output`` the integrals over the intervals are on the device, the intervals and the errors on the
    host.
    """
    return _scipys()(
        f,
        a,
        b,
        epsabs=epsabs,
        epsrel=epsrel,
        norm=_Norm(norm),
        cache_size=cache_size,
        limit=limit,
        workers=workers,
        points=points,
        quadrature=quadrature,
        full_output=full_output,
        args=args,
    )
