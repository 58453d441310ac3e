"""Values of the polynomials of `numpy.polynomial.polynomial`, and matrices of powers."""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.creation.data import array
from gpunp.dispatch.registry import implements
from gpunp.polynomial.coefficients import given_coefficients

_NUMBERS = (int, float, complex, numpy.generic)


def integer_of(value, what):
    """An integer argument, or a TypeError that names it."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeError(f"{what} must be an integer, received {value}") from error


def inexact(c):
    """Coefficients as floating or complex numbers."""
    return c + 0.0 if c.dtype.kind in "biu" else c


@implements(name="polynomial.polynomial.polyval")
def polyval(x, c, tensor=True):
    """The values of a polynomial; see `numpy.polynomial.polynomial.polyval`."""
    if not isinstance(x, _NUMBERS):
        x, c = given_coefficients(x, c)
    c = inexact(array(c, copy=None, ndmin=1))
    if tensor and isinstance(x, ndarray):
        c = c.reshape(c.shape + (1,) * x.ndim)
    value = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        value = c[-i] + value * x
    return value


@implements(name="polynomial.polynomial.polyvalfromroots")
def polyvalfromroots(x, r, tensor=True):
    """The values of a monic polynomial given by roots; see `numpy.polynomial.polynomial.polyvalfromroots`."""
    if not isinstance(x, _NUMBERS):
        x, r = given_coefficients(x, r)
    r = array(r, copy=None, ndmin=1)
    r = r.astype(numpy.float64) if r.dtype.kind in "biu" else r
    if isinstance(x, ndarray):
        if tensor:
            r = r.reshape(r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return numpy.prod(x - r, axis=0)


def _values(c, *points):
    """The values at points given by their coordinates, evaluated in one variable after the other."""
    *points, c = given_coefficients(*points, c)
    if any(p.shape != points[0].shape for p in points[1:]):
        names = {2: "x, y", 3: "x, y, z"}.get(len(points), "ordinates")
        raise ValueError(f"{names} are incompatible")
    c = polyval(points[0], c)
    for p in points[1:]:
        c = polyval(p, c, tensor=False)
    return c


def _grid(c, *axes):
    device = device_of(*axes, c)
    c = asarray(c, device=device)
    for x in axes:
        c = polyval(x, c)
    return c


@implements("numpy.polynomial.polynomial.polyval2d")
def polyval2d(x, y, c):
    """The values of a polynomial in two variables; see `numpy.polynomial.polynomial.polyval2d`."""
    return _values(c, x, y)


@implements(name="polynomial.polynomial.polyval3d")
def polyval3d(x, y, z, c):
    """The values of a polynomial in three variables; see `numpy.polynomial.polynomial.polyval3d`."""
    return _values(c, x, y, z)


@implements("numpy.polynomial.polynomial.polyvalnd")
def polyvalnd(pts, c):
    """The values of a polynomial in any number of variables; NumPy has it since version 2.5.

    Parameters
    ----------
    pts : sequence of array_like
        The coordinates of the points, one array per variable, all of one shape.
    c : array_like
        Coefficients: ``c[i, j, ...]`` is that of the term of the degrees i, j, ... in the variables. Further
        axes are further polynomials.

    Returns
    -------
    ndarray
        The values, of shape ``c.shape[len(pts):] + pts[0].shape``.
    """
    return _values(c, *pts)


@implements("numpy.polynomial.polynomial.polygrid2d")
def polygrid2d(x, y, c):
    """The values of a polynomial on a grid; see `numpy.polynomial.polynomial.polygrid2d`."""
    return _grid(c, x, y)


@implements(name="polynomial.polynomial.polygrid3d")
def polygrid3d(x, y, z, c):
    """The values of a polynomial on a grid of points; see `numpy.polynomial.polynomial.polygrid3d`."""
    return _grid(c, x, y, z)


@implements(name="polynomial.polynomial.polyvander")
def polyvander(x, deg):
    """The matrix of powers; see `numpy.polynomial.polynomial.polyvander`."""
    deg = integer_of(deg, "deg")
    if deg < 0:
        raise ValueError("deg must be non-negative")
    x = array(x, copy=None, ndmin=1) + 0.0
    out = layout.empty((deg + 1, *x.shape), x.dtype, "C", x.device)
    out[0] = x * 0 + 1
    for i in range(1, deg + 1):
        if i == 1:
            out[1] = x
        else:
            numpy.multiply(out[i - 1], x, out=out[i])
    return numpy.moveaxis(out, 0, -1)


def _vander_product(points, degrees):
    if len(points) != len(degrees):
        raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(degrees)}")
    points = given_coefficients(*points)
    if any(p.shape != points[0].shape for p in points):
        raise ValueError("the points must have coordinates of one shape")
    dtype = numpy.result_type(*points)
    count, product = len(points), 1
    for i, (p, degree) in enumerate(zip(points, degrees, strict=True)):
        matrix = polyvander(p.astype(dtype), degree)
        shape = (1,) * i + matrix.shape[-1:] + (1,) * (count - 1 - i)
        product = product * matrix.reshape(matrix.shape[:-1] + shape)
    return product.reshape((*product.shape[:-count], -1))


@implements(name="polynomial.polynomial.polyvander2d")
def polyvander2d(x, y, deg):
    """The matrix of powers of two variables; see `numpy.polynomial.polynomial.polyvander2d`."""
    return _vander_product((x, y), deg)


@implements(name="polynomial.polynomial.polyvander3d")
def polyvander3d(x, y, z, deg):
    """The matrix of powers of three variables; see `numpy.polynomial.polynomial.polyvander3d`."""
    return _vander_product((x, y, z), deg)
