"""Integrals by Simpson's rule and by Gauss and Legendre, and a table of errors."""

import numpy as np


def simpson(f, a, b, n):
    x = np.linspace(a, b, n + 1)
    w = np.ones(n + 1)
    w[1:-1:2] = 4
    w[2:-1:2] = 2
    return (b - a) / n / 3 * np.sum(w * f(x))


exact = np.e - 1
for n in (10, 100, 1000):
    print(n, f"{abs(simpson(np.exp, 0, 1, n) - exact) < 10.0 ** (-np.log10(n) * 3)}")
nodes, weights = np.polynomial.legendre.leggauss(20)
print(f"{0.5 * weights @ np.exp(0.5 * (nodes + 1)):.12f}")
