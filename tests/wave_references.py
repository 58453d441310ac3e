"""Mathieu and spheroidal wave functions in mpmath, from series in eigenvectors with 40 digits.

The eigenvectors are those of Fourier series (DLMF 28.4) and of series in Legendre functions (DLMF 30.8).
Modified Mathieu functions are series of products of Bessel functions (DLMF 28.24), functions of the radius
series of spherical Bessel functions (DLMF 30.11), continued by Taylor's series where these diverge.
"""

import functools

import mpmath
import numpy as np

DIGITS = 40


def eigenpair(diagonal, others, k):
    """Return an eigenvalue of a symmetric tridiagonal matrix and the unit eigenvector.

    Parameters
    ----------
    diagonal, others : list of mpf
    k : int
        How many eigenvalues are smaller.

    Returns
    -------
    tuple of mpf and list of mpf
    """
    dense = np.diag([float(d) for d in diagonal])
    for i, e in enumerate(others):
        dense[i, i + 1] = dense[i + 1, i] = float(e)
    value = mpmath.mpf(np.linalg.eigvalsh(dense)[k])
    vector = [mpmath.mpf(1)] * len(diagonal)
    # Inverse iteration, with Rayleigh's quotient as the shift from the second step on.
    for step in range(6):
        shift = value * (1 + mpmath.mpf(10) ** (3 - DIGITS)) + mpmath.mpf(10) ** -DIGITS
        pivots, right = [diagonal[0] - shift], [vector[0]]
        for d, e, x in zip(diagonal[1:], others, vector[1:], strict=True):
            factor = e / pivots[-1]
            pivots.append(d - shift - factor * e)
            right.append(x - factor * right[-1])
        solved = [right.pop() / pivots.pop()]
        while right:
            solved.append((right.pop() - others[len(right)] * solved[-1]) / pivots.pop())
        norm = mpmath.sqrt(mpmath.fsum(x * x for x in solved))
        vector = [x / norm for x in reversed(solved)]
        if step:
            value = mpmath.fsum(d * x * x for d, x in zip(diagonal, vector, strict=True))
            value += 2 * mpmath.fsum(e * x * y for e, x, y in zip(others, vector, vector[1:], strict=False))
    return value, vector


def in_many_digits(function):
    """Return the function of real parts with a cache; it computes with `DIGITS` digits."""

    @functools.cache
    def of_real(*args):
        with mpmath.workdps(DIGITS):
            return function(*args)

    return lambda *args: of_real(*[x if isinstance(x, bool) else mpmath.re(x) for x in args])


