"""An Asian option by Monte Carlo, with the same numbers in every run."""

import numpy as np

rng = np.random.default_rng(seed=2024)
paths, steps = 2000, 50
s0, k, r, sigma, T = 100, 105, 0.02, 0.3, 1.0
dt = T / steps
z = rng.standard_normal((paths, steps))
log_paths = np.cumsum((r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z, axis=1)
prices = s0 * np.exp(log_paths)
payoff = np.maximum(prices.mean(axis=1) - k, 0)
value = np.exp(-r * T) * payoff.mean()
error = payoff.std(ddof=1) / np.sqrt(paths)
print(f"value {value:.6f} +- {error:.6f}")
print("quantiles", np.quantile(prices[:, -1], [0.05, 0.5, 0.95]).round(4))
