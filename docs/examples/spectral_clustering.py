"""Groups of points that no straight line separates: eigenvectors of a graph of neighbors.

python spectral_clustering.py --size 20000 --picture groups.png
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph, linalg
from scipy.spatial import KDTree
from side_by_side import check, measure, options, pyplot, report

import gpunp

NEIGHBORS = 20


def moons(rng, size):
    """Two half circles that reach into each other."""
    angle = np.pi * rng.random(size)
    upper = rng.random(size) < 0.5
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle))
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    return np.stack((x, y), axis=1) + rng.normal(0, 0.1, (size, 2)), upper


def graph(points):
    """Edges to the nearest points, heavier to nearer ones."""
    size = len(points)
    distance, place = KDTree(points).query(points, k=NEIGHBORS + 1)
    weight = 1 / (1 + (distance[:, 1:] / np.mean(distance)) ** 2)
    ends = np.arange(size + 1, like=points) * NEIGHBORS
    edges = sp.csr_array((weight.ravel(), place[:, 1:].ravel(), ends), shape=(size, size))
    return edges.maximum(edges.T)


def groups(points):
    """Which of two groups each point is in: the sign of the second eigenvector of the graph's Laplacian."""
    laplacian, scale = csgraph.laplacian(graph(points), normed=True, return_diag=True)
    # Its least eigenvalues are the largest ones of 2 - laplacian, whose diagonal is 1.
    turned = -laplacian.tocsr()
    turned.setdiag(1)
    # In increasing order: the last eigenvector is the scale.
    _, vectors = linalg.eigsh(turned, k=2, which="LA", v0=np.ones_like(scale), tol=1e-8)
    second = vectors[:, 0] / scale
    return second * second[0] > 0


def main():
    arguments = options(__doc__, 2000, "points", "the points in two colors")
    points, upper = moons(np.random.default_rng(3), arguments.size)
    expected, numpys = measure(groups, points, repeats=arguments.repeats)
    found, ours = measure(groups, gpunp.asarray(points), repeats=arguments.repeats)
    right = np.mean(gpunp.asnumpy(found) == upper)
    report(
        f"two groups of {arguments.size} points, {NEIGHBORS} neighbors each",
        {"NumPy": numpys, "gpunp": ours},
        points_in_their_half_circle=f"{max(right, 1 - right):.1%}",
        # The share of the points in the second group; a point between both may change sides.
        differences_from_NumPy=check(np.mean(found), np.mean(expected), 0.01),
    )
    if arguments.picture:
        plt = pyplot()
        figure, axis = plt.subplots(figsize=(5, 3))
        axis.scatter(*points.T, c=gpunp.asnumpy(found), s=3, cmap="coolwarm")
        axis.set_title("two groups", fontsize=9)
        axis.set_aspect("equal")
        figure.tight_layout()
        figure.savefig(arguments.picture, dpi=90)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
