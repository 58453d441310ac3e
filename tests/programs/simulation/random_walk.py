"""Random walks: how far they come."""

import numpy as np

np.random.seed(0)
walks, steps = 200, 300
path = np.cumsum(2 * np.random.randint(0, 2, size=(walks, steps)) - 1, axis=1)
print("spread", path[:, -1].std().round(4), "expected", np.sqrt(steps).round(4))
first = np.argmax(np.abs(path) >= 10, axis=1)
reached = (np.abs(path) >= 10).any(axis=1)
print(reached.sum(), first[reached].mean().round(4), np.percentile(first[reached], [10, 50, 90]))
