"""`PPoly` and `BPoly` on device arrays: what both have in common, and piecewise polynomials of powers."""

import math

import numpy
import scipy.interpolate
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate import piece_kernels as kernels
from gpunp_scipy.interpolate.holders import (
    Attribute,
    Holder,
    adopt,
    computing_dtype,
    created,
    doubles,
    empty_values,
    holds,
    is_held,
    points_first,
    real_planes,
    scipys,
)


def falling(power, count):
    """The product of ``count`` integers from ``power`` down."""
    return math.perm(power, count)


def order_of(nu):
    """The order of a derivative as an int that is not negative."""
    nu = int(nu)
    if nu < 0:
        raise ValueError("Order of derivative cannot be negative")
    return nu


def outside_of(extrapolate):
    """The kernels' code for what points outside get."""
    if isinstance(extrapolate, str) and extrapolate == "periodic":
        return kernels.PERIODIC
    return kernels.EXTRAPOLATED if extrapolate else kernels.NAN_OUTSIDE


def evaluated(kind, c, x, points, nu, extrapolate):
    """Values of piecewise polynomials.

    Parameters
    ----------
    kind : {"power", "bernstein"}
    c : ndarray
        Terms x pieces x more axes, float64 or complex128.
    x : ndarray
        Breakpoints, float64.
    points : ndarray
        Float64.
    nu : int
    extrapolate : bool or "periodic"

    Returns
    -------
    ndarray
        Points x more axes.
    """
    out, planes = empty_values(points.size, c.shape[2:], c.dtype, c.device)
    if out.size:
        kernels.evaluate(
            kind,
            doubles(x, c.device),
            real_planes(doubles(c, c.device, c.dtype)),
            points,
            planes,
            c.shape[0],
            nu,
            outside_of(extrapolate),
            c.dtype.kind == "c",
        )
    return out.reshape(points.shape + c.shape[2:])


def connect(c, x, order):
    """Choose the lowest coefficients of pieces so that derivatives up to an order are continuous, in place.

    The coefficients of the first piece stay; those of the others are sums over the pieces before.
    """
    terms = c.shape[0]
    h = numpy.diff(x).reshape(-1, *[1] * (c.ndim - 2))
    for d in range(order, -1, -1):
        ends = 0.0
        for power in range(terms - 1, d, -1):
            ends = (ends + c[terms - 1 - power] * falling(power, d)) * h
        if c.shape[1] > 1:
            c[terms - 1 - d, 1:] = numpy.cumsum(ends[:-1], axis=0) / math.factorial(d)
            c[terms - 1 - d, 1:] += c[terms - 1 - d, 0]


def checked_pieces(c, x, axis):
    """Coefficients and breakpoints of a constructor, with SciPy's errors; waits for the device once."""
    device = device_of(c, x, nested=True) or get_device()
    c, x = asarray(c, device=device), doubles(x, device)
    if c.ndim < 2:
        raise ValueError("Coefficients array must be at least 2-dimensional.")
    if not 0 <= axis < c.ndim - 1:
        raise ValueError(f"axis={axis} must be between 0 and {c.ndim - 1}")
    if axis != 0:
        # The terms and the pieces come first.
        c = numpy.moveaxis(numpy.moveaxis(c, axis + 1, 0), axis + 1, 0)
    if x.ndim != 1:
        raise ValueError("x must be 1-dimensional")
    if x.size < 2:
        raise ValueError("at least 2 breakpoints are needed")
    if c.shape[0] == 0:
        raise ValueError("polynomial must be at least of order 0")
    if c.shape[1] != x.size - 1:
        raise ValueError("number of coefficients != len(x)-1")
    dx = numpy.diff(x)
    ascends, descends = fetched(numpy.stack([(dx >= 0).all(), (dx <= 0).all()]))
    if not (ascends or descends):
        raise ValueError("`x` must be strictly increasing or decreasing.")
    return doubles(c, device, computing_dtype(c.dtype)), x


def checked_extrapolate(extrapolate):
    """The attribute of an object for the argument of its constructor."""
    if extrapolate is None:
        return True
    return extrapolate if isinstance(extrapolate, str) and extrapolate == "periodic" else bool(extrapolate)


