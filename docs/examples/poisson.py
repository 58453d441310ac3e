"""The potential of charges in a box: Poisson's equation as a sparse system, solved by conjugate gradients.

python poisson.py --size 96 --picture potential.png
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse import linalg
from side_by_side import check, measure, options, pyplot, report

import gpunp
import gpunp_scipy

TOLERANCE = 1e-8


def laplacian(side):
    """The operator with seven points on a cubic grid, between walls of potential 0."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return sp.csr_array(sp.kronsum(line, sp.kronsum(line, line)))


def charges(side):
    """Three charged balls, flattened."""
    z, y, x = np.mgrid[:side, :side, :side] / side
    balls = (0.3, 0.3, 0.5, 1), (0.7, 0.35, 0.45, -1), (0.5, 0.7, 0.5, 0.8)
    found = np.zeros((side, side, side))
    for *place, charge in balls:
        inside = sum((axis - at) ** 2 for axis, at in zip((x, y, z), place, strict=True)) < 0.1**2
        found[inside] = charge
    return found.ravel() / side**2


def solve(matrix, charge):
    """The potential, and the norm of what is left of the charge after each step."""
    norms = []
    potential, failed = linalg.cg(
        matrix, charge, rtol=TOLERANCE, callback=lambda x: norms.append(np.linalg.norm(charge - matrix @ x))
    )
    if failed:
        raise SystemExit(f"no convergence after {failed} steps")
    return potential, norms


def main():
    arguments = options(__doc__, 32, "points along each side", "a slice and the convergence")
    side = arguments.size
    matrix, charge = laplacian(side), charges(side)
    (expected, _), numpys = measure(solve, matrix, charge, repeats=arguments.repeats)
    arrays = gpunp_scipy.sparse.csr_array(matrix), gpunp.asarray(charge)
    (found, norms), ours = measure(solve, *arrays, repeats=arguments.repeats)
    report(
        f"the potential at {side}^3 points, {matrix.nnz} entries",
        {"NumPy": numpys, "gpunp": ours},
        steps=len(norms),
        differences_from_NumPy=check(found, expected, 1e-6),
    )
    if arguments.picture:
        plt = pyplot()
        figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
        left.imshow(gpunp.asnumpy(found).reshape(side, side, side)[side // 2], cmap="RdBu", origin="lower")
        left.set_title("potential in the middle", fontsize=9)
        right.semilogy([float(norm) for norm in norms])
        right.set_title("norm of the residual by step", fontsize=9)
        figure.tight_layout()
        figure.savefig(arguments.picture, dpi=90)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
