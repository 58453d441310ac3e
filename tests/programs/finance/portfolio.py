"""The efficient frontier of a few assets."""

import numpy as np

np.random.seed(123)
returns = np.random.multivariate_normal(
    [0.001, 0.0005, 0.0008], [[1e-4, 2e-5, 1e-5], [2e-5, 5e-5, 1e-5], [1e-5, 1e-5, 8e-5]], 750
)
mean, covariance = returns.mean(axis=0), np.cov(returns.T)
weights = np.random.dirichlet(np.ones(3), size=1000)
expected = weights @ mean * 252
risk = np.sqrt(np.einsum("ij,jk,ik->i", weights, covariance, weights) * 252)
best = np.argmax(expected / risk)
print(weights[best].round(5), f"{expected[best]:.6f} {risk[best]:.6f}")
inverse = np.linalg.inv(covariance)
minimal = inverse @ np.ones(3) / (np.ones(3) @ inverse @ np.ones(3))
print(minimal.round(5), np.corrcoef(returns, rowvar=False).round(4))
