"""Ellipsoidal harmonics, which are Lame functions of the first kind."""

import warnings

import numpy

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import on_one_device


def _factors(n, p):
    """Return what multiplies the polynomial of a Lame function.

    Parameters
    ----------
    n, p : int
        Degree and order.

    Returns
    -------
    powers : tuple of int
        Those of s, ``sqrt(|s^2 - h^2|)`` and ``sqrt(|s^2 - k^2|)``.
    size : int
        Coefficients of the polynomial.
    index : int
        Which of the functions with these powers is meant, in the order of falling eigenvalues.
    """
    half, odd = n // 2, n % 2
    for powers, size in (
        ((odd, 0, 0), half + 1),
        ((1 - odd, 1, 0), n - half),
        ((1 - odd, 0, 1), n - half),
        ((odd, 1, 1), half),
    ):
        if p <= size:
            return powers, size, p - 1
        p -= size
    raise AssertionError(f"there are 2 n + 1 = {2 * n + 1} functions")


def _polynomial(h2, k2, powers, size, index):
    """Return the coefficients of a Lame function's polynomial in 1 - s^2 / h^2, the constant first.

    Lame's equation in s^2 is one of Heun's (DLMF 31.2). The coefficients of its series about h^2 satisfy a
    recurrence of three terms, so they are an eigenvector of a tridiagonal matrix, which is made symmetric.
    The leading coefficient in s^2 is 1.
    """
    if size == 1:
        return numpy.ones(1)
    if not 0 < h2 < k2:
        return numpy.full(size, numpy.nan)
    first, second, third = (power + 0.5 for power in powers)
    total, degree, w = first + second + third, size - 1, h2 - k2
    j = numpy.arange(size)
    matrix = numpy.diag((w + h2) * j * (j - 1) + (first * w + second * (w + h2) + third * h2) * j)
    j = j[:-1]
    upper, lower = -w * (j + 1) * (j + second), h2 * (degree * (degree + total - 1) - j * (j - 1 + total))
    matrix[j, j + 1] = matrix[j + 1, j] = numpy.sqrt(upper * lower)
    vector = numpy.linalg.eigh(matrix)[1][:, size - 1 - index]
    found = vector * numpy.cumprod(numpy.concatenate([[1.0], numpy.sqrt(lower / upper)]))
    return found * ((-h2) ** degree / found[-1])


def _integers(value):
    """Return whole numbers as SciPy converts them."""
    value = numpy.asarray(value)
    whole = numpy.trunc(value)
    if (whole != value).any():
        warnings.warn("floating point number truncated to an integer", RuntimeWarning, stacklevel=3)
    return whole


def ellip_harm(h2, k2, n, p, s, signm=1, signn=1):
    """Ellipsoidal harmonic functions, Lame functions of the first kind; see `scipy.special.ellip_harm`.

    The coefficients of the polynomials are found on the host.

    Parameters
    ----------
    h2, k2 : array_like of float
        The squares of ``0 < h < k``.
    n, p : array_like of int
        The degree, and the order from 1 to ``2 n + 1``.
    s : array_like
        Real numbers.
    signm, signn : array_like of {1, -1}, default 1
        Signs of the factors ``sqrt(|s^2 - h^2|)`` and ``sqrt(|s^2 - k^2|)``.

    Returns
    -------
    ndarray
        NaN where a parameter is outside of its domain.

    Raises
    ------
    TypeError
        If another argument than `s` is a device array.
    """
    given = {"h2": h2, "k2": k2, "n": n, "p": p, "signm": signm, "signn": signn}
    for name, value in given.items():
        if isinstance(value, ndarray):
            raise TypeError(
                f"scipy.special.ellip_harm: {name} is a device array; only s may be one, as the "
                f"coefficients are found on the host: pass {name}.get()"
            )
    s = asarray(s)
    dtype = numpy.result_type(
        s.dtype, *[x if numpy.isscalar(x) else numpy.asarray(x) for x in given.values()]
    )
    n, p = _integers(n), _integers(p)
    h2, k2, n, p, signm, signn = numpy.broadcast_arrays(
        *[numpy.asarray(x, float) for x in (h2, k2, n, p, signm, signn)]
    )
    valid = (n >= 0) & (p >= 1) & (p <= 2 * n + 1) & (abs(signm) == 1) & (abs(signn) == 1)
    most = int(n[valid].max(initial=0)) // 2 + 1
    coefficients, powers = numpy.zeros((most, *n.shape)), numpy.zeros((3, *n.shape), bool)
    coefficients[0] = numpy.where(valid, 0, numpy.nan)
    for at in numpy.ndindex(valid.shape):
        if not valid[at]:
            continue
        powers[(slice(None), *at)], size, index = _factors(int(n[at]), int(p[at]))
        found = _polynomial(float(h2[at]), float(k2[at]), powers[(slice(None), *at)], size, index)
        coefficients[(slice(size), *at)] = found
    coefficients *= numpy.where(powers[1], signm, 1) * numpy.where(powers[2], signn, 1)
    return _evaluate(s, coefficients, powers, h2, k2).astype(
        numpy.float32 if dtype in (numpy.float16, numpy.float32) else numpy.float64
    )


def _evaluate(s, coefficients, powers, h2, k2):
    """Evaluate products of polynomials and factors on the device."""
    s = s.astype(numpy.float64)
    square = s * s
    _, h2, k2, *coefficients = on_one_device(s, h2, k2, *coefficients)
    # With h = 0 only the polynomials of degree 0 are not NaN.
    x = 1 - square / numpy.where(h2 == 0, 1, h2)
    result = coefficients[-1] + 0 * s
    for coefficient in coefficients[-2::-1]:
        result = result * x + coefficient
    values = (lambda: s, lambda: numpy.sqrt(abs(square - h2)), lambda: numpy.sqrt(abs(square - k2)))
    for power, value in zip(powers, values, strict=True):
        if power.all():
            result = result * value()
        elif power.any():
            result = result * numpy.where(on_one_device(s, power)[1], value(), 1.0)
    return result


FUNCTIONS = {"ellip_harm": ellip_harm}
