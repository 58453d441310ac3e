"""The shortest paths between all pairs of nodes."""

import numpy as np

rng = np.random.default_rng(8)
n = 60
distance = np.where(rng.random((n, n)) < 0.1, rng.integers(1, 20, (n, n)).astype(float), np.inf)
np.fill_diagonal(distance, 0)
for k in range(n):
    distance = np.minimum(distance, distance[:, k : k + 1] + distance[k : k + 1, :])
reached = np.isfinite(distance)
print(int(reached.sum()), distance[reached].max(), distance[reached].mean().round(6))
print(distance[0, :10])
