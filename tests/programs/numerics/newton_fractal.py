"""Newton's method for z**3 = 1 from every point of a grid."""

import numpy as np

y, x = np.mgrid[-1.5:1.5:80j, -1.5:1.5:80j]
z = x + 1j * y
for _ in range(30):
    z = z - (z**3 - 1) / (3 * z**2)
roots = np.exp(2j * np.pi * np.arange(3) / 3)
basin = np.argmin(np.abs(z[..., None] - roots), axis=-1)
values, counts = np.unique(basin, return_counts=True)
for value, count in zip(values, counts):
    print(int(value), int(count))
