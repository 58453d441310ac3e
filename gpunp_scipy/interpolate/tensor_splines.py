"""`NdBSpline` on device arrays: tensor products of B-splines."""

import math
import operator

import numpy
import scipy.interpolate
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate import piece_kernels as kernels
from gpunp_scipy.interpolate.holders import (
    F8,
    Attribute,
    Holder,
    adopt,
    computing_dtype,
    created,
    doubles,
    empty_values,
    holds,
    is_held,
    real_planes,
)
from gpunp_scipy.interpolate.splines import differentiated, padded


def evaluated(t, c, k, points, nu, fill):
    """Values of a tensor product, or of a derivative of it.

    Parameters
    ----------
    t : sequence of ndarray
        Knots by axis, float64.
    c : ndarray
        Coefficients, axes first; float64 or complex128.
    k, nu : sequence of int
        Degrees and orders of derivatives by axis.
    points : ndarray
        Points x axes, float64.
    fill : complex or None
        The value outside of the knots; None extrapolates.

    Returns
    -------
    ndarray
        Points x more axes of ``c``.
    """
    rank = len(t)
    if rank > kernels.MOST_AXES or max(k) > kernels.HIGHEST_GRID_DEGREE:
        raise NotImplementedError(
            f"tensor products of B-splines have at most {kernels.MOST_AXES} axes and degrees of at most "
            f"{kernels.HIGHEST_GRID_DEGREE} on the device"
        )
    out, planes = empty_values(points.shape[0], c.shape[rank:], c.dtype, c.device)
    kernels.evaluate_grid(
        [doubles(knots, c.device) for knots in t],
        real_planes(doubles(c, c.device, c.dtype)),
        points,
        planes,
        k,
        nu,
        fill,
        c.dtype.kind == "c",
    )
    return out


def checked_knots(k, t):
    """Degrees and knots, with SciPy's errors; waits for the device once."""
    if not isinstance(t, tuple):
        raise ValueError(f"Expect `t` to be a tuple of array-likes. Got {t} instead.")
    device = device_of(*t) or get_device()
    t = [doubles(each, device) for each in t]
    k = [k] * len(t) if not hasattr(k, "__len__") else k
    k = tuple(operator.index(each) for each in k)
    if len(k) != len(t):
        raise ValueError(f"len(t) = {len(t)} != len(k) = {len(k)!r}.")
    flags = []
    for own, degree in zip(t, k, strict=True):
        n = own.shape[0] - degree - 1
        if own.ndim == 1 and n > degree >= 0:
            flags += [(own[1:] < own[:-1]).any(), own[degree] == own[n], numpy.isfinite(own).all()]
    flags = iter(fetched(numpy.stack(flags)) if flags else ())
    for d, (own, degree) in enumerate(zip(t, k, strict=True)):
        if degree < 0:
            raise ValueError(f"Spline degree in dimension {d} cannot be negative.")
        if own.ndim != 1:
            raise ValueError(f"Knot vector in dimension {d} must be one-dimensional.")
        if own.shape[0] - degree - 1 < degree + 1:
            raise ValueError(f"Need at least {2 * degree + 2} knots for degree {degree} in dimension {d}.")
        if next(flags):
            raise ValueError(f"Knots in dimension {d} must be in a non-decreasing order.")
        if next(flags):
            raise ValueError(f"Need at least two internal knots in dimension {d}.")
        if not next(flags):
            raise ValueError(f"Knots in dimension {d} should not have nans or infs.")
    return k, tuple(t)


def checked_orders(nu, ndim):
    """Orders of derivatives by axis, with SciPy's errors."""
    if nu is None:
        return (0,) * ndim
    orders = numpy.asarray(fetched(nu), dtype=numpy.int64)
    if orders.ndim != 1 or orders.shape[0] != ndim:
        raise ValueError(f"invalid number of derivative orders nu = {orders!r} for ndim = {ndim}.")
    if any(orders < 0):
        raise ValueError(f"derivatives must be positive, got nu = {orders!r}")
    return tuple(map(int, orders))


@holds(scipy.interpolate.NdBSpline)
class TensorSplines(Holder):
    """Methods of `scipy.interpolate.NdBSpline` for device arrays."""

    t, c, k, extrapolate = Attribute(), Attribute(), Attribute(), Attribute()

    def _with(self, t, c, k, extrapolate=True):
        """Set the attributes without checks."""
        self.t, self.c, self.k, self.extrapolate = tuple(t), c, tuple(k), bool(extrapolate)
        return self

    def __call__(self, xi, *, nu=None, extrapolate=None):
        """Evaluate the tensor product or its derivative; see `scipy.interpolate.NdBSpline.__call__`."""
        ndim = len(self.t)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        nu = checked_orders(nu, ndim)
        xi = doubles(xi, self.c.device)
        shape = xi.shape
        if shape[-1] != ndim:
            raise ValueError(f"Shapes: xi.shape={shape} and ndim={ndim}")
        points = xi.reshape(math.prod(shape[:-1]), ndim)
        nan = complex(math.nan, math.nan if self.c.dtype.kind == "c" else 0)
        values = evaluated(self.t, self.c, self.k, points, nu, None if extrapolate else nan)
        return values.reshape(shape[:-1] + self.c.shape[ndim:])

    def derivative(self, nu):
        """A derivative as a new object; see `scipy.interpolate.NdBSpline.derivative`."""
        nu = checked_orders(nu, len(self.t))
        t, k, c = list(self.t), list(self.k), self.c
        for axis, n in enumerate(nu):
            if n == 0:
                continue
            rows = numpy.moveaxis(c, axis, 0)
            if n <= k[axis]:
                t[axis], rows, k[axis] = differentiated(t[axis], padded(t[axis], rows), k[axis], n)
                rows = rows[: len(t[axis]) - k[axis] - 1]
            else:
                k[axis] = 0
                extents = (len(t[axis]) - 1, *rows.shape[1:])
                rows = gpunp.zeros(extents, F8, device=c.device)
            c = numpy.moveaxis(rows, 0, axis)
        return created(type(self))._with(t, doubles(c, c.device, c.dtype), k, self.extrapolate)


def nd_bspline(self, t, c, k, *, extrapolate=None):
    """Initialize a tensor product of B-splines; see `scipy.interpolate.NdBSpline`. Waits for the device."""
    given, (k, t) = k, checked_knots(k, t)
    ndim, device = len(t), t[0].device
    c = asarray(c, device=device_of(c) or device)
    if c.ndim < ndim:
        raise ValueError(f"Coefficients must be at least {ndim}-dimensional.")
    for d in range(ndim):
        n = t[d].shape[0] - k[d] - 1
        if c.shape[d] != n:
            raise ValueError(
                f"Knots, coefficients and degree in dimension {d} are inconsistent: got {c.shape[d]} "
                f"coefficients for {len(t[d])} knots, need at least {n} for k={given}."
            )
    adopt(self)
    c = doubles(c, c.device, computing_dtype(c.dtype))
    self._with(t, c, k, True if extrapolate is None else extrapolate)


def call(self, xi, *, nu=None, extrapolate=None):
    """Evaluate a tensor product that is on the host at points on the device."""
    if not is_held(self):
        device = device_of(xi, nu)
        c = doubles(self.c, device, computing_dtype(self.c.dtype))
        self = created(type(self))._with([doubles(t, device) for t in self.t], c, self.k, self.extrapolate)
    return self(xi, nu=nu, extrapolate=extrapolate)
