"""`NdPPoly` on device arrays: tensor products of piecewise polynomials."""

import math

import numpy
import scipy.interpolate
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.coordinates import coordinates
from gpunp_scipy.interpolate.holders import (
    Attribute,
    Holder,
    adopt,
    computing_dtype,
    created,
    doubles,
    holds,
    is_held,
)
from gpunp_scipy.interpolate.pieces import connect, falling

# Coefficients that are gathered at once.
_MOST_GATHERED = 1 << 24


@holds(scipy.interpolate.NdPPoly)
class PowerGrids(Holder):
    """Methods of `scipy.interpolate.NdPPoly` for device arrays."""

    c, x, extrapolate = Attribute(), Attribute(), Attribute()

    def _with(self, c, x, extrapolate=None):
        """Set the attributes without checks."""
        self.c, self.x = c, tuple(x)
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def __call__(self, x, nu=None, extrapolate=None):
        """Evaluate the polynomial or a derivative; see `scipy.interpolate.NdPPoly.__call__`."""
        ndim = len(self.x)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        x = coordinates(x, device=self.c.device)
        shape = x.shape[:-1]
        points = doubles(x.reshape(math.prod(shape), x.shape[-1]), self.c.device)
        nu = numpy.zeros(ndim, int) if nu is None else numpy.asarray(fetched(nu)).astype(int)
        if nu.ndim != 1 or nu.shape[0] != ndim:
            raise ValueError("invalid number of derivative orders nu")
        if points.shape[1] != ndim:
            raise ValueError("invalid number of dimensions in xp")
        if any(nu < 0):
            raise ValueError("Order of derivative cannot be negative")
        rest = self.c.shape[2 * ndim :]
        each = max(1, math.prod(self.c.shape[:ndim]) * math.prod(rest))
        step = max(1, _MOST_GATHERED // each)
        parts = [self._values(points[i : i + step], nu, extrapolate) for i in range(0, points.shape[0], step)]
        if not parts:
            return gpunp.empty((*shape, *rest), self.c.dtype, device=self.c.device)
        return (numpy.concatenate(parts) if len(parts) > 1 else parts[0]).reshape((*shape, *rest))

    def _values(self, points, nu, extrapolate):
        ndim = len(self.x)
        places, distances, inside = [], [], True
        for axis, x in enumerate(self.x):
            at = points[:, axis]
            i = numpy.clip(numpy.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
            places.append(i)
            distances.append(at - x[i])
            within = at == at if extrapolate else (at >= x[0]) & (at <= x[-1])
            inside = within & inside
        # Powers by axis, points, more axes.
        c = self.c[(slice(None),) * ndim + tuple(places)]
        column = (slice(None), *[None] * (c.ndim - ndim - 1))
        for axis in range(ndim):
            s = distances[axis][column]
            terms, total = c.shape[0], 0.0
            for power in range(terms - 1, int(nu[axis]) - 1, -1):
                total = total * s + c[terms - 1 - power] * float(falling(power, int(nu[axis])))
            c = total if terms > nu[axis] else numpy.zeros_like(c[0])
        return numpy.where(inside[column], c, c.dtype.type(math.nan))

    def _changed(self, nu, change):
        c = self.c
        for axis, n in enumerate(nu):
            c = change(c, int(n), axis)
        return created(type(self))._with(doubles(c, c.device, c.dtype), self.x, self.extrapolate)

    def derivative(self, nu):
        """A derivative as a new object; see `scipy.interpolate.NdPPoly.derivative`."""
        return self._changed(nu, self._derived)

    def antiderivative(self, nu):
        """An antiderivative as a new object; see `scipy.interpolate.NdPPoly.antiderivative`."""
        return self._changed(nu, lambda c, n, axis: self._derived(c, -n, axis))

    def _derived(self, c, nu, axis):
        """Coefficients of a derivative along an axis, or of an antiderivative with a negative order."""
        if nu == 0:
            return c
        ndim = len(self.x)
        # The powers and the pieces of the axis come first.
        c = numpy.moveaxis(c, (axis, ndim + axis), (0, 1))
        terms, column = c.shape[0], (slice(None), *[None] * (c.ndim - 1))
        if nu >= terms:
            made = gpunp.zeros((1, *c.shape[1:]), c.dtype, device=c.device)
        elif nu > 0:
            factors = numpy.array([float(falling(power, nu)) for power in range(terms - 1, nu - 1, -1)])
            made = c[:-nu] * factors[column]
        else:
            factors = numpy.array([float(falling(power - nu, -nu)) for power in range(terms - 1, -1, -1)])
            made = gpunp.zeros((terms - nu, *c.shape[1:]), c.dtype, device=c.device)
            made[:nu] = c / factors[column]
            connect(made, self.x[axis], -nu - 1)
        return numpy.moveaxis(made, (0, 1), (axis, ndim + axis))

    def integrate_1d(self, a, b, axis, extrapolate=None):
        """Integrate along one axis; see `scipy.interpolate.NdPPoly.integrate_1d`."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        axis = int(axis) % ndim
        c = numpy.moveaxis(self.c, (axis, ndim + axis), (0, 1))
        out = self._integral(c, axis, a, b, extrapolate)
        if ndim == 1:
            return out
        return created(type(self))._with(out, self.x[:axis] + self.x[axis + 1 :], extrapolate)

    def _integral(self, c, axis, a, b, extrapolate):
        c = doubles(c, c.device, c.dtype)
        line = scipy.interpolate.PPoly.construct_fast(c, self.x[axis], extrapolate=extrapolate)
        return line.integrate(a, b, extrapolate=extrapolate)

    def integrate(self, ranges, extrapolate=None):
        """Integrate over a box; see `scipy.interpolate.NdPPoly.integrate`."""
        ndim = len(self.x)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        if not hasattr(ranges, "__len__") or len(ranges) != ndim:
            raise ValueError("Range not a sequence of correct length")
        c = self.c
        for n, (a, b) in enumerate(ranges):
            c = self._integral(numpy.moveaxis(c, ndim - n, 1), n, a, b, extrapolate)
        return c


def nd_ppoly(self, c, x, extrapolate=None):
    """Initialize a tensor product; see `scipy.interpolate.NdPPoly`. Waits for the device."""
    device = device_of(c, *x) or get_device()
    x = tuple(doubles(each, device) for each in x)
    c = asarray(c, device=device)
    ndim = len(x)
    if any(each.ndim != 1 for each in x):
        raise ValueError("x arrays must all be 1-dimensional")
    if any(each.size < 2 for each in x):
        raise ValueError("x arrays must all contain at least 2 points")
    if c.ndim < 2 * ndim:
        raise ValueError("c must have at least 2*len(x) dimensions")
    if bool(numpy.stack([(numpy.diff(each) < 0).any() for each in x]).any()):
        raise ValueError("x-coordinates are not in increasing order")
    if any(a != b.size - 1 for a, b in zip(c.shape[ndim : 2 * ndim], x, strict=True)):
        raise ValueError("x and c do not agree on the number of intervals")
    adopt(self)
    c = doubles(c, device, computing_dtype(c.dtype))
    self._with(c, x, True if extrapolate is None else bool(extrapolate))


def construct_fast(cls, c, x, extrapolate=None):
    """A tensor product without checks; see `scipy.interpolate.NdPPoly.construct_fast`."""
    device = device_of(c, *x)
    c, x = asarray(c, device=device), [asarray(each, device=device) for each in x]
    return created(cls)._with(c, x, extrapolate)


def call(self, x, nu=None, extrapolate=None):
    """Evaluate a tensor product that is on the host at points on the device."""
    if not is_held(self):
        device = device_of(x, nu, nested=True)
        x_of_self = [doubles(each, device) for each in self.x]
        self = created(type(self))._with(asarray(self.c, device=device), x_of_self, self.extrapolate)
    return self(x, nu, extrapolate)
