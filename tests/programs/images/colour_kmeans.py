"""A palette of colours by k-means."""

import numpy as np

rng = np.random.default_rng(2)
base = np.array([[200, 30, 30], [30, 180, 60], [40, 60, 200], [240, 240, 240]], dtype=float)
pixels = base[rng.integers(0, 4, 1500)] + rng.normal(0, 12, (1500, 3))
pixels = pixels.clip(0, 255)
centres = pixels[[0, 1, 2, 3]].copy()
for _ in range(15):
    distance = ((pixels[:, None] - centres[None]) ** 2).sum(-1)
    nearest = distance.argmin(1)
    new = np.array(
        [pixels[nearest == k].mean(0) if (nearest == k).any() else centres[k] for k in range(len(centres))]
    )
    if np.allclose(new, centres):
        break
    centres = new
order = np.lexsort(centres.T)
print(centres[order].round(3))
print(np.bincount(nearest, minlength=4)[order])
