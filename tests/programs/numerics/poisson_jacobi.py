"""Laplace's equation on a square by Jacobi's iteration, with a test for convergence."""

import numpy as np


def laplace(n, tolerance=1e-4):
    grid = np.zeros((n, n))
    grid[0, :] = 100.0
    grid[:, -1] = np.linspace(100, 0, n)
    for iteration in range(500):
        before = grid.copy()
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
        error = np.sqrt(np.mean((grid - before) ** 2))
        if error < tolerance * 1000:
            break
    return grid, iteration, error


grid, iteration, error = laplace(60)
print(iteration, f"{error:.6e}")
print(grid[10:50:10, 10:50:10].round(5))