def within_period(a, b, start, end):
    """Split an integral of a periodic function.

    Returns
    -------
    periods : float
        How many whole periods there are.
    ranges : list of tuple of float
        The rest, as one or two ranges within the first period.
    """
    period = end - start
    periods, left = divmod(b - a, period)
    a = start + (a - start) % period
    b = a + left
    return periods, [(a, b)] if b <= end else [(a, end), (start, start + left + a - end)]


class Pieces(Holder):
    """What `PPoly` and `BPoly` have in common."""

    c, x, extrapolate, axis = Attribute(), Attribute(), Attribute(), Attribute()
    kind = None

    def _with(self, c, x, extrapolate=None, axis=0):
        """Set the attributes without checks."""
        self.c, self.x, self.axis = c, x, axis
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def _made(self, c, extrapolate):
        """An object of this class with the same breakpoints."""
        return created(type(self))._with(c, self.x, extrapolate, self.axis)

    def __call__(self, x, nu=0, extrapolate=None):
        """Evaluate the polynomial or its derivative; see `scipy.interpolate.PPoly.__call__`."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        points = doubles(x, self.c.device)
        values = self._values(points, order_of(nu), extrapolate)
        return points_first(values, points.ndim, self.axis)

    def _values(self, points, nu, extrapolate):
        return evaluated(self.kind, self.c, self.x, points, nu, extrapolate)

    def derivative(self, nu=1):
        """The derivative as a new object; see `scipy.interpolate.PPoly.derivative`."""
        if nu < 0:
            return self.antiderivative(-nu)
        return self._made(self._derived(nu), self.extrapolate)

    def antiderivative(self, nu=1):
        """The antiderivative as a new object; see `scipy.interpolate.PPoly.antiderivative`."""
        if nu <= 0:
            return self.derivative(-nu)
        extrapolate = self.extrapolate
        periodic = isinstance(extrapolate, str) and extrapolate == "periodic"
        return self._made(self._integrated(nu), False if periodic else extrapolate)

    def integrate(self, a, b, extrapolate=None):
        """The integral between two numbers; see `scipy.interpolate.PPoly.integrate`.

        Waits for the device if the polynomial is periodic, or the bounds are on the device.
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        a, b = (float(fetched(bound)) for bound in (a, b))
        sign, a, b = (1, a, b) if a <= b else (-1, b, a)
        whole = self.antiderivative()
        if not (isinstance(extrapolate, str) and extrapolate == "periodic"):
            return sign * whole._between([(a, b)], bool(extrapolate))
        start, end = map(float, fetched(self.x[:: self.x.size - 1]))
        if end < start:
            raise ValueError("Integral bounds not in order")
        periods, ranges = within_period(a, b, start, end)
        result = whole._between(ranges)
        if periods > 0:
            result = result + periods * whole._between([(start, end)])
        return sign * result

    def _between(self, ranges, extrapolate=False):
        """The sum over ranges of differences of values at their ends."""
        ends = doubles([end for pair in ranges for end in pair], self.c.device)
        values = self._values(ends, 0, extrapolate)
        return (values[1::2] - values[::2]).sum(axis=0) if len(ranges) > 1 else values[1] - values[0]

    def extend(self, c, x):
        """Add pieces before the first or after the last one; see `scipy.interpolate.PPoly.extend`."""
        c = asarray(c, device=self.c.device)
        x = asarray(x, device=self.c.device)
        if c.ndim < 2:
            raise ValueError("invalid dimensions for c")
        if x.ndim != 1:
            raise ValueError("invalid dimensions for x")
        if x.shape[0] != c.shape[1]:
            raise ValueError(f"Shapes of x {x.shape} and c {c.shape} are incompatible")
        if c.shape[2:] != self.c.shape[2:] or c.ndim != self.c.ndim:
            raise ValueError(f"Shapes of c {c.shape} and self.c {self.c.shape} are incompatible")
        if c.size == 0:
            return
        appended = _is_appended(fetched(x), *fetched(self.x[:: self.x.size - 1]))
        terms, (k1, k2) = max(c.shape[0], self.c.shape[0]), (self.c.shape[0], c.shape[0])
        dtype = computing_dtype(c.dtype, self.c.dtype)
        parts = [(self.c, k1), (c, k2)] if appended else [(c, k2), (self.c, k1)]
        made = gpunp.zeros(
            (terms, sum(part.shape[1] for part, _ in parts), *c.shape[2:]), dtype, device=c.device
        )
        start = 0
        for part, k in parts:
            made[terms - k :, start : start + part.shape[1]] = part
            start += part.shape[1]
        self.c = made
        self.x = doubles(numpy.concatenate((self.x, x) if appended else (x, self.x)), c.device)


