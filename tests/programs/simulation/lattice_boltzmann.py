"""A channel with a cylinder by the lattice Boltzmann method."""

import numpy as np

nx, ny, tau = 60, 24, 0.6
cx = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
cy = np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
w = np.array([4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36])
np.random.seed(42)
F = np.ones((ny, nx, 9)) + 0.01 * np.random.randn(ny, nx, 9)
X, Y = np.meshgrid(range(nx), range(ny))
F[:, :, 3] += 2 * (1 + 0.2 * np.cos(2 * np.pi * X / nx * 4))
rho = np.sum(F, 2)
for i in range(9):
    F[:, :, i] *= 1.0 / rho
cylinder = (X - nx / 4) ** 2 + (Y - ny / 2) ** 2 < (ny / 6) ** 2
for _ in range(25):
    for i, (dx, dy) in enumerate(zip(cx, cy)):
        F[:, :, i] = np.roll(F[:, :, i], dx, axis=1)
        F[:, :, i] = np.roll(F[:, :, i], dy, axis=0)
    bounced = F[cylinder, :]
    bounced = bounced[:, [0, 5, 6, 7, 8, 1, 2, 3, 4]]
    rho = np.sum(F, 2)
    ux, uy = np.sum(F * cx, 2) / rho, np.sum(F * cy, 2) / rho
    Feq = np.zeros(F.shape)
    for i, (dx, dy, weight) in enumerate(zip(cx, cy, w)):
        cu = dx * ux + dy * uy
        Feq[:, :, i] = rho * weight * (1 + 3 * cu + 9 * cu**2 / 2 - 3 * (ux**2 + uy**2) / 2)
    F += -(1.0 / tau) * (F - Feq)
    F[cylinder, :] = bounced
print(f"{ux.mean():.8f} {uy.std():.8f} {rho.sum():.6f}")
