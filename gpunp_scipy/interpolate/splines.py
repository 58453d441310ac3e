"""`BSpline` on device arrays."""

import itertools
import math
import operator

import numpy
import scipy.interpolate
from gpunp.device import get_device
from numpy.lib.array_utils import normalize_axis_index

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
from gpunp_scipy.interpolate.knots import end_knots, not_a_knot, periodic_knots
from gpunp_scipy.interpolate.pieces import outside_of, within_period


def evaluated(t, c, k, points, nu, extrapolate):
    """Values of a spline, or of a derivative of it.

    Parameters
    ----------
    t : ndarray
        Knots, float64.
    c : ndarray
        Coefficients along the first axis, float64 or complex128.
    k, nu : int
        The degree, and the order of the derivative.
    points : ndarray
        Float64.
    extrapolate : bool or "periodic"

    Returns
    -------
    ndarray
        Points x more axes of ``c``.
    """
    if k > kernels.HIGHEST_DEGREE:
        raise NotImplementedError(
            f"B-splines of degree {k} cannot be evaluated on the device, only of degrees up to "
            f"{kernels.HIGHEST_DEGREE}"
        )
    out, planes = empty_values(points.size, c.shape[1:], c.dtype, c.device)
    kernels.evaluate(
        "spline",
        doubles(t, c.device),
        real_planes(doubles(c, c.device, c.dtype)),
        points,
        planes,
        k + 1,
        nu,
        outside_of(extrapolate),
        pairs=False,
        first=k,
    )
    return out.reshape(points.shape + c.shape[1:])


def padded(t, c):
    """Coefficients as many as knots."""
    missing = t.shape[0] - c.shape[0]
    if missing <= 0:
        return c
    return numpy.concatenate((c, gpunp.zeros((missing, *c.shape[1:]), c.dtype, device=c.device)))


def _down(values, like):
    """A column of factors for coefficients."""
    return values.reshape(-1, *[1] * (like.ndim - 1))


def differentiated(t, c, k, n):
    """Knots, coefficients and degree of the derivative of order n; waits to look for repeated knots."""
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    order, flat = n, []
    for _ in range(n):
        dt = t[k + 1 : -1] - t[1 : -k - 1]
        flat.append((dt == 0).any())
        c = (c[1 : -1 - k] - c[: -2 - k]) * k / _down(dt, c)
        c = numpy.concatenate((c, gpunp.zeros((k, *c.shape[1:]), c.dtype, device=c.device)))
        t = t[1:-1]
        k -= 1
    if flat and bool(numpy.stack(flat).any()):
        raise ValueError(f"The spline has internal repeated knots and is not differentiable {order} times")
    return t, c, k


def integrated(t, c, k, n):
    """Knots, coefficients and degree of the antiderivative of order n."""
    for _ in range(n):
        c = numpy.cumsum(c[: -k - 1] * _down(t[k + 1 :] - t[: -k - 1], c), axis=0) / (k + 1)
        last = numpy.broadcast_to(c[-1:], (k + 2, *c.shape[1:]))
        c = numpy.concatenate((gpunp.zeros((1, *c.shape[1:]), c.dtype, device=c.device), c, last))
        t = numpy.concatenate((t[:1], t, t[-1:]))
        k += 1
    return t, c, k


