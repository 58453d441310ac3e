"""Seams of least energy are removed from an image, one at a time."""

import numpy as np

rng = np.random.default_rng(8)
image = rng.random((30, 40)).cumsum(axis=1)
for _ in range(5):
    dy, dx = np.gradient(image)
    energy = np.abs(dx) + np.abs(dy)
    cost = energy.copy()
    for i in range(1, cost.shape[0]):
        above = cost[i - 1]
        left = np.concatenate([[np.inf], above[:-1]])
        right = np.concatenate([above[1:], [np.inf]])
        cost[i] += np.minimum(np.minimum(left, above), right)
    seam = [int(np.argmin(cost[-1]))]
    for i in range(cost.shape[0] - 2, -1, -1):
        j = seam[-1]
        lo, hi = max(j - 1, 0), min(j + 2, cost.shape[1])
        seam.append(lo + int(np.argmin(cost[i, lo:hi])))
    keep = np.ones(image.shape, dtype=bool)
    keep[np.arange(image.shape[0])[::-1], seam] = False
    image = image[keep].reshape(image.shape[0], -1)
print(image.shape, image.sum().round(6), seam[:8])
