"""Splines through points: interpolation, least squares and smoothing."""

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
from gpunp_scipy.interpolate.bands import solve_band
from gpunp_scipy.interpolate.holders import F8, computing_dtype, created, doubles
from gpunp_scipy.interpolate.knots import end_knots, not_a_knot, periodic_knots


def basis_values(t, points, k, nu=0):
    """Splines that are not zero at points.

    Returns
    -------
    values : ndarray
        Points x (k + 1), derivatives of order ``nu``.
    places : ndarray
        The number of the first of these splines.
    """
    if k > kernels.HIGHEST_DEGREE:
        raise NotImplementedError(f"B-splines have a degree of at most {kernels.HIGHEST_DEGREE}, not {k}")
    values = gpunp.empty((points.size, k + 1), F8, device=t.device)
    places = gpunp.empty(points.size, numpy.int64, device=t.device)
    kernels.basis(t, points, values, places, k, nu)
    return values, places


def made_spline(t, c, k, extrapolate=True, axis=0):
    return created(scipy.interpolate.BSpline)._with(t, c, k, extrapolate, axis)


def _rows(values, like):
    """The orders and the values of derivatives at an end."""
    if values is None:
        return [], None
    if isinstance(values, str):
        if values not in ("clamped", "natural"):
            raise ValueError(f"Unknown boundary condition : {values}")
        values = [(1 if values == "clamped" else 2, gpunp.zeros(like.shape[1:], F8, device=like.device))]
    try:
        orders, found = zip(*values, strict=True)
    except TypeError as error:
        raise ValueError(
            "Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of (order, value)."
        ) from error
    orders = [int(order) for order in orders]
    return orders, numpy.stack([asarray(value, device=like.device) for value in found])


def _ends(bc_type):
    """Conditions at both ends."""
    if bc_type is None or (isinstance(bc_type, str) and bc_type in ("not-a-knot", "periodic")):
        return None, None
    if isinstance(bc_type, str):
        return bc_type, bc_type
    try:
        left, right = bc_type
    except TypeError as error:
        raise ValueError(f"Unknown boundary condition: {bc_type}") from error
    return left, right


def _checked(x, y, axis, periodic, check_finite):
    """Convert and check points and values, with SciPy's errors; waits for the device once."""
    device = device_of(x, y, nested=True) or get_device()
    x, y = (numpy.atleast_1d(asarray(values, device=device)) for values in (x, y))
    x, y = (doubles(values, device, computing_dtype(values.dtype)) for values in (x, y))
    axis = normalize_axis_index(axis, y.ndim)
    y = numpy.moveaxis(y, axis, 0)
    flags = [
        numpy.isfinite(x).all() & numpy.isfinite(y).all() if check_finite else (x == x).any() | True,
        numpy.isclose(y[0], y[-1], atol=1e-15).all() if periodic else (x == x).any() | True,
        (x[1:] == x[:-1]).any(),
        (x[1:] < x[:-1]).any(),
    ]
    finite, closed, repeated, falls = fetched(numpy.stack(flags))
    if not finite:
        raise ValueError("Array must not contain infs or nans.")
    if not closed:
        raise ValueError("First and last points does not match while periodic case expected")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if repeated:
        raise ValueError("Expect x to not have duplicates")
    if x.ndim != 1 or falls:
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    return x, y, axis


def _checked_knots(t, x, k, check_finite):
    """Convert and check knots, with SciPy's errors; waits for the device once."""
    t = numpy.atleast_1d(doubles(t, x.device))
    if check_finite and not bool(numpy.isfinite(t).all()):
        raise ValueError("Array must not contain infs or nans.")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t.ndim != 1:
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    enough = t.size >= x.size + k + 1
    outside = (x[0] < t[k]) | (x[-1] > t[-k]) if enough else (t[:1] != t[:1]).any()
    falls, outside = fetched(numpy.stack([(t[1:] < t[:-1]).any(), outside]))
    if falls:
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if not enough:
        raise ValueError(f"Got {t.size} knots, need at least {x.size + k + 1}.")
    if outside:
        raise ValueError(f"Out of bounds w/ x = {fetched(x)}.")
    return t


def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """Create an interpolating spline; see `scipy.interpolate.make_interp_spline`.

    Waits for the device to check ``x`` and ``y``, and knots if they are given. The band system is solved by
    `scipy.linalg.solve_banded`.
    """
    left, right = _ends(bc_type)
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    x, y, axis = _checked(x, y, axis, periodic, check_finite)
    if k == 0 and any(each is not None for each in (t, left, right)):
        raise ValueError("Too much info for k=0: t and bc_type can only be None.")
    if k == 1 and t is None and not (left is None and right is None):
        raise ValueError("Too much info for k=1: bc_type can only be None.")
    if x.size == 0:
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    if k == 0 or (k == 1 and t is None):
        t = numpy.concatenate((x[: int(k)], x, x[-1:]))
        return made_spline(t, doubles(y, x.device, y.dtype), k, axis=axis)
    k = operator.index(k)
    if periodic and t is not None:
        raise NotImplementedError(
            "For periodic case t is constructed automatically and can not be passed manually"
        )
    if t is not None:
        t = _checked_knots(t, x, k, check_finite)
    elif k < 0:
        raise ValueError("Expect non-negative k.")
    else:
        knots = periodic_knots if periodic else not_a_knot if left is None and right is None else end_knots
        t = knots(x, k)
        if t.size < x.size + k + 1:
            raise ValueError(f"Got {t.size} knots, need at least {x.size + k + 1}.")
    if periodic:
        return made_spline(t, _periodic(x, y, t, k), k, "periodic", axis)
    c = interpolated(x, y, t, k, _rows(left, y), _rows(right, y))
    return made_spline(t, doubles(c, x.device, c.dtype), k, axis=axis)


