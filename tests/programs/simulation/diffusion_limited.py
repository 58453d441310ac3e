"""Gray and Scott's reaction with diffusion, in single precision."""

import numpy as np

n = 50
U = np.ones((n, n), dtype=np.float32)
V = np.zeros((n, n), dtype=np.float32)
r = slice(n // 2 - 5, n // 2 + 5)
U[r, r], V[r, r] = 0.5, 0.25


def laplacian(a):
    return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - np.float32(4) * a


for _ in range(100):
    reaction = U * V * V
    U += np.float32(0.16) * laplacian(U) - reaction + np.float32(0.035) * (1 - U)
    V += np.float32(0.08) * laplacian(V) + reaction - np.float32(0.095) * V
print(U.dtype, f"{U.mean():.4f} {V.mean():.4f} {V.max():.4f}")
