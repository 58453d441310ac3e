"""The heat equation on a rod, explicitly and implicitly."""

import numpy as np

n, steps, dt = 401, 200, 2e-6
x = np.linspace(0.0, 1.0, n)
dx = x[1] - x[0]
u = np.exp(-200 * (x - 0.5) ** 2)
explicit = u.copy()
for _ in range(steps):
    explicit[1:-1] += dt / dx**2 * (explicit[2:] - 2 * explicit[1:-1] + explicit[:-2])
matrix = np.eye(n) * (1 + 2 * dt / dx**2)
matrix += np.diag(np.full(n - 1, -dt / dx**2), 1) + np.diag(np.full(n - 1, -dt / dx**2), -1)
matrix[0], matrix[-1] = 0, 0
matrix[0, 0] = matrix[-1, -1] = 1
implicit = u
for _ in range(5):
    implicit = np.linalg.solve(matrix, implicit)
print(
    f"explicit: max {explicit.max():.8f} at {x[explicit.argmax()]:.4f}, total {np.trapezoid(explicit, x):.8f}"
)
print("implicit:", np.round(implicit[::80], 6))