@in_many_digits
def fourier(m, q, sines):
    """Return a characteristic value of Mathieu's equation, multiples of the angle and coefficients."""
    m = int(m)
    first = 1 if m % 2 else 2 if sines else 0
    multiples = [first + 2 * i for i in range(m + 30 + int(mpmath.sqrt(abs(q))))]
    diagonal, others = [mpmath.mpf(k * k) for k in multiples], [q] * (len(multiples) - 1)
    if first == 0:
        others[0] = q * mpmath.sqrt(2)
    elif first == 1:
        diagonal[0] += -q if sines else q
    value, vector = eigenpair(diagonal, others, (m - first) // 2)
    if first == 0:
        vector[0] /= mpmath.sqrt(2)
    # Positive at 0, or rising there.
    if mpmath.fsum(v * (k if sines else 1) for k, v in zip(multiples, vector, strict=True)) < 0:
        vector = [-v for v in vector]
    return value, multiples, vector


def mathieu_value(sines):
    """Return a_m(q), or b_m(q), as a function of m and q."""
    return lambda m, q: fourier(m, q, sines)[0]


def mathieu_periodic(sines):
    """Return ce_m, or se_m, and its derivative as a function of m, q and degrees."""

    @in_many_digits
    def function(m, q, x):
        x = x * mpmath.pi / 180
        f, g = (mpmath.sin, mpmath.cos) if sines else (mpmath.cos, lambda t: -mpmath.sin(t))
        terms = list(zip(*fourier(m, q, sines)[1:], strict=True))
        return mpmath.fsum(v * f(k * x) for k, v in terms), mpmath.fsum(k * v * g(k * x) for k, v in terms)

    return function


@in_many_digits
def bessel(kind, n, x):
    return (mpmath.besselj if kind == 1 else mpmath.bessely)(n, x)


def bessel_functions(kind, x, top):
    """Return the Bessel functions of the orders -1 to `top`."""
    if kind == 1:
        return [bessel(1, n, x) for n in range(-1, top + 1)]
    values = [-bessel(2, 1, x), bessel(2, 0, x)]
    for n in range(top):
        values.append(2 * n / x * values[-1] - values[-2])
    return values


def mathieu_modified(sines, kind):
    """Return Mc_m, or Ms_m, of a kind and its derivative as a function of m, q and z."""

    @in_many_digits
    def function(m, q, z):
        _, multiples, vector = fourier(m, q, sines)
        large = max(range(len(vector)), key=lambda i: abs(vector[i]))
        s, x = multiples[large], [mpmath.sqrt(q) * mpmath.exp(sign * z) for sign in (-1, 1)]
        tables = [bessel_functions(k, t, multiples[-1] + 2) for k, t in zip((1, kind), x, strict=True)]

        def factor(which, n):
            """Return a Bessel function of order n and its derivative in z."""
            table, sign = tables[which], (-1) ** n if n < 0 else 1
            value, n = table[abs(n) + 1], abs(n)
            slope = (n / x[which] * value - table[n + 2]) * (2 * which - 1) * x[which]
            return sign * value, sign * slope

        total = change = mpmath.mpf(0)
        for k, v in zip(multiples, vector, strict=True):
            i, j = (k - s) // 2, (k + s) // 2
            for a, b, sign in ((i, j, 1), (j, i, -1 if sines else 1)):
                weight = sign * v * (-1) ** ((int(m) - k) // 2)
                (f, f_slope), (g, g_slope) = factor(0, a), factor(1, b)
                total += weight * f * g
                change += weight * (f * g_slope + f_slope * g)
        scale = vector[large] * (2 if s == 0 else 1)
        return total / scale, change / scale

    return function


@in_many_digits
def legendre_series(m, n, c, prolate):
    """Return a characteristic value, degrees, and the coefficients for normalized Legendre functions."""
    m, n, sign = int(m), int(n), 1 if prolate else -1
    degrees = [m + (n - m) % 2 + 2 * i for i in range((n - m) // 2 + 40 + int(abs(c)))]

    def g(degree):
        return mpmath.sqrt(mpmath.mpf(degree**2 - m * m) / (4 * degree**2 - 1))

    square = sign * c * c
    diagonal = [k * (k + 1) + square * (g(k) ** 2 + g(k + 1) ** 2) for k in degrees]
    others = [square * g(k + 1) * g(k + 2) for k in degrees[:-1]]
    return (*eigenpair(diagonal, others, (n - m) // 2), degrees)


def spheroidal_value(prolate):
    """Return the characteristic value as a function of m, n and c."""
    return lambda m, n, c: legendre_series(m, n, c, prolate)[0]


def norm_of(degree, m):
    """Return the root of the square integral of a Legendre function, without the factor 2."""
    return mpmath.sqrt(mpmath.factorial(degree + m) / mpmath.factorial(degree - m) / (2 * degree + 1))


def legendre(m, top, x):
    """Return the Legendre functions of order m and degrees m to `top`, without the sign (-1)^m."""
    values, before = [mpmath.fac2(2 * m - 1) * (1 - x * x) ** (mpmath.mpf(m) / 2)], mpmath.mpf(0)
    for k in range(m, top):
        now = values[-1]
        values.append(((2 * k + 1) * x * now - (k + m) * before) / (k - m + 1))
        before = now
    return values


def spheroidal_angle(prolate):
    """Return the function of the angle and its derivative as a function of m, n, c and x."""

    @in_many_digits
    def function(m, n, c, x):
        _, vector, degrees = legendre_series(m, n, c, prolate)
        m, n = int(m), int(n)

        def sums(y):
            p, value, slope = legendre(m, degrees[-1] + 1, y), mpmath.mpf(0), mpmath.mpf(0)
            for k, v in zip(degrees, vector, strict=True):
                weight = v / norm_of(k, m)
                value += weight * p[k - m]
                slope += weight * ((k + 1) * y * p[k - m] - (k - m + 1) * p[k - m + 1]) / (1 - y * y)
            return value, slope

        # Flammer's norm: at 0 the function, or its derivative, is that of the Legendre function.
        at_zero, odd = legendre(m, n + 1, mpmath.mpf(0)), (n - m) % 2
        wanted = -(n - m + 1) * at_zero[n + 1 - m] if odd else at_zero[n - m]
        scale = wanted / sums(mpmath.mpf(0))[odd]
        return tuple(scale * y for y in sums(x))

    return function


def spheroidal_radius(prolate, kind):
    """Return the function of the radius of a kind and its derivative as a function of m, n, c and x."""
    bessel, sign = mpmath.besselj if kind == 1 else mpmath.bessely, -1 if prolate else 1

    def spherical(degree, t):
        return mpmath.sqrt(mpmath.pi / (2 * t)) * bessel(degree + mpmath.mpf(1) / 2, t)

    def inwards(value, m, c, x):
        """Continue the function from 2 to x < 2; odefun goes upwards, so in 2 - x."""

        def slopes(t, y):
            t = 2 - t
            a = t * t + sign
            return [-y[1], (2 * t * y[1] - (value - c * c * t * t - sign * m * m / a) * y[0]) / a]

        with mpmath.workdps(22):
            return tuple(mpmath.odefun(slopes, 0, list(function(*start[m, c], 2)))(2 - x))

    start = {}

    @in_many_digits
    def function(m, n, c, x):
        value, vector, degrees = legendre_series(m, n, c, prolate)
        if kind == 2 and x < 2:
            start[m, c] = (m, n, c)
            return inwards(value, m, c, x)
        m, n, t = int(m), int(n), c * x
        total = change = whole = mpmath.mpf(0)
        for k, v in zip(degrees, vector, strict=True):
            weight = v * norm_of(k, m) * (2 * k + 1)
            whole += weight
            weight *= (-1) ** ((k - n) // 2)
            f = spherical(k, t)
            total += weight * f
            change += weight * c * (k / t * f - spherical(k + 1, t))
        ratio = 1 + sign / (x * x)
        factor = ratio ** (mpmath.mpf(m) / 2) / whole
        return factor * total, factor * (change - m * sign / (x**3 * ratio) * total)

    return function