@holds(scipy.interpolate.BSpline)
class Splines(Holder):
    """Methods of `scipy.interpolate.BSpline` for device arrays."""

    t, c, k, extrapolate, axis = Attribute(), Attribute(), Attribute(), Attribute(), Attribute()

    def _with(self, t, c, k, extrapolate=True, axis=0):
        """Set the attributes without checks."""
        self.t, self.c, self.k, self.extrapolate, self.axis = t, c, k, extrapolate, axis
        return self

    def _made(self, t, c, k, extrapolate):
        return created(type(self))._with(t, c, k, extrapolate, self.axis)

    def _is_periodic(self, extrapolate):
        return isinstance(extrapolate, str) and extrapolate == "periodic"

    def __call__(self, x, nu=0, extrapolate=None):
        """Evaluate the spline or its derivative; see `scipy.interpolate.BSpline.__call__`."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if nu < 0:
            raise NotImplementedError(f"Cannot do derivative order nu= {nu}")
        points = doubles(x, self.c.device)
        values = evaluated(self.t, self.c, self.k, points, int(nu), extrapolate)
        return points_first(values, points.ndim, self.axis)

    def derivative(self, nu=1):
        """The derivative as a new spline; see `scipy.interpolate.BSpline.derivative`."""
        if nu < 0:
            return self.antiderivative(-nu)
        return self._made(*differentiated(self.t, padded(self.t, self.c), self.k, int(nu)), self.extrapolate)

    def antiderivative(self, nu=1):
        """The antiderivative as a new spline; see `scipy.interpolate.BSpline.antiderivative`."""
        c = padded(self.t, self.c)
        made = integrated(self.t, c, self.k, nu) if nu >= 0 else differentiated(self.t, c, self.k, -nu)
        extrapolate = self.extrapolate
        return self._made(*made, False if self._is_periodic(extrapolate) else extrapolate)

    def integrate(self, a, b, extrapolate=None):
        """The integral between two numbers; see `scipy.interpolate.BSpline.integrate`.

        Waits for the device unless the spline is extrapolated.
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        a, b = (float(fetched(bound)) for bound in (a, b))
        sign, a, b = (-1, b, a) if b < a else (1, a, b)
        n = self.t.size - self.k - 1
        t, c, k = integrated(self.t, padded(self.t, self.c), self.k, 1)

        def between(ranges):
            ends = doubles([end for pair in ranges for end in pair], c.device)
            values = evaluated(t, c, k, ends, 0, extrapolate is True)
            return (values[1::2] - values[::2]).sum(axis=0) if len(ranges) > 1 else values[1] - values[0]

        periodic = self._is_periodic(extrapolate)
        extrapolate = not periodic and bool(extrapolate)
        if extrapolate:
            return between([(a, b)]) * sign
        start, end = map(float, fetched(numpy.stack((self.t[self.k], self.t[n]))))
        if not periodic:
            a, b = max(a, start), min(b, end)
            if self.c.ndim == 1 and a >= b:
                return gpunp.zeros((), self.c.dtype, device=self.c.device)
            return between([(a, b)]) * sign
        periods, ranges = within_period(a, b, start, end)
        result = between(ranges)
        if periods > 0:
            result = result + periods * between([(start, end)])
        return result * sign

    def insert_knot(self, x, m=1):
        """Insert a knot m times; see `scipy.interpolate.BSpline.insert_knot`. Waits for the knots."""
        x = float(fetched(x))
        t = fetched(self.t)
        if x < t[self.k] or x > t[-self.k - 1]:
            raise ValueError(f"Cannot insert a knot at {x}.")
        if m <= 0:
            raise ValueError(f"`m` must be positive, got m = {m!r}.")
        c = self.c
        for _ in range(m):
            t, c = _inserted(x, t, c, self.k, self._is_periodic(self.extrapolate))
        return self._made(asarray(t, device=c.device), c, self.k, self.extrapolate)


def _inserted(x, t, c, k, periodic):
    """Boehm's algorithm for one knot; knots are on the host."""
    n = t.size - k - 1
    interval = min(max(int(numpy.searchsorted(t, x, side="right")) - 1, k), n - 1)
    if t[interval] == t[interval + k + 1]:
        interval -= 1
    if periodic and interval + 1 <= 2 * k and interval + 1 >= t.shape[0] - 2 * k:
        raise ValueError("Not enough internal knots.")
    tt = numpy.concatenate((t[: interval + 1], [x], t[interval + 1 :]))
    parts = [c[: interval - k + 1]]
    for i in range(interval - k + 1, interval + 1):
        weight = (x - tt[i]) / (tt[i + k + 1] - tt[i])
        parts.append((weight * c[i] + (1.0 - weight) * c[i - 1])[None])
    cc = numpy.concatenate((*parts, c[interval:]))
    if periodic:
        size = tt.shape[0]
        last, before = size - k - 1, size - 2 * k - 1
        period = tt[last] - tt[k]
        if interval >= last - k:
            tt[:k] = tt[last - k : last] - period
            cc[:k] = cc[before : before + k]
        if interval <= 2 * k - 1:
            tt[size - k :] = tt[k + 1 : 2 * k + 1] + period
            cc[before : before + k] = cc[:k]
    return tt, cc


