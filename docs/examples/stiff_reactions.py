"""Two chemicals that react and diffuse along a tube: a stiff system, by SciPy's implicit solver.

The Brusselator oscillates; diffusion makes waves of it. Diffusion between narrow cells is fast and the waves
are slow, so that an explicit method would need tiny steps. The Jacobian of all cells is one matrix, which is
factored where it changes.

    python stiff_reactions.py --size 1024 --picture stiff-reactions.png
"""

import numpy as np
from scipy.integrate import solve_ivp
from side_by_side import check, measure, options, report, save_panels

import gpunp

INFLOW, RATE, DIFFUSION, END = 1.0, 3.0, 0.02, 20.0


def laplacian(cells):
    """The matrix of second differences on a closed tube of length one."""
    matrix = np.diag(np.full(cells, -2.0)) + np.diag(np.ones(cells - 1), 1) + np.diag(np.ones(cells - 1), -1)
    matrix[0, 0] = matrix[-1, -1] = -1.0
    return matrix * cells**2


def react(start, diffusion, times):
    """The concentrations at given times: a solution of `solve_ivp`."""
    cells = len(diffusion)

    def rates(_, y):
        u, v = y[:cells], y[cells:]
        made = u * u * v
        return np.concatenate(
            [
                INFLOW + made - (RATE + 1) * u + diffusion @ u,
                RATE * u - made + diffusion @ v,
            ]
        )

    def jacobian(_, y):
        u, v = y[:cells], y[cells:]
        mixed, square = np.diag(2 * u * v), np.diag(u * u)
        keep = np.diag(np.full_like(u, RATE))
        lost = np.diag(np.full_like(u, RATE + 1))
        return np.concatenate(
            [
                np.concatenate([mixed - lost + diffusion, square], axis=1),
                np.concatenate([keep - mixed, diffusion - square], axis=1),
            ]
        )

    return solve_ivp(rates, (0, END), start, "BDF", times, jac=jacobian, rtol=1e-5, atol=1e-7)


def solved(start, diffusion, times):
    """The concentrations only."""
    return react(start, diffusion, times).y


def main():
    arguments = options(__doc__, 256, "cells of the tube", "the concentration over place and time")
    place = np.linspace(0, 1, arguments.size)
    start = np.concatenate(
        [INFLOW + 0.8 * np.sin(np.pi * place) ** 2, RATE + 0.5 * np.cos(3 * np.pi * place)]
    )
    diffusion, times = DIFFUSION / 50 * laplacian(arguments.size), np.linspace(0, END, 200)
    expected, numpys = measure(solved, start, diffusion, times, repeats=arguments.repeats)
    arrays = gpunp.asarray(start), gpunp.asarray(diffusion)
    found, ours = measure(solved, *arrays, times, repeats=arguments.repeats)
    solution = react(*arrays, times)
    report(
        f"reactions in {arguments.size} cells",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=check(found, expected, 1e-2),
        evaluations=f"{solution.nfev}, {solution.nlu} factorizations",
    )
    if arguments.picture:
        u, v = found[: arguments.size].T, found[arguments.size :].T
        save_panels(arguments.picture, {"first chemical over place and time": u, "second": v})


if __name__ == "__main__":
    main()
