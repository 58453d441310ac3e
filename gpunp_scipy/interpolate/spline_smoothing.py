"""Splines near points: least squares, and smoothing."""

import math
import operator

import numpy
from gpunp.device import get_device
from numpy.lib.array_utils import normalize_axis_index

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.bands import solve_band
from gpunp_scipy.interpolate.holders import F8, computing_dtype, doubles, refused
from gpunp_scipy.interpolate.spline_fits import basis_values, made_spline
from gpunp_scipy.linalg.bands import cho_solve_banded, cholesky_banded

# Corrections of the solution of the normal equations by its residuals.
_CORRECTIONS = 2


def _checked(x, y, t, k, w, axis, check_finite, method):
    """Convert and check data of a least-squares fit, with SciPy's errors; waits for the device once."""
    device = device_of(x, y, t, w, nested=True) or get_device()
    found = [None if a is None else numpy.atleast_1d(asarray(a, device=device)) for a in (x, y, t, w)]
    x, y, t, w = (None if a is None else doubles(a, device, computing_dtype(a.dtype)) for a in found)
    w = numpy.ones_like(x) if w is None else w
    k = operator.index(k)
    axis = normalize_axis_index(axis, y.ndim)
    y = numpy.moveaxis(y, axis, 0)
    never = numpy.zeros((), bool, like=x)
    outside = ((x < t[k]) | (x > t[-k])).any() if 0 < k < t.shape[0] and t.ndim == x.ndim == 1 else never
    finite = [numpy.isfinite(a).all() for a in (x, y, t, w)] if check_finite else [~never]
    flags = [(t[1:] < t[:-1]).any(), outside, (x[1:] <= x[:-1]).any(), (x[1:] < x[:-1]).any(), *finite]
    unsorted, outside, repeats, falls, *finite = fetched(numpy.stack(flags))
    if not all(finite):
        raise ValueError("Array must not contain infs or nans.")
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1-D sequence.")
    if x.shape[0] < k + 1:
        raise ValueError("Need more x points.")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t.ndim != 1 or unsorted:
        raise ValueError("Expect t to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if outside:
        raise ValueError(f"Out of bounds w/ x = {fetched(x)}.")
    if x.size != w.size:
        raise ValueError(f"Shapes of x {x.shape} and w {w.shape} are incompatible")
    if method == "norm-eq" and repeats:
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if method == "qr" and falls:
        raise ValueError("Expect x to be a 1D non-decreasing sequence.")
    if method not in ("qr", "norm-eq"):
        raise ValueError(f"Unknown method ={method!r}.")
    return x, y, t, k, w, axis


class _Design:
    """The weighted matrix of splines at points, by the elements of its rows that are not zero."""

    def __init__(self, x, t, k, w):
        values, places = basis_values(t, x, k)
        self.values, self.columns = values * w[:, None], places[:, None] + numpy.arange(k + 1)
        self.size, self.places, self.k = t.size - k - 1, places, k

    def times(self, c):
        """The product with coefficients: columns x sides."""
        total = 0.0
        for a in range(self.k + 1):
            total = total + self.values[:, a, None] * c[self.places + a]
        return total

    def adjoint_times(self, r):
        """The product of the transpose with residuals: rows x sides."""
        out = gpunp.zeros((self.size, r.shape[1]), F8, device=r.device)
        for a in range(self.k + 1):
            numpy.add.at(out, self.places + a, self.values[:, a, None] * r)
        return out

    def normal_bands(self):
        """The product of the transpose and the matrix, as lower diagonals."""
        out = gpunp.zeros((self.k + 1, self.size), F8, device=self.values.device)
        for d in range(self.k + 1):
            for a in range(self.k + 1 - d):
                numpy.add.at(out[d], self.places + a, self.values[:, a] * self.values[:, a + d])
        return out


def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="qr"):
    """Create the spline with given knots that is nearest to points; see `scipy.interpolate.make_lsq_spline`.

    Both methods solve the normal equations by banded Cholesky factors; "qr" corrects the solution by its
    residuals. Waits for the device to check the data.
    """
    x, y, t, k, w, axis = _checked(x, y, t, k, w, axis, check_finite, method)
    extents = y.shape[1:]
    sides = doubles(y, y.device, y.dtype).reshape(y.shape[0], math.prod(extents))
    is_complex = y.dtype.kind == "c"
    if is_complex:
        sides = numpy.concatenate((sides.real, sides.imag), axis=1)
    design = _Design(x, t, k, w)
    factor = cholesky_banded(design.normal_bands(), lower=True, check_finite=False)
    weighted, c = sides * w[:, None], None
    for _ in range(1 + (_CORRECTIONS if method == "qr" else 0)):
        residual = weighted if c is None else weighted - design.times(c)
        step = cho_solve_banded((factor, True), design.adjoint_times(residual), check_finite=False)
        c = step if c is None else c + step
    if is_complex:
        half = c.shape[1] // 2
        c = c[:, :half] + 1j * c[:, half:]
    return made_spline(t, doubles(c.reshape(design.size, *extents), x.device, y.dtype), k, axis=axis)


