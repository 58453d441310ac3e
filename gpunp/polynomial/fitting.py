"""Least squares fits of polynomials."""

import warnings

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements
from gpunp.polynomial.solvers import inv, lstsq


def sample(x, y, w):
    """Points, values and weights as inexact arrays on one device."""
    device = device_of(x, y, w)
    return [None if a is None else asarray(a, device=device) + 0.0 for a in (x, y, w)]


def check_points(x, y):
    """Raise NumPy's errors for points and values that cannot be fitted."""
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


@implements(numpy.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """A polynomial fitted to points by least squares; see `numpy.polyfit`.

    Unless `full` is true, the rank is read for the warning about an ill-conditioned fit, which synchronizes.
    """
    order = int(deg) + 1
    x, y, w = sample(x, y, w)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    check_points(x, y)
    if rcond is None:
        rcond = len(x) * numpy.finfo(x.dtype).eps
    lhs, rhs = numpy.vander(x, order), y
    if w is not None:
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        lhs = lhs * w[:, None]
        rhs = rhs * (w[:, None] if rhs.ndim == 2 else w)
    # Scaling the columns to norm 1 improves the condition number.
    scale = numpy.sqrt(numpy.sum(lhs * lhs, axis=0))
    lhs = lhs / scale
    c, residuals, rank, singular = lstsq(lhs, rhs, rcond)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, singular, rcond
    if int(rank) != order:
        message = "Polyfit may be poorly conditioned"
        warnings.warn(message, numpy.exceptions.RankWarning, stacklevel=2)
    if not cov:
        return c
    base = inv(numpy.matmul(lhs.T, lhs))
    base = base / (scale[:, None] * scale)
    factor = 1
    if cov != "unscaled":
        if len(x) <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (len(x) - order)
    return c, (base if y.ndim == 1 else base[:, :, None]) * factor
