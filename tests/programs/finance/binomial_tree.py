"""An American option in a binomial tree: arrays that shrink."""

import numpy as np

n, s0, k, r, sigma, T = 300, 100.0, 100.0, 0.05, 0.2, 1.0
dt = T / n
u = np.exp(sigma * np.sqrt(dt))
p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
values = np.maximum(k - s0 * u ** np.arange(n, -n - 1, -2), 0)
for i in range(n - 1, -1, -1):
    values = np.exp(-r * dt) * (p * values[:-1] + (1 - p) * values[1:])
    stock = s0 * u ** np.arange(i, -i - 1, -2.0)
    values = np.maximum(values, k - stock)
print(f"{values[0]:.8f}", values.shape)
