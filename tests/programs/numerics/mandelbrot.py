"""The Mandelbrot set, printed as text."""

import numpy as np

width, height, limit = 60, 24, 40
c = np.linspace(-2.1, 0.7, width)[np.newaxis, :] + 1j * np.linspace(-1.2, 1.2, height)[:, np.newaxis]
z = np.zeros_like(c)
count = np.zeros(c.shape, dtype=int)
for _ in range(limit):
    inside = np.abs(z) <= 2
    z[inside] = z[inside] ** 2 + c[inside]
    count[inside] += 1
letters = " .:-=+*#%@"
for row in count:
    print("".join(letters[min(9, int(v) * 9 // limit)] for v in row))