def bspline(self, t, c, k, extrapolate=True, axis=0):
    """Initialize a spline; see `scipy.interpolate.BSpline`. Waits for the device to check the knots."""
    device = device_of(t, c, nested=True) or get_device()
    k = operator.index(k)
    c, t = asarray(c, device=device), doubles(t, device)
    if not (isinstance(extrapolate, str) and extrapolate == "periodic"):
        extrapolate = bool(extrapolate)
    n = t.shape[0] - k - 1
    axis = normalize_axis_index(axis, c.ndim)
    c = numpy.moveaxis(c, axis, 0)
    if k < 0:
        raise ValueError("Spline order cannot be negative.")
    if t.ndim != 1:
        raise ValueError("Knot vector must be one-dimensional.")
    if n < k + 1:
        raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
    falls, same, finite = fetched(
        numpy.stack([(t[1:] < t[:-1]).any(), t[k] == t[n], numpy.isfinite(t).all()])
    )
    if falls:
        raise ValueError("Knots must be in a non-decreasing order.")
    if same:
        raise ValueError("Need at least two internal knots.")
    if not finite:
        raise ValueError("Knots should not have nans or infs.")
    if c.shape[0] < n:
        raise ValueError("Knots, coefficients and degree are inconsistent.")
    adopt(self)
    self._with(t, doubles(c, device, computing_dtype(c.dtype)), k, extrapolate, axis)


def construct_fast(cls, t, c, k, extrapolate=True, axis=0):
    """A spline without checks; see `scipy.interpolate.BSpline.construct_fast`."""
    device = device_of(t, c)
    return created(cls)._with(asarray(t, device=device), asarray(c, device=device), k, extrapolate, axis)


def call(self, x, nu=0, extrapolate=None):
    """Evaluate a spline that is on the host at points on the device."""
    if not is_held(self):
        device = device_of(x, nu)
        self = created(type(self))._with(
            doubles(self.t, device),
            doubles(self.c, device, computing_dtype(self.c.dtype)),
            self.k,
            self.extrapolate,
            self.axis,
        )
    return self(x, nu, extrapolate)


def basis_element(cls, t, extrapolate=True):
    """One B-spline; see `scipy.interpolate.BSpline.basis_element`."""
    k = t.shape[0] - 2
    if k < 0:
        raise ValueError("BSpline.basis_element requires at least 2 knots")
    t = doubles(t, t.device)
    t = numpy.concatenate((*[t[:1] - 1] * k, t, *[t[-1:] + 1] * k))
    c = numpy.zeros_like(t)
    c[k] = 1.0
    return created(cls)._with(t, c, k, extrapolate)


def from_power_basis(cls, pp, bc_type="not-a-knot"):
    """The B-spline form of a cubic spline; see `scipy.interpolate.BSpline.from_power_basis`."""
    if not is_held(pp):
        return scipys("BSpline.from_power_basis")(cls, pp, bc_type=bc_type)
    if not isinstance(pp, scipy.interpolate.CubicSpline):
        raise NotImplementedError(f"Only CubicSpline objects are accepted for now. Got {type(pp)} instead.")
    x, coef = pp.x, pp.c
    k, n = coef.shape[0] - 1, x.shape[0]
    knots_of = {"not-a-knot": not_a_knot, "natural": end_knots, "clamped": end_knots}
    knots_of["periodic"] = periodic_knots
    if bc_type not in knots_of:
        raise TypeError(f"Unknown boundary condition: {bc_type}")
    t = knots_of[bc_type](x, k)
    size = t.shape[0] - k - 1
    # Each coefficient is a sum of derivatives at the left end of a piece, by de Boor and Fix.
    piece = numpy.minimum(numpy.arange(size), n - 2)
    place = x[piece]
    distances = [place - t[p : p + size] for p in range(1, k + 1)]
    c = gpunp.zeros(size, coef.dtype, device=coef.device)
    for m in range(k + 1):
        dual = 0.0
        for left in itertools.combinations(distances, k - m):
            dual = dual + math.prod(left) * math.factorial(m)
        scale = (-1) ** (k - m) * math.factorial(k - m) / math.factorial(k)
        c += scale * coef[m, piece] * dual
    return created(cls)._with(t, c, k, pp.extrapolate, pp.axis)


def ppoly_from_spline(cls, tck, extrapolate=None):
    """The powers of a spline; see `scipy.interpolate.PPoly.from_spline`."""
    is_object = isinstance(tck, scipy.interpolate.BSpline)
    if not is_held(tck) if is_object else device_of(*tck) is None:
        return scipys("PPoly.from_spline")(cls, tck, extrapolate=extrapolate)
    if is_object and extrapolate is None:
        extrapolate = tck.extrapolate
    t, c, k = tck.tck if is_object else tck
    device = device_of(t, c)
    t, c = doubles(t, device), asarray(c, device=device)
    c = doubles(c, device, computing_dtype(c.dtype))
    rows = [evaluated(t, c, k, t[:-1], m, extrapolate=True) / math.factorial(m) for m in range(k, -1, -1)]
    return created(cls)._with(numpy.stack(rows), t, extrapolate)
