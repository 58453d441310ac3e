"""A Kalman filter with classes, properties and operators."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.linalg as la


@dataclass(frozen=True)
class Gaussian:
    mean: np.ndarray
    covariance: np.ndarray = field(repr=False)

    def __matmul__(self, matrix: np.ndarray) -> Gaussian:
        return Gaussian(matrix @ self.mean, matrix @ self.covariance @ matrix.T)

    @property
    def deviation(self) -> np.ndarray:
        return np.sqrt(np.diag(self.covariance))


class Filter:
    def __init__(self, dt, q, r):
        self.F = np.array([[1, dt, dt**2 / 2], [0, 1, dt], [0, 0, 1]])
        self.H = np.eye(1, 3)
        self.Q = q * np.outer(v := np.array([dt**2 / 2, dt, 1]), v)
        self.R = np.atleast_2d(r)
        self.state = Gaussian(np.zeros(3), 10 * np.eye(3))
        self.history = []

    def step(self, z):
        prior = self.state @ self.F
        prior = replace(prior, covariance=prior.covariance + self.Q)
        S = self.H @ prior.covariance @ self.H.T + self.R
        K = la.solve(S, self.H @ prior.covariance).T
        innovation = z - self.H @ prior.mean
        self.state = Gaussian(prior.mean + K @ innovation, (np.eye(3) - K @ self.H) @ prior.covariance)
        self.history.append(self.state.mean.copy())
        return float(innovation[0]), float(la.det(S))


rng = np.random.RandomState(3)
t = np.arange(0, 20, 0.1)
truth = 0.3 * t**2 - 2 * t
measured = truth + rng.normal(scale=2, size=t.shape)
kalman = Filter(0.1, 0.01, 4.0)
likelihood = 0.0
for z in measured:
    nu, S = kalman.step(z)
    likelihood -= 0.5 * (nu**2 / S + np.log(2 * np.pi * S))
path = np.asarray(kalman.history)
print(f"{likelihood:.4f}", path.shape, np.round(path[-1], 4), np.round(kalman.state.deviation, 4))
print(f"{np.sqrt(np.mean((path[50:, 0] - truth[50:]) ** 2)):.4f}", kalman.state)
