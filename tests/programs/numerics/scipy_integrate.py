"""Orbits by solve_ivp, and integrals by quad."""

# needs: scipy
import numpy as np
from scipy.integrate import quad, solve_ivp


def lorenz(t, s):
    x, y, z = s
    return [10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z]


solution = solve_ivp(lorenz, (0, 2), [1.0, 1.0, 1.0], t_eval=np.linspace(0, 2, 300), rtol=1e-9, atol=1e-9)
print(solution.success, solution.y.shape, solution.y[:, -1].round(4))
value, error = quad(lambda x: np.exp(-(x**2)), -np.inf, np.inf)
print(f"{value:.8f} {np.sqrt(np.pi):.8f}", error < 1e-6)
