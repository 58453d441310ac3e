"""Weights of samples in the initial states of recursive filters over mirrored signals, computed on the host.

They end, like SciPy's, where they fall below a precision, by comparisons in the dtype of the signal.
"""

import math

import numpy


def _real_type(dtype):
    return numpy.float32 if dtype.char in "fF" else numpy.float64


def _limit(precision, real):
    if not 0.0 < precision <= 1.0:
        precision = 1e-6 if real is numpy.float32 else 1e-11
    return real(precision)


def _until(weight, length, limit, real):
    """The weights weight(0), weight(1), ... up to the first whose square is at most ``limit``."""
    weights = []
    while True:
        weights.append(weight(len(weights)))
        small = real(abs(weights[-1])) ** 2 <= limit
        if len(weights) >= length:
            raise ValueError("Sum to find symmetric boundary conditions did not converge.")
        if small:
            return numpy.array(weights)


def powers(z, length, dtype, precision):
    """The weights z, z^2, ... of samples in the sum by which the filter of a signal of ``length`` starts."""
    real = _real_type(dtype)
    # Of a complex pole, the sum of a real signal has the real part.
    z = dtype.type(z if dtype.kind == "c" else numpy.real(z))
    power = dtype.type(1)

    def following(_):
        nonlocal power
        power = power * z
        return power

    return _until(following, length, _limit(precision, real) ** 2, real)


def _impulse(r, omega, cs):
    """The causal impulse response of cs / (1 - 2 r cos(omega) / z + r^2 / z^2), as a function of k >= 0."""
    if omega in (0.0, math.pi):
        sign = 1 if omega == 0.0 else -1
        return lambda k: cs * r**k * (k + 1) * sign**k
    return lambda k: cs * r**k * math.sin(omega * (k + 1)) / math.sin(omega)


def _symmetric_impulse(r, omega, cs):
    """The impulse response of the filter in both directions, as a function of k."""
    squared = r * r
    if omega in (0.0, math.pi):
        sign = 1 if omega == 0.0 else -1
        scale = (1 + squared) / (1 - squared) ** 3 * cs * cs
        ratio = (1 - squared) / (1 + squared)
        return lambda k: scale * r ** abs(k) * (1 + ratio * sign**k * abs(k))
    scale = (
        cs * cs * (1 + squared) / (1 - squared) / (1 - 2 * squared * math.cos(2 * omega) + squared * squared)
    )
    ratio = (1 - squared) / (1 + squared) / math.tan(omega)
    return lambda k: scale * r ** abs(k) * (math.cos(omega * abs(k)) + ratio * math.sin(omega * abs(k)))


def forward_weights(r, omega, length, dtype, precision):
    """Weights for the first two outputs of the causal filter.

    Returns
    -------
    own : tuple of float
        The weights of an output's own sample and of the one before.
    sums : tuple of ndarray
        For each of the two outputs, the weights of the samples that the signal is mirrored to.
    """
    real = _real_type(dtype)
    impulse = _impulse(r, omega, 1 - 2 * r * math.cos(omega) + r * r)
    limit = _limit(precision, real) ** 2
    sums = tuple(_until(lambda k, n=n: impulse(k + n), length, limit, real) for n in (1, 2))
    return (impulse(0), impulse(1)), sums


def backward_weights(r, omega, length, dtype, precision):
    """Weights of samples, from the last, for the last two outputs of the filter in both directions."""
    real = _real_type(dtype)
    impulse = _symmetric_impulse(r, omega, 1 - 2 * r * math.cos(omega) + r * r)
    limit = _limit(precision, real)
    return tuple(
        _until(lambda k, n=n: impulse(k - n) + impulse(k + 1 + n), length, limit, real) for n in (0, 1)
    )
