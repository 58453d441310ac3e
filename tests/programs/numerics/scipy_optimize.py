"""Minima, roots and fits of SciPy, with functions of the program."""

# needs: scipy
import numpy as np
from scipy.optimize import brentq, curve_fit, minimize

target = np.linspace(0, 1, 400)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


result = minimize(rosenbrock, np.zeros(5), method="BFGS")
print(result.success or result.fun < 1e-8, result.x.round(3))
print(f"{brentq(lambda v: np.cos(v) - v, 0, 1):.10f}")
y = 2.5 * np.exp(-1.3 * target) + 0.5
parameters, _ = curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c, target, y, p0=(1, 1, 1))
print(parameters.round(5))
