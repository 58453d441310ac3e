"""Barycentric rational interpolants on device arrays: `AAA` and `FloaterHormannInterpolator`.

The greedy choice of support points, poles and roots are SciPy's code, with arrays created on the device.
"""

import inspect
import math
import operator

import numpy
import scipy.interpolate
from gpunp.device import get_device

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.interpolate.holders import Holder, adopt, created, holds, is_held
from gpunp_scipy.rebinding import NUMPY

# Elements of the quotients by distances that are computed at once.
_MOST_QUOTIENTS = 1 << 24


def _on_device(method):
    """A method of SciPy whose arrays are created on the device of the object's points."""
    function = hooks.original(method)
    bound = hooks.copy_of(function, {**function.__globals__, "np": NUMPY})

    def call(self, *args, **kwargs):
        with device_of(*args) or self._support_points.device:
            return bound(self, *args, **kwargs)

    call.__name__, call.__doc__ = method.__name__, inspect.getdoc(method)
    return call


class Rational(Holder):
    """What both have in common."""

    poles = _on_device(scipy.interpolate.AAA.poles)
    roots = _on_device(scipy.interpolate.AAA.roots)

    def __call__(self, z):
        """Evaluate; see `scipy.interpolate.AAA.__call__`."""
        z = asarray(z, device=self._support_points.device)
        flat = z.reshape(-1)
        extents = self._support_values.shape
        values = self._support_values.reshape(extents[0], math.prod(extents[1:]))
        step = max(1, _MOST_QUOTIENTS // max(1, self.weights.size))
        parts = [self._part(flat[i : i + step], values) for i in range(0, max(flat.size, 1), step)]
        found = numpy.concatenate(parts) if len(parts) > 1 else parts[0]
        found = found.reshape(z.shape + self._shape)
        return numpy.moveaxis(found, 0, self._axis) if z.ndim > 0 else found

    def _part(self, z, values):
        weights = self.weights[:, None]
        distances = z[:, None] - self._support_points
        at_support = distances == 0
        quotients = 1 / numpy.where(at_support, 1, distances)
        found = quotients @ (weights * values) / (quotients @ weights)
        limit = (weights * values).sum() / weights.sum()
        found = numpy.where(numpy.isinf(z)[:, None], limit, found)
        exact = values[numpy.argmax(at_support, axis=1)]
        return numpy.where(at_support.any(axis=1)[:, None], exact, found)

    def _initialize(self, x, y, axis, **options):
        """Find the support points; waits for the device to leave out what is not finite or repeated."""
        device = device_of(x, y, nested=True) or get_device()
        z, f = asarray(x, device=device), asarray(y, device=device)
        self._axis = axis
        self._input_validation(z, f, **options)
        f = numpy.moveaxis(f, axis, 0)
        finite = numpy.isfinite(f).reshape(f.shape[0], math.prod(f.shape[1:])).all(axis=-1)
        f, z = f[finite], z[finite]
        z, first = numpy.unique(z, return_index=True)
        f = f[first]
        self._shape = f.shape[1:]
        self._support_points, self._support_values, self.weights = self._compute_weights(z, f, **options)
        self._poles = self._residues = self._roots = None


@holds(scipy.interpolate.AAA)
class Greedy(Rational):
    """Methods of `scipy.interpolate.AAA` for device arrays."""

    _compute_weights = _on_device(scipy.interpolate.AAA._compute_weights)


@holds(scipy.interpolate.FloaterHormannInterpolator)
class FloaterHormann(Rational):
    """Methods of `scipy.interpolate.FloaterHormannInterpolator` for device arrays."""

    def _compute_weights(self, z, f, d):
        """Sums of products of reciprocal distances in windows of d + 1 points."""
        n, dtype = z.size, numpy.result_type(z.dtype, 1.0)
        w = numpy.zeros_like(z, dtype=dtype)
        for place in range(d + 1):
            # The points that are at this place of a window.
            points = z[place : n - d + place]
            distances = numpy.ones_like(w[: n - d])
            for p in range(d + 1):
                if p != place:
                    distances = distances * numpy.abs(points - z[p : n - d + p])
            w[place : n - d + place] += 1 / distances
        signs = (-1.0) ** (numpy.arange(n) - d)
        return z, f, w * signs.astype(dtype)


def aaa(self, x, y, *, rtol=None, max_terms=100, clean_up=True, clean_up_tol=1e-13):
    """Initialize a rational approximation; see `scipy.interpolate.AAA`.

    Waits for the device some times for each support point.
    """
    adopt(self)
    self._initialize(x, y, 0, rtol=rtol, max_terms=max_terms)
    if clean_up:
        self.clean_up(clean_up_tol)


def floater_hormann(self, points, values, *, d=3, axis=0):
    """Initialize a rational interpolant; see `scipy.interpolate.FloaterHormannInterpolator`."""
    adopt(self)
    self._initialize(points, values, axis, d=operator.index(d))


def call(self, z):
    """Evaluate an interpolant that is on the host at points on the device."""
    if not is_held(self):
        device, host = device_of(z), self
        self = created(type(host))
        for name, value in vars(host).items():
            setattr(self, name, asarray(value, device=device) if isinstance(value, numpy.ndarray) else value)
    return self(z)
