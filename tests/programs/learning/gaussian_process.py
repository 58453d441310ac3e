"""A Gaussian process: Cholesky's factors and samples."""

import numpy as np


def kernel(a, b, scale=0.5):
    return np.exp(-0.5 * (a[:, None] - b[None, :]) ** 2 / scale**2)


rng = np.random.default_rng(3)
x = np.sort(rng.uniform(-3, 3, 40))
y = np.sin(x) + 0.05 * rng.normal(size=40)
points = np.linspace(-3, 3, 120)
K = kernel(x, x) + 0.05**2 * np.eye(40)
L = np.linalg.cholesky(K)
alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
mean = kernel(points, x) @ alpha
v = np.linalg.solve(L, kernel(x, points))
std = np.sqrt(np.clip(np.diag(kernel(points, points)) - np.sum(v**2, axis=0), 0, None))
print(np.abs(mean - np.sin(points)).mean() < 0.1, std.min() < std.max())
print(mean[::30].round(4))
