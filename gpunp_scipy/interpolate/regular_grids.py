"""`RegularGridInterpolator` and `interpn` on device arrays."""

import itertools
import math

import numpy
import scipy.interpolate
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.coordinates import coordinates
from gpunp_scipy.interpolate.cubics import pchip_slopes
from gpunp_scipy.interpolate.holders import (
    Attribute,
    Holder,
    adopt,
    computing_dtype,
    created,
    doubles,
    holds,
    is_held,
    refused,
)
from gpunp_scipy.interpolate.knots import not_a_knot
from gpunp_scipy.interpolate.spline_fits import interpolated
from gpunp_scipy.interpolate.tensor_splines import checked_orders, evaluated

_SCIPYS = scipy.interpolate.RegularGridInterpolator
_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
_LEGACY = ("slinear_legacy", "cubic_legacy", "quintic_legacy")
_METHODS = ("linear", "nearest", *_DEGREES, "pchip", *_LEGACY)
# Elements of neighbourhoods that "pchip" gathers at once.
_MOST_GATHERED = 1 << 24


def _degree(method):
    """The degree of the splines of a method, or 3 for "pchip"."""
    return _DEGREES.get(method.removesuffix("_legacy"), 3)


def _enough_points(points, method):
    k = _degree(method)
    for i, point in enumerate(points):
        count = len(numpy.atleast_1d(point))
        if count <= k:
            raise ValueError(
                f"There are {count} points in dimension {i}, but method {method} requires at least  "
                f"{k + 1} points per dimension."
            )


def _checked_grid(points, values, of_splines):
    """Check points; waits for the device once. Splines (``of_splines``) need finite ones.

    Returns
    -------
    grid : tuple of ndarray
        Ascending points by axis.
    descending : tuple of int
        The axes along which they descended.
    is_bounded, are_finite : bool
        Whether all points, and whether all values are finite.
    """
    device = values.device
    grid = [doubles(each, device) for each in points]
    # Of one point, both comparisons hold.
    flags = [
        flag
        for p in grid
        for flag in ((p[1:] > p[:-1]).all(), (p[1:] < p[:-1]).all(), numpy.isfinite(p).all())
    ]
    *flags, are_finite = fetched(numpy.stack([*flags, numpy.isfinite(values).all()]))
    descending = []
    for i, (ascends, descends) in enumerate(zip(flags[::3], flags[1::3], strict=True)):
        if not (ascends or descends):
            raise ValueError(f"The points in dimension {i} must be strictly ascending or descending")
        if not ascends:
            descending.append(i)
            grid[i] = doubles(numpy.flip(grid[i]), device)
    for i, finite in enumerate(flags[2::3]):
        if of_splines and not finite:
            raise ValueError(f"Knots in dimension {i} should not have nans or infs.")
    return tuple(grid), tuple(descending), all(flags[2::3]), bool(are_finite)


def _require_real(values, method):
    if method == "pchip" and values.dtype.kind == "c":
        raise ValueError(
            "`PchipInterpolator` only works with real values. If you are trying to use the real components "
            "of the passed array, use `np.real` on the array before passing to `RegularGridInterpolator`."
        )


def _require_finite(are_finite):
    if not are_finite:
        raise ValueError("Splines and pchip need finite values; there is an infinity or NaN among them")


def _same_extents(grid, values):
    if len(grid) > values.ndim:
        raise ValueError(f"There are {len(grid)} point arrays, but values has {values.ndim} dimensions")
    for i, p in enumerate(grid):
        if p.ndim != 1:
            raise ValueError(f"The points in dimension {i} must be 1-dimensional")
        if values.shape[i] != len(p):
            raise ValueError(f"There are {len(p)} points and {values.shape[i]} values in dimension {i}")