def _divided_difference_weights(x):
    """Coefficients of divided differences of values at points: points along the first axis."""
    n = x.shape[0]
    return numpy.stack([1.0 / math.prod(x[i] - x[j] for j in range(n) if j != i) for i in range(n)])


def make_smoothing_spline(x, y, w=None, lam=None, *, axis=0):
    """Create a cubic smoothing spline; see `scipy.interpolate.make_smoothing_spline`.

    Only with ``lam``: its choice by cross-validation steps through the rows of matrices and stays on the
    host. Waits for the device to check the data.
    """
    device = device_of(x, y, w, lam, nested=True) or get_device()
    x, y = (doubles(values, device) for values in (x, y))
    w = None if w is None else asarray(w, device=device)
    finite = numpy.isfinite(x).all() & numpy.isfinite(y).all()
    flags = [(x[1:] <= x[:-1]).any()]
    flags += [~finite] if w is None else [~(finite & numpy.isfinite(w).all()), (w <= 0).any()]
    repeats, unknown, *negative = fetched(numpy.stack(flags))
    if repeats:
        raise ValueError("``x`` should be an ascending array")
    if x.ndim != 1 or x.shape[0] != y.shape[axis]:
        raise ValueError(f"``x`` should be 1D and {x.shape = } == {y.shape = }")
    if any(negative):
        raise ValueError("Invalid vector of weights")
    n = x.shape[0]
    if n <= 4:
        raise ValueError("``x`` and ``y`` length must be at least 5")
    axis = normalize_axis_index(axis, y.ndim)
    y = numpy.moveaxis(y, axis, 0)
    if lam is None:
        reason = "the search for lam runs on the host; give lam"
        return refused("make_smoothing_spline", reason, x, numpy.moveaxis(y, 0, axis), w, axis=axis)
    lam = fetched(lam)
    if (lam < 0.0).any():
        raise ValueError("Regularization parameter should be non-negative")
    if unknown:
        raise ValueError("array must not contain infs or NaNs")
    w = gpunp.ones(n, F8, device=device) if w is None else w
    t = numpy.concatenate((*[x[:1]] * 3, x, *[x[-1:]] * 3))
    values, penalty = _natural_values(x, t), _penalties(x, w)
    rows = y.reshape(n, math.prod(y.shape[1:]))
    if lam.ndim:
        columns = [
            solve_band(values + float(one) * penalty, rows[:, i : i + 1], 2) for i, one in enumerate(lam)
        ]
        c = numpy.concatenate(columns, axis=1)
    else:
        c = solve_band(values + float(lam) * penalty, rows, 2)
    c = c.reshape(n, *y.shape[1:])
    # From splines that are linear outside of the points to all cubic splines.
    first = (c[:1] * (t[5] + t[4] - 2 * t[3]) + c[1:2], c[:1] * (t[5] - t[3]) + c[1:2])
    last = (
        c[-1:] * (t[-4] - t[-6]) + c[-2:-1],
        c[-1:] * (2 * t[-4] - t[-5] - t[-6]) + c[-2:-1],
    )
    c = numpy.concatenate((*first, c[1:-1], *last))
    return made_spline(t, c, 3, axis=axis)


def _natural_values(x, t):
    """Values at the points of splines that are linear outside of them, as five diagonals."""
    n = x.shape[0]
    # At point i the splines i, i + 1 and i + 2 are not zero; at the last point the last one is 1.
    b, _ = basis_values(t, x, 3)
    bands = gpunp.zeros((5, n), F8, device=x.device)
    bands[1, 2:-1] = b[1:-2, 2]
    bands[2, 2:-2] = b[2:-2, 1]
    bands[3, 1:-2] = b[2:-1, 0]
    # The two outermost splines on each side are combined so that second derivatives vanish.
    bands[1, 1] = b[0, 0]
    bands[2, 0] = (x[2] + x[1] - 2 * x[0]) * b[0, 0]
    bands[2, 1] = b[1, 0] + b[1, 1]
    bands[3, 0] = (x[2] - x[0]) * b[1, 0]
    bands[1, -1] = (x[-1] - x[-3]) * b[-2, 2]
    bands[2, -2] = b[-2, 1] + b[-2, 2]
    bands[2, -1] = (2 * x[-1] - x[-2] - x[-3]) * b[-1, 3]
    bands[3, -2] = b[-1, 3]
    return bands


def _penalties(x, w):
    """Fourth-order differences that smoothness costs, divided by weights, as five diagonals."""
    n = x.shape[0]
    bands = gpunp.zeros((5, n), F8, device=x.device)
    bands[2:, 0] = _divided_difference_weights(x[:3]) / w[:3]
    bands[1:, 1] = _divided_difference_weights(x[:4]) / w[:4]
    windows = numpy.stack([x[i : n - 4 + i] for i in range(5)])
    weights = numpy.stack([w[i : n - 4 + i] for i in range(5)])
    bands[:, 2:-2] = (windows[4] - windows[0]) * _divided_difference_weights(windows) / weights
    bands[:-1, -2] = -_divided_difference_weights(x[-4:]) / w[-4:]
    bands[:-2, -1] = _divided_difference_weights(x[-3:]) / w[-3:]
    return 6 * bands
