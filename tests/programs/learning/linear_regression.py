"""Gradient descent for a linear model."""

import numpy as np

np.random.seed(0)
X = 2 * np.random.rand(500, 3)
y = 4 + X @ np.array([3.0, -2.0, 0.5]) + 0.1 * np.random.randn(500)
Xb = np.c_[np.ones((500, 1)), X]
theta = np.random.randn(4)
losses = []
for _ in range(200):
    error = Xb.dot(theta) - y
    theta -= 0.1 * 2 / len(y) * Xb.T.dot(error)
    losses.append((error**2).mean())
print(theta.round(4), f"{losses[-1]:.6f}", min(losses) == losses[-1])
