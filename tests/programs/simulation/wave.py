"""Waves on a membrane with an absorbing rim."""

import numpy as np

n = 64
u = np.zeros((n, n))
before = np.zeros_like(u)
yy, xx = np.ogrid[:n, :n]
u += np.exp(-((xx - 20) ** 2 + (yy - 30) ** 2) / 10.0)
damping = np.ones((n, n))
damping[:5] = damping[-5:] = 0.9
damping[:, :5] = damping[:, -5:] = 0.9
for step in range(60):
    laplacian = -4 * u
    laplacian += np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0)
    laplacian += np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1)
    u, before = (2 * u - before + 0.25 * laplacian) * damping, u
    if step % 20 == 0:
        print(step, f"{np.sum(u * u):.6f}", np.unravel_index(u.argmax(), u.shape))
