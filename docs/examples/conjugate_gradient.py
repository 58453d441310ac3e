"""Solve the Poisson equation on a square by conjugate gradients: plain NumPy, no kernel of one's own.

The matrix is never stored. Its product with a vector is a five-point stencil made of slices, so that the
solver is the same function for NumPy arrays and for device arrays.

    python conjugate_gradient.py --size 2000 --picture potential.png
"""

import numpy as np
from side_by_side import check, measure, options, pyplot, report

import gpunp


def laplace(u):
    """The negative Laplacian on a grid of spacing 1, with zeros around the grid."""
    result = 4 * u
    result[1:] -= u[:-1]
    result[:-1] -= u[1:]
    result[:, 1:] -= u[:, :-1]
    result[:, :-1] -= u[:, 1:]
    return result


def conjugate_gradient(multiply, b, steps):
    """Approximate x in ``multiply(x) = b`` for a symmetric positive definite operator, in a number of steps.

    Nothing here asks for a value, so that on a GPU all steps are queued without waiting for any.
    """
    x = np.zeros_like(b)
    residual = b.copy()
    direction = residual.copy()
    square = np.vdot(residual, residual)
    for _ in range(steps):
        product = multiply(direction)
        length = square / np.vdot(direction, product)
        x += length * direction
        residual -= length * product
        square, before = np.vdot(residual, residual), square
        direction = residual + (square / before) * direction
    return x


def charges(size):
    """The right-hand side: a positive and a negative disk."""
    y, x = np.mgrid[:size, :size] / size
    return ((x - 0.3) ** 2 + (y - 0.5) ** 2 < 0.01) * 1.0 - ((x - 0.7) ** 2 + (y - 0.4) ** 2 < 0.02)


def main():
    arguments = options(__doc__, 200, "points of the grid along each axis", "a picture of the potential")
    host = charges(arguments.size)
    b = gpunp.asarray(host)
    steps = 2 * arguments.size

    x, device = measure(conjugate_gradient, laplace, b, steps, repeats=arguments.repeats)
    expected, numpys = measure(conjugate_gradient, laplace, host, steps, repeats=arguments.repeats)
    residual = np.linalg.norm(laplace(x) - b) / np.linalg.norm(b)
    report(
        f"{steps} steps on a grid of {arguments.size} x {arguments.size}",
        {"NumPy": numpys, "gpunp": device},
        residual_of_the_solution=f"{float(residual):.3g}",
        difference_from_NumPy=check(x, expected, 1e-6),
    )
    if arguments.picture:
        plt = pyplot()
        plt.figure(figsize=(6, 5))
        limit = float(np.max(np.abs(x)))
        plt.contourf(gpunp.asnumpy(x), levels=np.linspace(-limit, limit, 31), cmap="RdBu_r")
        plt.colorbar(label="potential")
        plt.savefig(arguments.picture, dpi=120)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
