"""A natural cubic spline, written out."""

import numpy as np


def natural_spline(x, y):
    n = len(x)
    h = np.diff(x)
    a = np.zeros((n, n))
    b = np.zeros(n)
    a[0, 0] = a[-1, -1] = 1
    for i in range(1, n - 1):
        a[i, i - 1], a[i, i], a[i, i + 1] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    m = np.linalg.solve(a, b)

    def evaluate(points):
        k = np.clip(np.searchsorted(x, points) - 1, 0, n - 2)
        left, right = points - x[k], x[k + 1] - points
        return (
            (m[k] * right**3 + m[k + 1] * left**3) / (6 * h[k])
            + (y[k] / h[k] - m[k] * h[k] / 6) * right
            + (y[k + 1] / h[k] - m[k + 1] * h[k] / 6) * left
        )

    return evaluate


x = np.linspace(0, 2 * np.pi, 15)
f = natural_spline(x, np.sin(x))
points = np.linspace(0, 2 * np.pi, 1000)
print("error", np.abs(f(points) - np.sin(points)).max().round(6))
print(f(points)[::200])
