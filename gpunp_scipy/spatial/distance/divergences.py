"""Distances of discrete distributions that `scipy.spatial.distance` does not have."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of


def hellinger(u, v):
    """Hellinger distance of two arrays of probabilities.

    Parameters
    ----------
    u, v : array_like, shape (n,)
        Not negative, with sums of 1.

    Returns
    -------
    ndarray
        ``sqrt(sum((sqrt(u) - sqrt(v)) ** 2) / 2)``, a scalar on the device.
    """
    u, v = (asarray(each, device=device_of(u, v)) for each in (u, v))
    return numpy.sqrt(numpy.square(numpy.sqrt(u) - numpy.sqrt(v)).sum() / 2)


def kl_divergence(u, v):
    """Kullback-Leibler divergence of two arrays of probabilities.

    Parameters
    ----------
    u, v : array_like, shape (n,)
        Not negative.

    Returns
    -------
    ndarray
        ``sum(u * log(u / v))``, a scalar on the device. Terms where ``u`` is 0 are 0.
    """
    from scipy.special import kl_div

    u, v = (asarray(each, device=device_of(u, v)) for each in (u, v))
    return (kl_div(u, v) + u - v).sum()
