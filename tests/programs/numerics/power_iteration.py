"""The largest eigenvalue of a matrix, and all of them."""

import numpy as np

rng = np.random.default_rng(3)
a = rng.random((80, 80))
a = (a + a.T) / 2
v = np.ones(80)
for i in range(100):
    w = a @ v
    value = v @ w / (v @ v)
    w /= np.linalg.norm(w)
    if np.linalg.norm(w - v) < 1e-12:
        break
    v = w
values = np.linalg.eigvalsh(a)
print(f"{value:.8f} {values[-1]:.8f}", np.isclose(value, values[-1]))
print(f"{np.trace(a):.8f} {values.sum():.8f}")
