"""`numpy.polynomial.polynomial`: coefficients with the lowest power first.

NumPy lets arrays override three of these functions. The others convert their arguments with `numpy.array`, so
for device arrays they must be called from ``gpunp.polynomial.polynomial``.
"""

import functools
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.creation.data import array
from gpunp.creation.filled import zeros
from gpunp.creation.matrices import eye
from gpunp.creation.ranges import arange
from gpunp.dispatch.registry import implements
from gpunp.manipulation.joining import concatenate
from gpunp.polynomial.coefficients import first_true, given_coefficients
from gpunp.polynomial.evaluation import (  # noqa: F401 -- names of this module too
    inexact,
    integer_of,
    polygrid2d,
    polygrid3d,
    polyval,
    polyval2d,
    polyval3d,
    polyvalfromroots,
    polyvalnd,
    polyvander,
    polyvander2d,
    polyvander3d,
)
from gpunp.polynomial.fitting import check_points, sample
from gpunp.polynomial.roots import monic
from gpunp.polynomial.solvers import eigvals, lstsq


def _trimmed(c):
    """Coefficients without trailing zeros, but at least one; synchronizes."""
    last = c.size - first_true((c != 0)[::-1])
    return c[: max(last, 1)]


def series(*polynomials, trim=True):
    """Coefficients as new 1-d arrays of one inexact dtype on one device, without trailing zeros."""
    arrays = [array(c, copy=None, ndmin=1) for c in given_coefficients(*polynomials)]
    for c in arrays:
        if c.size == 0:
            raise ValueError("Coefficient array is empty")
        if c.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [_trimmed(c) for c in arrays]
    try:
        dtype = numpy.common_type(*arrays)
    except TypeError as error:
        # common_type refuses booleans.
        raise ValueError("Coefficient arrays have no common type") from error
    return [array(c, dtype=dtype, copy=True) for c in arrays]


@implements(name="polynomial.polynomial.polyline")
def polyline(off, scl):
    """The coefficients of a line; see `numpy.polynomial.polynomial.polyline`."""
    return asarray([off, scl]) if scl != 0 else asarray([off])


