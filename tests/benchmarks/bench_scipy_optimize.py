"""Solvers of scipy.optimize and scipy.integrate, whose functions are evaluated on the device."""

import numpy as np
from rows import Above, row

CHAPTER = "scipy.optimize, scipy.integrate"


def register(name, title, seconds, build, extent=1 << 20):
    @row(name, title, CHAPTER, Above(seconds), "wall")
    def make(lib, size):
        if lib.dialect == "torch" or lib.name == "CuPy":
            raise NotImplementedError("it has no such solvers")
        return build(lib, max(size.side * extent >> 14, 64))


def chain(x):
    """The function of Rosenbrock, and its gradient."""
    rise, rest = x[1:] - x[:-1] ** 2, 1 - x[:-1]
    gradient = np.zeros_like(x)
    gradient[:-1] = -400 * x[:-1] * rise - 2 * rest
    gradient[1:] += 200 * rise
    return (100 * rise * rise + rest * rest).sum(), gradient


def minimized(method, steps, bounds=None):
    def build(lib, n):
        from scipy.optimize import Bounds, minimize

        start = lib.upload(np.full(n, -0.5))
        box = None if bounds is None else Bounds(*(np.full(n, each) for each in bounds))
        options = {"maxiter": steps}
        return lambda: minimize(chain, start, jac=True, method=method, bounds=box, options=options)

    return build


def fitted(lib, n):
    from scipy.optimize import curve_fit

    host = np.linspace(0, 4, n)
    noise = np.random.default_rng(0).normal(size=n)
    t, y = lib.upload(host), lib.upload(2.5 * np.exp(-1.3 * host) + 0.5 + 0.1 * noise)
    return lambda: curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c, t, y, p0=[1.0, 1.0, 0.0])


def waves(t, y):
    """A row of oscillators that are coupled to their neighbours."""
    place, speed = y.reshape(2, -1)
    force = -2 * place
    force[1:] += place[:-1]
    force[:-1] += place[1:]
    return np.concatenate([speed, force])


def integrated(method, end):
    def build(lib, n):
        from scipy.integrate import solve_ivp

        host = np.zeros(2 * (n // 2))
        host[: n // 2] = np.sin(np.linspace(0, 20, n // 2))
        start = lib.upload(host)
        return lambda: solve_ivp(waves, (0, end), start, method=method, t_eval=[end])

    return build


def diffused(lib, n):
    from scipy.integrate import solve_ivp

    matrix = np.diag(np.full(n, -2.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    a, start = lib.upload(100 * matrix), lib.upload(np.sin(np.linspace(0, 3, n)))
    return lambda: solve_ivp(lambda t, y: a @ y, (0, 1), start, method="BDF", jac=a, t_eval=[1.0])


register(
    "minimize_lbfgsb",
    "`minimize(f, x0, 'L-BFGS-B')`, 2^20 variables, 20 steps",
    20e-3,
    minimized("L-BFGS-B", 20),
)
register(
    "minimize_lbfgsb_box",
    "`minimize(f, x0, 'L-BFGS-B', bounds)`, 2^20 variables, 20 steps",
    200e-3,
    minimized("L-BFGS-B", 20, (-1.0, 0.9)),
)
register("minimize_cg", "`minimize(f, x0, 'CG')`, 2^20 variables, 20 steps", 20e-3, minimized("CG", 20))
register(
    "minimize_bfgs", "`minimize(f, x0, 'BFGS')`, 2048 variables, 20 steps", 20e-3, minimized("BFGS", 20), 2048
)
register("curve_fit", "`curve_fit(f, x, y)`, 2^20 points, 3 parameters", 20e-3, fitted)
register("solve_ivp_rk45", "`solve_ivp(f, (0, 5), y0)`, RK45, 2^20 numbers", 30e-3, integrated("RK45", 5.0))
register(
    "solve_ivp_dop853", "`solve_ivp(f, (0, 5), y0)`, DOP853, 2^20 numbers", 30e-3, integrated("DOP853", 5.0)
)
register("solve_ivp_bdf", "`solve_ivp(f, (0, 1), y0)`, BDF, 1024 numbers", 100e-3, diffused, 1024)
