"""Two communities by the second eigenvector of the Laplacian."""

import numpy as np

rng = np.random.default_rng(10)
truth = np.arange(60) >= 30
same = truth[:, None] == truth[None, :]
adjacency = np.triu(rng.random((60, 60)) < np.where(same, 0.4, 0.05), 1)
adjacency = (adjacency | adjacency.T).astype(float)
degree = adjacency.sum(axis=1)
laplacian = np.diag(degree) - adjacency
values, vectors = np.linalg.eigh(laplacian)
found = vectors[:, 1] > 0
agreement = max((found == truth).mean(), (found != truth).mean())
print(f"{values[1]:.6f}", agreement > 0.95, int(adjacency.sum()) // 2)