@implements(name="polynomial.polynomial.polytrim")
def polytrim(c, tol=0):
    """Coefficients without the small ones at the end; see `numpy.polynomial.polynomial.polytrim`."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    [c] = series(c)
    last = c.size - first_true((numpy.abs(c) > tol)[::-1])
    return c[:last].copy() if last else c[:1] * 0


def _sum(c1, c2, combine):
    c1, c2 = series(c1, c2)
    missing = len(c2) - len(c1)
    padding = zeros(abs(missing), c1.dtype, device=c1.device)
    if missing > 0:
        c1 = concatenate((c1, padding))
    elif missing < 0:
        c2 = concatenate((c2, padding))
    return _trimmed(combine(c1, c2))


@implements(name="polynomial.polynomial.polyadd")
def polyadd(c1, c2):
    """The sum of two polynomials; see `numpy.polynomial.polynomial.polyadd`."""
    return _sum(c1, c2, numpy.add)


@implements(name="polynomial.polynomial.polysub")
def polysub(c1, c2):
    """The difference of two polynomials; see `numpy.polynomial.polynomial.polysub`."""
    return _sum(c1, c2, numpy.subtract)


@implements(name="polynomial.polynomial.polymulx")
def polymulx(c):
    """A polynomial times x; see `numpy.polynomial.polynomial.polymulx`."""
    [c] = series(c)
    product = concatenate((c[:1] * 0, c))
    return _trimmed(product)


@implements(name="polynomial.polynomial.polymul")
def polymul(c1, c2):
    """The product of two polynomials; see `numpy.polynomial.polynomial.polymul`."""
    c1, c2 = series(c1, c2)
    return _trimmed(numpy.convolve(c1, c2))


@implements(name="polynomial.polynomial.polydiv")
def polydiv(c1, c2):
    """Quotient and remainder; see `numpy.polynomial.polynomial.polydiv`."""
    c1, c2 = series(c1, c2)
    if len(c2) == 1 and not bool(c2[0] != 0):
        raise ZeroDivisionError("polydiv: the divisor is the zero polynomial")
    if len(c1) < len(c2):
        return c1[:1] * 0, c1
    if len(c2) == 1:
        return c1 / c2[-1], c1[:1] * 0
    scale, divisor, tail = c2[-1], c2[:-1] / c2[-1], len(c2) - 1
    for i in range(len(c1) - len(c2), -1, -1):
        c1[i : i + tail] -= divisor * c1[i + tail]
    return c1[tail:] / scale, _trimmed(c1[:tail])


@implements(name="polynomial.polynomial.polypow")
def polypow(c, pow, maxpower=None):
    """A power of a polynomial; see `numpy.polynomial.polynomial.polypow`."""
    [c] = series(c)
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    if power == 0:
        return asarray([1], dtype=c.dtype, device=c.device)
    return functools.reduce(numpy.convolve, [c] * power)


@implements(name="polynomial.polynomial.polyfromroots")
def polyfromroots(roots):
    """The monic polynomial with given roots; see `numpy.polynomial.polynomial.polyfromroots`."""
    if len(roots) == 0:
        return numpy.ones(1, like=roots) if isinstance(roots, ndarray) else asarray([1.0])
    [roots] = series(roots, trim=False)
    # NumPy multiplies the lines [-root, 1], so the dtype is promoted with that of an integer.
    return monic(roots.astype(numpy.result_type(roots.dtype, int), copy=False))[::-1].copy()


def _moved(c, axis):
    """Coefficients as inexact numbers with ``axis`` moved to the front, and the normalized axis."""
    c = inexact(array(c, copy=True, ndmin=1))
    axis = normalize_axis_index(integer_of(axis, "the axis"), c.ndim)
    return numpy.moveaxis(c, axis, 0), axis


def _powers(c, count):
    """1 ... count along the first axis, in the dtype of c."""
    return arange(1, count + 1, dtype=c.dtype, device=c.device).reshape((count,) + (1,) * (c.ndim - 1))


@implements(name="polynomial.polynomial.polyder")
def polyder(c, m=1, scl=1, axis=0):
    """A derivative; see `numpy.polynomial.polynomial.polyder`."""
    count = integer_of(m, "the order of derivation")
    if count < 0:
        raise ValueError("The order of derivation must be non-negative")
    c, axis = _moved(c, axis)
    if count >= len(c) and count:
        c = c[:1] * 0
    else:
        for _ in range(count):
            c = (c[1:] * scl).astype(c.dtype, copy=False) * _powers(c, len(c) - 1)
    return numpy.moveaxis(c, 0, axis)


@implements(name="polynomial.polynomial.polyint")
def polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """An integral; see `numpy.polynomial.polynomial.polyint`."""
    k = list(k) if numpy.iterable(k) else [k]
    count = integer_of(m, "the order of integration")
    if count < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(k) > count:
        raise ValueError("Too many integration constants")
    if numpy.ndim(lbnd) != 0:
        raise ValueError("lbnd must be a scalar.")
    if numpy.ndim(scl) != 0:
        raise ValueError("scl must be a scalar.")
    c, axis = _moved(c, axis)
    for i in range(count):
        c = (c * scl).astype(c.dtype, copy=False)
        constant = k[i] if i < len(k) else 0
        if len(c) == 1 and not bool(numpy.any(c)):
            c[0] += constant
            continue
        integral = layout.empty((len(c) + 1, *c.shape[1:]), c.dtype, "C", c.device)
        integral[0] = c[0] * 0
        integral[1:] = c / _powers(c, len(c))
        integral[0] += constant - polyval(lbnd, integral)
        c = integral
    return numpy.moveaxis(c, 0, axis)


@implements(name="polynomial.polynomial.polyfit")
def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """A fit by least squares; see `numpy.polynomial.polynomial.polyfit`."""
    x, y, w = sample(x, y, w)
    deg = numpy.asarray(deg)
    if deg.ndim > 1 or deg.dtype.kind not in "iu" or deg.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if deg.min() < 0:
        raise ValueError("expected deg >= 0")
    check_points(x, y)
    chosen = numpy.sort(deg).tolist() if deg.ndim else list(range(int(deg) + 1))
    matrix = polyvander(x, chosen[-1])
    if deg.ndim:
        matrix = numpy.stack([matrix[:, power] for power in chosen], axis=1)
    values = y
    if w is not None:
        if w.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(x) != len(w):
            raise TypeError("expected x and w to have same length")
        matrix = matrix * w[:, None]
        values = (y.T * w).T
    if rcond is None:
        rcond = len(x) * numpy.finfo(x.dtype).eps
    scale = numpy.sqrt(numpy.sum(numpy.square(numpy.abs(matrix)), axis=0))
    scale = numpy.where(scale == 0, scale.dtype.type(1), scale)
    found, residuals, rank, singular = lstsq(matrix / scale, values, rcond)
    found = (found.T / scale).T
    c = found
    if deg.ndim:
        c = zeros((chosen[-1] + 1, *found.shape[1:]), found.dtype, device=found.device)
        for position, power in enumerate(chosen):
            c[power] = found[position]
    if full:
        return c, [residuals, rank, singular, rcond]
    if int(rank) != len(chosen):
        message = "The fit may be poorly conditioned"
        warnings.warn(message, numpy.exceptions.RankWarning, stacklevel=2)
    return c


@implements(name="polynomial.polynomial.polycompanion")
def polycompanion(c):
    """The companion matrix; see `numpy.polynomial.polynomial.polycompanion`."""
    [c] = series(c)
    n = len(c) - 1
    if n < 1:
        raise ValueError("Series must have maximum degree of at least 1.")
    if n == 1:
        return (-c[:1] / c[1]).reshape(1, 1)
    matrix = eye(n, k=-1, dtype=c.dtype, device=c.device)
    matrix[:, -1] -= c[:-1] / c[-1]
    return matrix


@implements(name="polynomial.polynomial.polyroots")
def polyroots(c):
    """The roots; see `numpy.polynomial.polynomial.polyroots`."""
    [c] = series(c)
    if len(c) < 2:
        return zeros(0, c.dtype, device=c.device)
    if len(c) == 2:
        return -c[:1] / c[1]
    return numpy.sort(eigvals(polycompanion(c)))
