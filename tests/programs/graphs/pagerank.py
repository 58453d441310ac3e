"""Page rank of a random graph."""

import numpy as np

rng = np.random.default_rng(31)
n = 120
links = rng.random((n, n)) < 0.05
np.fill_diagonal(links, False)
out = links.sum(axis=1)
transition = np.where(out[:, None] > 0, links / np.maximum(out, 1)[:, None], 1 / n)
rank = np.full(n, 1 / n)
for i in range(100):
    new = 0.15 / n + 0.85 * rank @ transition
    if np.abs(new - rank).sum() < 1e-12:
        break
    rank = new
top = np.argsort(-rank, kind="stable")[:5]
print(top, rank[top].round(8), f"{rank.sum():.10f}")