def interpolated(x, y, t, k, left, right):
    """Coefficients of the spline with values y and derivatives at the ends."""
    for (orders, _), end in ((left, 0), (right, -1)):
        if not all(0 <= order <= k for order in orders):
            raise ValueError(f"Bad boundary conditions at {fetched(x[end])}.")
    n, size = x.size, t.size - k - 1
    before, after = len(left[0]), len(right[0])
    if size - n != before + after:
        raise ValueError(
            f"The number of derivatives at boundaries does not match: expected {size - n}, "
            f"got {before}+{after}"
        )
    extents = y.shape[1:]
    if y.size == 0:
        return gpunp.zeros((size, *extents), F8, device=y.device)
    matrix = Band(size, k, y.device)
    matrix.set(*basis_values(t, x, k), numpy.arange(n) + before)
    for i, order in enumerate(left[0]):
        matrix.set(*basis_values(t, x[:1], k, order), numpy.array([i]))
    for i, order in enumerate(right[0]):
        matrix.set(*basis_values(t, x[-1:], k, order), numpy.array([size - after + i]))
    inner = math.prod(extents)
    sides = [y.reshape(n, inner)]
    if before:
        sides.insert(0, left[1].reshape(before, inner))
    if after:
        sides.append(right[1].reshape(after, inner))
    b = numpy.concatenate(sides)
    # Values of derivatives that are complex take part only if y is complex.
    return matrix.solve(b if b.dtype.kind == y.dtype.kind else b.real).reshape(size, *extents)


class Band:
    """A square band matrix of rows with few neighbouring elements.

    Parameters
    ----------
    size, width : int
        The numbers of rows, and of diagonals above and below the main one.
    device : Device
    """

    def __init__(self, size, width, device):
        self.size, self.width = size, width
        # The last element takes what is outside of the band.
        self.cells = gpunp.zeros((2 * width + 1) * size + 1, F8, device=device)

    def set(self, values, places, rows):
        """Set rows, of which the elements from ``places`` on are not zero."""
        rows = rows if isinstance(rows, gpunp.ndarray) else asarray(rows, device=values.device)
        columns = places[:, None] + numpy.arange(values.shape[1])
        diagonal = self.width + rows[:, None] - columns
        inside = (diagonal >= 0) & (diagonal <= 2 * self.width) & (columns >= 0) & (columns < self.size)
        self.cells[numpy.where(inside, diagonal * self.size + columns, self.cells.size - 1)] = values

    def solve(self, b):
        """Solve with right sides b: rows x sides."""
        try:
            return solve_band(self.cells[:-1].reshape(-1, self.size), b, self.width)
        except numpy.linalg.LinAlgError as error:
            # On a GPU the next wait raises the error of `scipy.linalg.solve_banded`.
            raise numpy.linalg.LinAlgError("Colocation matrix is singular.") from error


# Periodic systems of at most so many unknowns are solved as dense ones.
_DENSE = 64


def _periodic(x, y, t, k):
    """Coefficients of the periodic spline through points, of which the last is the first."""
    extents, unknowns = y.shape[1:], y.shape[0] - 1
    b = y[:-1].reshape(unknowns, math.prod(extents))
    shift, half = k // 2, k // 2
    values, places = basis_values(t, x[:-1], k)
    rows = numpy.arange(unknowns)
    if unknowns <= max(_DENSE, 2 * k):
        columns = (places[:, None] + numpy.arange(k + 1) - shift) % unknowns
        matrix = gpunp.zeros((unknowns, unknowns), F8, device=y.device)
        numpy.add.at(matrix, (asarray(rows[:, None], device=y.device), columns), values)
        c = numpy.linalg.solve(matrix, b)
    else:
        c = _cyclic(values, places - shift, b, unknowns, half)
    c = c[(numpy.arange(unknowns + k) - shift) % unknowns]
    return c.reshape(c.shape[0], *extents)


def _cyclic(values, places, b, n, half):
    """Solve with a band matrix that has corners, by Woodbury's formula."""
    matrix = Band(n, half, b.device)
    # Of odd degrees the last spline is zero at its first knot.
    values = values[:, : 2 * half + 1]
    matrix.set(values, places, numpy.arange(n))
    top = gpunp.zeros((half, half), F8, device=b.device)
    bottom = gpunp.zeros((half, half), F8, device=b.device)
    for i in range(half):
        # Elements that are to the left of the first column, and to the right of the last one.
        top[i, i:] = values[i, : half - i]
        bottom[half - 1 - i, : half - i] = values[n - 1 - i, half + 1 + i :]
    units = gpunp.zeros((n, 2 * half), F8, device=b.device)
    units[numpy.r_[:half, n - half : n], numpy.arange(2 * half)] = 1.0
    solved = matrix.solve(numpy.concatenate((b, units.astype(b.dtype)), axis=1))
    y, z = solved[:, : b.shape[1]], solved[:, b.shape[1] :]
    vy, vz = (numpy.concatenate((top @ a[-half:], bottom @ a[:half])) for a in (y, z))
    identity = numpy.eye(2 * half, like=b)
    return y - z @ numpy.linalg.solve(identity + vz, vy)