def _is_appended(x, first, last):
    """Whether pieces that begin or end at breakpoints x come after those from ``first`` to ``last``."""
    dx = numpy.diff(x)
    if not (numpy.all(dx >= 0) or numpy.all(dx <= 0)):
        raise ValueError("`x` is not sorted.")
    # As if all ascended.
    sign = 1 if last >= first else -1
    if not sign * x[-1] >= sign * x[0]:
        raise ValueError("`x` is in the different order than `self.x`.")
    if sign * x[0] >= sign * last:
        return True
    if sign * x[-1] <= sign * first:
        return False
    raise ValueError("`x` is neither on the left or on the right from `self.x`.")


@holds(scipy.interpolate.PPoly)
class PowerPieces(Pieces):
    """Methods of `scipy.interpolate.PPoly` and its subclasses for device arrays."""

    kind = "power"

    def _derived(self, nu):
        terms = self.c.shape[0]
        if nu == 0:
            return self.c.copy()
        if nu >= terms:
            return gpunp.zeros((1, *self.c.shape[1:]), self.c.dtype, device=self.c.device)
        factors = numpy.array([float(falling(power, nu)) for power in range(terms - 1, nu - 1, -1)])
        return self.c[:-nu] * factors.reshape(-1, *[1] * (self.c.ndim - 1))

    def _integrated(self, nu):
        terms = self.c.shape[0]
        factors = numpy.array([float(falling(power + nu, nu)) for power in range(terms - 1, -1, -1)])
        c = gpunp.zeros((terms + nu, *self.c.shape[1:]), self.c.dtype, device=self.c.device)
        c[:-nu] = self.c / factors.reshape(-1, *[1] * (self.c.ndim - 1))
        connect(c, self.x, nu - 1)
        return c

    def solve(self, y=0.0, discontinuity=True, extrapolate=None):
        """Points where the polynomial has a value; see `scipy.interpolate.PPoly.solve`."""
        from gpunp_scipy.interpolate.roots import solve

        return solve(self, y, discontinuity, extrapolate)

    def roots(self, discontinuity=True, extrapolate=None):
        """Zeros of the polynomial; see `scipy.interpolate.PPoly.roots`."""
        return self.solve(0, discontinuity, extrapolate)


def ppoly(self, c, x, extrapolate=None, axis=0):
    """Initialize a piecewise polynomial; see `scipy.interpolate.PPoly`."""
    extrapolate = checked_extrapolate(extrapolate)
    c, x = checked_pieces(c, x, axis)
    adopt(self)
    self._with(c, x, extrapolate, axis)


def construct_fast(cls, c, x, extrapolate=None, axis=0):
    """A piecewise polynomial without checks; see `scipy.interpolate.PPoly.construct_fast`."""
    device = device_of(c, x)
    return created(cls)._with(asarray(c, device=device), asarray(x, device=device), extrapolate, axis)


def call(self, x, nu=0, extrapolate=None):
    """Evaluate a polynomial that is on the host at points on the device."""
    if not is_held(self):
        device = device_of(x, nu)
        self = created(type(self))._with(
            doubles(self.c, device, self.c.dtype), doubles(self.x, device), self.extrapolate, self.axis
        )
    return self(x, nu, extrapolate)


def from_bernstein_basis(cls, bp, extrapolate=None):
    """Powers from Bernstein's polynomials; see `scipy.interpolate.PPoly.from_bernstein_basis`."""
    if not (is_held(bp) and isinstance(bp, scipy.interpolate.BPoly)):
        return scipys("PPoly.from_bernstein_basis")(cls, bp, extrapolate=extrapolate)
    h = numpy.diff(bp.x).reshape(-1, *[1] * (bp.c.ndim - 2))
    k = bp.c.shape[0] - 1
    c = [0.0] * (k + 1)
    for power in range(k + 1):
        # Forward differences of the coefficients.
        for a in range(power + 1):
            c[k - power] = c[k - power] + (-1) ** (power - a) * math.comb(power, a) * bp.c[a]
        c[k - power] = c[k - power] * math.comb(k, power) / h**power
    return created(cls)._with(
        numpy.stack(c), bp.x, bp.extrapolate if extrapolate is None else extrapolate, bp.axis
    )
