"""Flow in a cavity whose lid moves: the Navier-Stokes equations with a pressure correction."""

import numpy as np


def pressure(p, b, dx, dy, rounds=30):
    for _ in range(rounds):
        pn = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2
            + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
            - b[1:-1, 1:-1] * dx**2 * dy**2
        ) / (2 * (dx**2 + dy**2))
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return p


nx = ny = 31
dx = dy = 2 / (nx - 1)
rho, nu, dt = 1.0, 0.1, 0.001
u, v, p, b = (np.zeros((ny, nx)) for _ in range(4))
for _ in range(40):
    b[1:-1, 1:-1] = (
        1 / dt * ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
    )
    p = pressure(p, b, dx, dy)
    un, vn = u.copy(), v.copy()
    u[1:-1, 1:-1] = (
        un[1:-1, 1:-1]
        - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
        - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
        + nu * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
        + nu * dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])
    )
    v[1:-1, 1:-1] = (
        vn[1:-1, 1:-1]
        - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
        + nu * dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, :-2])
    )
    u[0, :] = u[:, 0] = u[:, -1] = 0
    u[-1, :] = 1
print(f"u {np.abs(u).sum():.6f} v {np.abs(v).sum():.6f} p {p.min():.6f} {p.max():.6f}")
