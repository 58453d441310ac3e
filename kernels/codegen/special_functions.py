"""What the polynomials of special_polynomials.py approximate, with the digits that mpmath is set to."""

import mpmath as mp


def ndtr_scaled(q):
    """Return ndtr(-y) exp(y^2 / 2) (y + 5.5) for q = (5.5 - 1.28125 y) / (y + 5.5), up to y = 39.1."""
    y = mp.mpf("5.5") * (1 - q) / (q + mp.mpf("1.28125"))
    return mp.exp(y * y / 2) * mp.erfc(y / mp.sqrt(2)) / 2 * (y + mp.mpf("5.5"))


def erfcx_scaled(q):
    """Return erfcx(x) (1 + 2 x) for q = (x - 4) / (x + 4): Shepherd and Laframboise 1981."""
    if q > 1 - mp.mpf(10) ** -40:
        return 2 / mp.sqrt(mp.pi)
    x = 4 * (1 + q) / (1 - q)
    if x > 60:
        terms, total, k = mp.mpf(1), mp.mpf(1), 0
        while abs(terms) > mp.mpf(10) ** -48 and k < x * x:
            k += 1
            terms *= -(2 * k - 1) / (2 * x * x)
            total += terms
        return total / (x * mp.sqrt(mp.pi)) * (1 + 2 * x)
    with mp.workdps(60 + int(x * x)):
        return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)


def erfinv_ratio(w):
    """Return erfinv(x) / x for w = -log(1 - x^2): the form of Giles 2012."""
    if w == 0:
        return mp.sqrt(mp.pi) / 2
    with mp.workdps(60 + int(w)):
        rest = mp.exp(-w)
        x = mp.sqrt(1 - rest)
        y = mp.sqrt(w) if w > 1 else mp.sqrt(mp.pi) / 2 * x
        for _ in range(100):  # Newton's method on log(erfc(y)), nearly a parabola
            value = mp.erfc(y)
            step = mp.log(value * (1 + x) / rest) * value * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
            y += step
            if abs(step) < abs(y) * mp.mpf(10) ** -45:
                break
        return y / x


def gammastar(u):
    """Return gamma(x) / (sqrt(2 pi) x^(x - 1/2) e^-x) for u = 1 / x."""
    x = 1 / u
    return mp.exp(mp.loggamma(x) - (x - mp.mpf("0.5")) * mp.log(x) + x) / mp.sqrt(2 * mp.pi)


def hankel(order, part):
    """Return P (part 0) or Q x / 8 (part 1) of Hankel's expansion as a function of v = (8 / x)^2."""

    def value(v):
        x = 8 / mp.sqrt(v)
        chi = x - (2 * order + 1) * mp.pi / 4
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        c, s = mp.cos(chi), mp.sin(chi)
        scale = mp.sqrt(mp.pi * x / 2)
        return scale * (j * c + y * s) if part == 0 else scale * (y * c - j * s) * x / 8

    return value


def factorials(order):
    """Return a function for the coefficients of the series of I0 or I1, converged for x^2 / 4 <= 16."""

    def terms(goal):
        values = []
        while True:
            n = len(values)
            values.append(1 / (mp.factorial(n) * mp.factorial(n + order)))
            if values[-1] * mp.mpf(16) ** n < goal * mp.fsum(
                v * mp.mpf(16) ** k for k, v in enumerate(values)
            ):
                return values

    return terms


def taylor_of_psi(root, radius):
    """Return a function for the Taylor coefficients of digamma(root + t), for complex |t| <= radius."""

    def terms(goal):
        values = [mp.mpf(0)]
        while True:
            n = len(values)
            values.append(mp.psi(n, root) / mp.factorial(n))
            if abs(values[-1]) * radius ** (n - 1) < goal * abs(values[1]):
                return values

    return terms


def over(function, roots):
    """Return a function divided by x - root for each of its roots, continued at the roots."""

    def value(x):
        if any(abs(x - r) < mp.mpf(10) ** -30 for r in roots):
            x += mp.mpf(10) ** -25
        for_roots = mp.mpf(1)
        for r in roots:
            for_roots *= x - r
        return function(x) / for_roots

    return value


def of_square(function, root, parity):
    """Return function(x) / (x^parity (x^2 - root^2)) as a function of z = x^2."""

    def value(z):
        x = mp.sqrt(z) if z > mp.mpf(10) ** -20 else mp.mpf(10) ** -10
        return function(x) / (x**parity * (x * x - root * root))

    return value


def temme(rows, columns):
    """Return the coefficients of the powers of eta (columns) and 1 / a (rows) in Temme's uniform expansion.

    With eta^2 / 2 = mu - log(1 + mu), the first row is 1 / mu - 1 / eta. Each following row is the derivative
    of the previous one over eta, minus the multiple of 1 / mu that removes the pole.
    """
    count = columns + 2 * rows
    mu = [mp.mpf(0), mp.mpf(1)]  # from mu mu' = eta (1 + mu)
    for n in range(2, count + 2):
        known = mp.fsum(k * mu[k] * mu[n + 1 - k] for k in range(2, n))
        mu.append((mu[n - 1] - known) / (n + 1))
    inverse = [mp.mpf(1)]  # eta / mu
    for n in range(1, count + 1):
        inverse.append(-mp.fsum(mu[k + 1] * inverse[n - k] for k in range(1, n + 1)))
    first = row = inverse[1:]
    table = []
    for _ in range(rows):
        table += row[:columns]
        row = [(n + 2) * row[n + 2] - row[1] * first[n] for n in range(len(row) - 2)]
    return table
