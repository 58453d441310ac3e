"""Knots of splines through points."""

import numpy


def not_a_knot(x, k):
    """Knots at the points but those next to the ends, or between points for an even degree."""
    half = (k + 1) // 2
    t = x if k % 2 else (x[1:] + x[:-1]) / 2
    t = t[half:-half]
    return numpy.concatenate((*[x[:1]] * (k + 1), t, *[x[-1:]] * (k + 1)))


def end_knots(x, k):
    """Knots at the points, at both ends k + 1 times."""
    return numpy.concatenate((*[x[:1]] * k, x, *[x[-1:]] * k))


def periodic_knots(x, k):
    """Knots of periodic splines: at the points, or between them for an even degree."""
    if k % 2 == 0:
        inner = x[1:-1] - numpy.diff(x)[:-1] / 2
        x = numpy.concatenate((x[:1], inner, x[-1:]))
    n, dx = x.shape[0], numpy.diff(x)
    if n == 1:
        raise ZeroDivisionError("integer modulo by zero")
    steps = numpy.arange(k) % (n - 1)
    before = x[:1] - numpy.cumsum(dx[-1 - steps])[::-1]
    after = x[-1:] + numpy.cumsum(dx[steps])
    return numpy.concatenate((before, x, after))
