"""Roots of piecewise polynomials: those of degree up to 2 in closed form, others by companion matrices."""

import math

import numpy

import gpunp
from gpunp.array.convert import fetched
from gpunp_scipy.interpolate.pieces import falling


def solve(polynomial, y, discontinuity, extrapolate):
    """Points where a `PPoly` has a value; see `scipy.interpolate.PPoly.solve`.

    Waits for the device: there are as many results as roots. Several polynomials are solved one after
    another, and give a NumPy array of device arrays.
    """
    c, extents = polynomial.c, polynomial.c.shape[2:]
    extrapolate = polynomial.extrapolate if extrapolate is None else extrapolate
    if c.dtype.kind == "c":
        raise ValueError("Root finding is only for real-valued polynomials")
    y, options = float(fetched(y)), (bool(discontinuity), bool(extrapolate))
    if not extents:
        return _solve(c, polynomial.x, y, *options)
    flat = c.reshape(*c.shape[:2], math.prod(extents))
    found = numpy.empty(math.prod(extents), dtype=object)
    for i in range(found.size):
        found[i] = _solve(flat[:, :, i], polynomial.x, y, *options)
    return found.reshape(extents)


def _solve(c, x, y, discontinuity, extrapolate):
    """Roots of one polynomial, in the order of its pieces: terms x pieces."""
    pieces = c.shape[1]
    c = numpy.concatenate((c[:-1], c[-1:] - y))
    roots, found, whole = _roots_of_pieces(c)
    roots = _refined(c, roots, found) + x[:-1, None]
    found &= _in_piece(roots, x, extrapolate)
    # A piece that is zero has its left end, and NaN if it is an interval.
    width = max(2, roots.shape[1])
    candidates = gpunp.full((pieces, width + 1), math.nan, device=c.device)
    taken = gpunp.zeros((pieces, width + 1), bool, device=c.device)
    candidates[:, 1 : 1 + roots.shape[1]], taken[:, 1 : 1 + roots.shape[1]] = roots, found
    candidates[:, 1] = numpy.where(whole, x[:-1], candidates[:, 1])
    candidates[:, 2] = numpy.where(whole, math.nan, candidates[:, 2])
    taken[:, 1] |= whole
    taken[:, 2] |= whole & (x[:-1] != x[1:])
    if discontinuity:
        before, after = _values(c, numpy.diff(x)[:, None])[:-1, 0], c[-1, 1:]
        candidates[:, 0] = x[:-1]
        taken[1:, 0] = ((before < 0) & (after > 0)) | ((before > 0) & (after < 0))
    result = candidates[taken]
    # The end of a piece may be a root of the next one, too.
    return result[numpy.concatenate((numpy.ones_like(result[:1], bool), result[1:] != result[:-1]))]


def _values(c, s, order=0):
    """Values of the pieces, or of a derivative, at distances from their left ends: pieces x distances."""
    terms, total = c.shape[0], numpy.zeros_like(s)
    for power in range(terms - 1, order - 1, -1):
        total = total * s + c[terms - 1 - power][:, None] * float(falling(power, order))
    return total


def _refined(c, roots, found):
    """Roots after one step of Newton's iteration, where it is smaller than the root."""
    slope = _values(c, roots, 1)
    step = _values(c, roots) / numpy.where(slope == 0, 1.0, slope)
    better = found & (slope != 0) & (numpy.abs(step) < numpy.abs(roots))
    return numpy.where(better, roots - step, roots)


def _in_piece(roots, x, extrapolate):
    """Whether roots are in their pieces; the first and the last one reach beyond the breakpoints."""
    low, high = numpy.minimum(x[:-1], x[1:])[:, None], numpy.maximum(x[:-1], x[1:])[:, None]
    above, below = roots >= low, roots <= high
    if extrapolate:
        ascends = x[-1] >= x[0]
        above[0] |= ascends
        below[0] |= ~ascends
        below[-1] |= ascends
        above[-1] |= ~ascends
    return above & below


def _roots_of_pieces(c):
    """Real roots of the pieces, as distances from their left ends.

    Returns
    -------
    roots : ndarray
        Pieces x most roots, ascending.
    found : ndarray
        Which of them are roots.
    whole : ndarray
        Which pieces are zero everywhere.
    """
    terms, pieces = c.shape
    zero = c == 0
    # The value y has been subtracted from the lowest term, which does not count for the degree.
    higher = numpy.concatenate((~zero[:-1], numpy.ones_like(zero[:1])))
    degrees = terms - 1 - numpy.argmax(higher, axis=0)
    whole = (degrees == 0) & zero[-1]
    roots = gpunp.zeros((pieces, max(terms - 1, 1)), device=c.device)
    found = gpunp.zeros(roots.shape, bool, device=c.device)
    for degree in range(1, terms):
        which = numpy.flatnonzero(degrees == degree)
        if which.size:
            some, real = _roots_of_degree(c[terms - 1 - degree :, which])
            roots[which, :degree], found[which, :degree] = some, real
    return roots, found, whole


def _roots_of_degree(c):
    """Roots of polynomials whose first coefficient is not zero, and which of them are real."""
    degree = c.shape[0] - 1
    if degree == 1:
        roots = (-c[1] / c[0])[:, None]
        return roots, numpy.ones_like(roots, bool)
    if degree == 2:
        return _roots_of_parabolas(*c)
    companion = gpunp.zeros((c.shape[1], degree, degree), device=c.device)
    companion[:, numpy.arange(1, degree), numpy.arange(degree - 1)] = 1.0
    companion[:, :, -1] = (-c[:0:-1] / c[0]).T
    roots = numpy.linalg.eigvals(companion)
    order = numpy.argsort(roots.real, axis=1, kind="stable")
    roots = numpy.take_along_axis(roots, order, axis=1)
    return roots.real, roots.imag == 0


def _roots_of_parabolas(a, b, c):
    """Both roots of each, without cancellation."""
    discriminant = b * b - 4 * a * c
    real = (discriminant >= 0)[:, None]
    root = numpy.sqrt(numpy.where(discriminant >= 0, discriminant, 0.0))
    sum_ = numpy.where(b < 0, -b + root, -b - root)
    other = numpy.where(sum_ == 0, 0.0, 2 * c / numpy.where(sum_ == 0, 1.0, sum_))
    far = sum_ / (2 * a)
    roots = numpy.where((b < 0)[:, None], numpy.stack((other, far), 1), numpy.stack((far, other), 1))
    return roots, numpy.broadcast_to(real, roots.shape)