@holds(_SCIPYS)
class RegularGrids(Holder):
    """Methods of `scipy.interpolate.RegularGridInterpolator` for device arrays."""

    grid, values = Attribute(), Attribute()

    def __call__(self, xi, method=None, *, nu=None):
        """Interpolate at points; see `scipy.interpolate.RegularGridInterpolator.__call__`.

        With ``bounds_error`` waits for the device to compare the points with the bounds.
        """
        method = self.method if method is None else method
        if method not in _METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        if nu is not None and method not in _DEGREES:
            raise ValueError(
                f"Can only compute derivatives for methods {_SCIPYS._SPLINE_METHODS_ndbspl}, "
                f"got method ={method!r}."
            )
        if method != self.method and method not in ("linear", "nearest"):
            _enough_points(self.grid, method)
        if method not in ("linear", "nearest"):
            self._check_values(method)
        ndim = len(self.grid)
        xi = coordinates(xi, ndim, self.values.device)
        if xi.shape[-1] != ndim:
            raise ValueError(
                f"The requested sample points xi have dimension {xi.shape[-1]} but this "
                f"RegularGridInterpolator has dimension {ndim}"
            )
        shape = xi.shape[:-1]
        points = doubles(xi.reshape(math.prod(shape), ndim), self.values.device)
        if self.bounds_error:
            self._check_bounds(points)
        fill = None if self.bounds_error else self.fill_value
        if method in ("nearest", "pchip"):
            values = (self._nearest if method == "nearest" else self._pchip)(points)
            values = self._filled(points, values, fill)
        else:
            orders = checked_orders(nu, ndim)
            fill = None if fill is None else complex(fetched(fill).item())
            if method == "linear":
                values = self._linear(points, fill)
            else:
                t, c, k = self._spline_of(_degree(method))
                values = evaluated(t, c, k, points, orders, fill)
            if method in _LEGACY:
                values = values.astype(self.values.dtype, copy=False)
        return values.reshape(shape + self.values.shape[ndim:])

    def _check_values(self, method):
        """Raise for values that no spline passes; waits for the device if no constructor has looked."""
        _require_real(self.values, method)
        if self._are_finite is None:
            self._are_finite = bool(numpy.isfinite(self.values).all())
        _require_finite(self._are_finite)

    def _check_bounds(self, points):
        inside = [((p[0] <= points[:, i]) & (points[:, i] <= p[-1])).all() for i, p in enumerate(self.grid)]
        for i, within in enumerate(fetched(numpy.stack(inside))):
            if not within:
                raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")

    def _filled(self, points, values, fill):
        """Replace values at points that are outside, or that are not numbers."""
        column = (slice(None), *[None] * (values.ndim - 1))
        if fill is not None:
            outside = [(points[:, i] < p[0]) | (points[:, i] > p[-1]) for i, p in enumerate(self.grid)]
            outside = numpy.any(numpy.stack(outside), axis=0)[column]
            values = numpy.where(outside, asarray(fill, values.dtype, device=values.device), values)
        missing = numpy.isnan(points).any(axis=-1)[column]
        return numpy.where(missing, values.dtype.type(math.nan), values)

    def _linear(self, points, fill):
        """Interpolate by splines of degree one, if the grid is finite; axes of one point are left out."""
        ndim = len(self.grid)
        wide = [i for i, p in enumerate(self.grid) if len(p) > 1]
        if len(wide) < ndim:
            axes = tuple(i for i in range(ndim) if i not in wide)
            grid, values = tuple(self.grid[i] for i in wide), numpy.squeeze(self.values, axis=axes)
            inner = created(type(self))._with(
                grid, values, "linear", bounds_error=False, fill_value=None, is_bounded=self._is_bounded
            )
            extents = (points.shape[0], *self.values.shape[ndim:])
            flat = inner(points[:, wide]) if wide else numpy.broadcast_to(inner.values, extents)
            flat = flat.reshape(extents).astype(computing_dtype(self.values.dtype))
        elif self._is_bounded:
            t, c, k = self._spline_of(1)
            return evaluated(t, c, k, points, (0,) * ndim, fill)
        else:
            flat = self._between_corners(points)
        if fill is not None and flat.dtype.kind != "c":
            fill = fill.real
        return self._filled(points, flat, fill)

    def _between_corners(self, points):
        """Weigh the values at the corners of each point's cell, by SciPy's formula.

        In an interval that ends at infinity the weights are one and zero; those of splines would be NaN.
        """
        ndim = len(self.grid)
        column = (slice(None), *[None] * (self.values.ndim - ndim))
        places = [self._intervals(points, axis) for axis in range(ndim)]
        total = 0.0
        for corner in itertools.product(*[((i, 1 - place), (i + 1, place)) for i, place in places]):
            indices, weights = zip(*corner, strict=True)
            total = total + self.values[indices] * math.prod(weights)[column]
        return total

    def _spline_of(self, degree):
        """Knots, coefficients and degrees of the spline through the values; kept for later calls."""
        if degree not in self._splines:
            c = doubles(self.values, self.values.device, computing_dtype(self.values.dtype))
            t = []
            for axis, x in enumerate(self.grid):
                t.append(numpy.concatenate((x[:1], x, x[-1:])) if degree == 1 else not_a_knot(x, degree))
                if degree > 1:
                    rows = interpolated(x, numpy.moveaxis(c, axis, 0), t[-1], degree, ([], None), ([], None))
                    c = numpy.moveaxis(rows, 0, axis)
            self._splines[degree] = t, doubles(c, c.device, c.dtype), (degree,) * len(t)
        return self._splines[degree]

    def _intervals(self, points, axis):
        """The interval of each point along an axis of several points, and its place there."""
        p, x = self.grid[axis], points[:, axis]
        i = numpy.clip(numpy.searchsorted(p, x, side="right") - 1, 0, len(p) - 2)
        return i, (x - p[i]) / (p[i + 1] - p[i])

    def _nearest(self, points):
        places = []
        for axis, p in enumerate(self.grid):
            if len(p) == 1:
                places.append(gpunp.zeros(points.shape[0], numpy.int64, device=points.device))
                continue
            i, place = self._intervals(points, axis)
            # At an infinite point the place is NaN, which SciPy counts to the upper end.
            places.append(i + ~(place <= 0.5))
        return self.values[tuple(places)]

    def _pchip(self, points):
        """Interpolate along one axis after another, from the four values around each point."""
        ndim = len(self.grid)
        each = 4**ndim * math.prod(self.values.shape[ndim:])
        step = max(1, _MOST_GATHERED // max(each, 1))
        parts = [self._pchip_part(points[i : i + step]) for i in range(0, points.shape[0], step)]
        if not parts:
            return gpunp.empty((0, *self.values.shape[ndim:]), self.values.dtype, device=points.device)
        return numpy.concatenate(parts) if len(parts) > 1 else parts[0]

    def _pchip_part(self, points):
        ndim, windows, locals_ = len(self.grid), [], []
        for axis, p in enumerate(self.grid):
            i, _ = self._intervals(points, axis)
            start = numpy.clip(i - 1, 0, len(p) - 4)
            window = start[:, None] + numpy.arange(4)
            windows.append(window.reshape(-1, *(4 if d == axis else 1 for d in range(ndim))))
            locals_.append((p[window].T, i - start, points[:, axis]))
        values = self.values[tuple(windows)].astype(numpy.float64, copy=False)
        for axis in range(ndim - 1, -1, -1):
            values = _hermite_of_window(*locals_[axis], numpy.moveaxis(values, axis + 1, 0))
        return values.astype(self.values.dtype, copy=False)

    def _with(self, grid, values, method, bounds_error, fill_value, is_bounded):
        """Set the attributes without checks; ``is_bounded`` says whether all points are finite."""
        self.grid, self.values, self.method = grid, values, method
        self.bounds_error, self.fill_value, self._splines = bounds_error, fill_value, {}
        self._is_bounded, self._are_finite = is_bounded, None
        return self


def _hermite_of_window(x, local, point, y):
    """Monotone interpolation of four values for each point.

    Parameters
    ----------
    x : ndarray
        Places of the values: 4 x points.
    local : ndarray
        The interval among them that a point is in.
    point : ndarray
        The places of the points.
    y : ndarray
        Values: 4 x points x more axes.
    """
    column = (slice(None), slice(None), *[None] * (y.ndim - 2))
    h = numpy.diff(x, axis=0)[column]
    slopes = pchip_slopes(h, y)
    left = numpy.broadcast_to(local[None][column], (1, *y.shape[1:]))

    def at(a, i):
        return numpy.take_along_axis(numpy.broadcast_to(a, (a.shape[0], *y.shape[1:])), i, axis=0)[0]

    width, start = at(h, left), at(x[column], left)
    y0, y1, d0, d1 = at(y, left), at(y, left + 1), at(slopes, left), at(slopes, left + 1)
    s = point.reshape(-1, *[1] * (y.ndim - 2)) - start
    secant = (y1 - y0) / width
    bend = (d0 + d1 - 2 * secant) / width
    return ((bend / width * s + (secant - d0) / width - bend) * s + d0) * s + y0


def regular_grid(
    self,
    points,
    values,
    method="linear",
    bounds_error=True,
    fill_value=numpy.nan,
    *,
    solver=None,
    solver_args=None,
):
    """Initialize an interpolator on a grid; see `scipy.interpolate.RegularGridInterpolator`.

    Splines are computed along one axis after another, by `scipy.linalg.solve_banded`: ``solver`` and
    ``solver_args`` have no effect. Waits for the device to check the points.
    """
    if method not in _METHODS:
        raise ValueError(f"Method '{method}' is not defined")
    if method not in ("linear", "nearest"):
        _enough_points(points, method)
    device = device_of(values, *points) or get_device()
    values = asarray(values, device=device)
    if values.dtype.kind not in "fc":
        values = values.astype(numpy.float64)
    grid, descending, is_bounded, are_finite = _checked_grid(points, values, method in _DEGREES)
    _same_extents(grid, values)
    if fill_value is not None:
        dtype = getattr(fill_value, "dtype", None) or numpy.asarray(fill_value).dtype
        if not numpy.can_cast(dtype, values.dtype, casting="same_kind"):
            raise ValueError("fill_value must be either 'None' or of a type compatible with values")
    if descending:
        values = numpy.flip(values, axis=descending)
    _require_real(values, method)
    if method not in _DEGREES and (solver is not None or solver_args):
        raise ValueError(
            f"method ={method!r} does not accept the 'solver' argument. Got  solver = {solver!r} and with "
            f"arguments {solver_args}."
        )
    adopt(self)
    self._with(grid, values, method, bounds_error, fill_value, is_bounded)
    self._are_finite = are_finite
    if method in _DEGREES:
        _require_finite(are_finite)
        self._spline_of(_DEGREES[method])


def call(self, xi, method=None, *, nu=None):
    """Interpolate values that are on the host at points on the device."""
    if not is_held(self):
        device = device_of(xi, nested=True)
        self = created(type(self))._with(
            tuple(doubles(p, device) for p in self.grid),
            asarray(self.values, device=device),
            self.method,
            self.bounds_error,
            self.fill_value,
            all(numpy.isfinite(p).all() for p in self.grid),
        )
    return self(xi, method, nu=nu)


def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=numpy.nan):
    """Interpolate on a grid; see `scipy.interpolate.interpn`.

    Waits for the device to check the points, and with ``bounds_error`` to compare with the bounds.
    """
    known = ("linear", "nearest", "cubic", "quintic", "pchip", "splinef2d", "slinear", *_LEGACY)
    if method not in known:
        raise ValueError(
            "interpn only understands the methods 'linear', 'nearest', 'slinear', 'cubic', 'quintic', "
            f"'pchip', and 'splinef2d'. You provided {method}."
        )
    if method == "splinef2d":
        reason = "FITPACK's splines of method 'splinef2d' are on the host"
        return refused("interpn", reason, points, values, xi, method, bounds_error, fill_value)
    values = asarray(values, device=device_of(values, xi, *points, nested=True))
    if len(points) > values.ndim:
        raise ValueError(f"There are {len(points)} point arrays, but values has {values.ndim} dimensions")
    xi = coordinates(xi, len(points), values.device)
    if xi.shape[-1] != len(points):
        raise ValueError(
            f"The requested sample points xi have dimension {xi.shape[-1]}, but this "
            f"RegularGridInterpolator has dimension {len(points)}"
        )
    return _SCIPYS(points, values, method=method, bounds_error=bounds_error, fill_value=fill_value)(xi)
