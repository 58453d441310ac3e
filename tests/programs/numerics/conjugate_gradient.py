"""Conjugate gradients for a sparse matrix that is given as a function."""

import numpy as np


def apply(v, n):
    grid = v.reshape(n, n)
    out = 4.0 * grid
    out[1:] -= grid[:-1]
    out[:-1] -= grid[1:]
    out[:, 1:] -= grid[:, :-1]
    out[:, :-1] -= grid[:, 1:]
    return out.ravel()


n = 40
b = np.ones(n * n)
x = np.zeros_like(b)
r = b - apply(x, n)
p = r.copy()
rs = r @ r
for i in range(200):
    ap = apply(p, n)
    alpha = rs / (p @ ap)
    x += alpha * p
    r -= alpha * ap
    new = r @ r
    if np.sqrt(new) < 1e-8:
        break
    p = r + (new / rs) * p
    rs = new
print("iterations", i, "residual below 1e-8:", np.linalg.norm(b - apply(x, n)) < 1e-7)
print("centre", x.reshape(n, n)[n // 2, n // 2].round(6))
