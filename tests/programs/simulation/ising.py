"""The Ising model, one colour of the chessboard after the other."""

import numpy as np

rng = np.random.default_rng(42)
n, beta = 48, 0.5
spins = rng.choice([-1, 1], size=(n, n))
i, j = np.indices((n, n))
black = (i + j) % 2 == 0
magnetization = []
for sweep in range(60):
    for mask in (black, ~black):
        field = sum(np.roll(spins, s, axis) for s in (1, -1) for axis in (0, 1))
        flip = mask & (rng.random((n, n)) < np.exp(-2 * beta * spins * field))
        spins[flip] *= -1
    magnetization.append(abs(spins.mean()))
print(np.array(magnetization)[::10])
print(f"mean of the last ten {np.mean(magnetization[-10:]):.6f}")
