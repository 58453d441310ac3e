"""Quantiles by bisection, for distributions that have no formula for them."""

import numpy

_BITS = 64
_LOWEST = numpy.iinfo(numpy.int64).min


def _from_keys(keys):
    """The doubles that have the ordinal numbers ``keys`` among all doubles, 0.0 being number 0."""
    return numpy.where(keys >= 0, keys, _LOWEST - keys).view(numpy.float64)


def _to_keys(values):
    bits = (values + 0.0).view(numpy.int64)
    return numpy.where(bits >= 0, bits, _LOWEST - bits)


def smallest_double(reached, low, high):
    """The smallest doubles in an interval at which a condition holds.

    Bisection of the ordinal numbers of doubles: as many steps as a number has bits, whatever its size, and
    no wait.

    Parameters
    ----------
    reached : callable
        Takes an array and returns an array of bool. It must be False below some number and True from there.
    low, high : ndarray of float64
        The ends of the interval, of the shape of the result; ``reached`` holds at ``high``.

    Returns
    -------
    ndarray of float64
    """
    low, high = _to_keys(low) - 1, _to_keys(high)
    for _ in range(_BITS):
        # Without overflow of a sum.
        middle = (low & high) + ((low ^ high) >> 1)
        holds = (middle > low) & reached(_from_keys(middle))
        low, high = numpy.where(holds, low, middle), numpy.where(holds, middle, high)
    return _from_keys(high)


def smallest_integer(reached, low, high, steps=54):
    """The smallest integers in an interval at which a condition holds.

    Parameters
    ----------
    reached : callable
        As for `smallest_double`.
    low, high : ndarray of int64
        The ends of the interval.
    steps : int, optional
        At least the number of bits of the longest interval.

    Returns
    -------
    ndarray of float64
    """
    low = low - 1
    for _ in range(steps):
        middle = (low & high) + ((low ^ high) >> 1)
        holds = (middle > low) & reached(middle.astype(numpy.float64))
        low, high = numpy.where(holds, low, middle), numpy.where(holds, middle, high)
    return high.astype(numpy.float64)
