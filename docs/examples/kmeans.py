"""Group points into clusters by k-means: in plain NumPy, and with two kernels of one's own.

The plain version runs unchanged on a device. It writes a table with a distance for each pair of a point and
a center. The kernels need no such table: an ElementwiseKernel finds each point's nearest center, a
ReductionKernel adds up a coordinate of the points of each cluster.

    python kmeans.py --size 1000000 --picture clusters.png
"""

import numpy as np
from side_by_side import check, measure, options, pyplot, report

import gpunp

CLUSTERS, STEPS = 8, 15

nearest = gpunp.ElementwiseKernel(
    "T x, T y, raw T centers, int32 clusters",
    "int32 label",
    """
    T least = 0;
    for (int k = 0; k < clusters; k++) {
        const T dx = x - centers[2 * k], dy = y - centers[2 * k + 1];
        const T distance = dx * dx + dy * dy;
        if (k == 0 || distance < least) {
            least = distance;
            label = k;
        }
    }
    """,
    "nearest",
)
sum_where = gpunp.ReductionKernel(
    "T x, int32 label, int32 cluster",
    "T total",
    "label == cluster ? x : T(0)",
    "a + b",
    "total = a",
    "0",
    "sum_where",
)


def with_numpy(points, centers):
    """The centers and the labels after some steps, in plain NumPy."""
    for _ in range(STEPS):
        distances = np.sum((points[:, None] - centers) ** 2, axis=2)
        labels = np.argmin(distances, axis=1)
        members = labels == np.arange(CLUSTERS)[:, None]
        centers = members.astype(points.dtype) @ points / np.sum(members, axis=1)[:, None]
    return centers, labels


def with_kernels(points, centers):
    """The same with the two kernels."""
    x, y = points.T.copy()
    clusters = gpunp.arange(CLUSTERS, dtype=np.int32)[:, None]
    for _ in range(STEPS):
        labels = nearest(x, y, centers, CLUSTERS)
        # Operands are broadcast: a row for each cluster, summed along the points.
        sums = [sum_where(part, labels, clusters, axis=1) for part in (x, y)]
        sizes = sum_where(np.ones_like(x), labels, clusters, axis=1)
        centers = np.stack(sums, axis=1) / sizes[:, None]
    return centers, labels


def draw(rng, size):
    """Points around centers in the plane, and the first of the points to start from."""
    middles = rng.uniform(-10, 10, (CLUSTERS, 2))
    points = middles[rng.integers(CLUSTERS, size=size)] + rng.normal(size=(size, 2))
    return points, points[:CLUSTERS]


def main():
    arguments = options(__doc__, 20_000, "points", "a picture of the clusters")
    host, start = draw(np.random.default_rng(2), arguments.size)
    points, centers = gpunp.asarray(host), gpunp.asarray(start)

    (expected, labels), numpys = measure(with_numpy, host, start, repeats=arguments.repeats)
    (plain, _), plain_time = measure(with_numpy, points, centers, repeats=arguments.repeats)
    (own, own_labels), own_time = measure(with_kernels, points, centers, repeats=arguments.repeats)
    report(
        f"{STEPS} steps for {CLUSTERS} clusters and {arguments.size} points",
        {"NumPy": numpys, "gpunp, plain NumPy": plain_time, "gpunp, two kernels": own_time},
        differences_from_NumPy=f"{check(plain, expected, 1e-6)}, with kernels {check(own, expected, 1e-6)}",
        points_in_another_cluster=int(np.count_nonzero(gpunp.asnumpy(own_labels) != labels)),
    )
    if arguments.picture:
        plt = pyplot()
        plt.figure(figsize=(6, 6))
        plt.scatter(*host[:20_000].T, c=gpunp.asnumpy(own_labels)[:20_000], s=2, cmap="tab10")
        plt.plot(*gpunp.asnumpy(own).T, "k+", markersize=14)
        plt.gca().set_aspect("equal")
        plt.savefig(arguments.picture, dpi=120)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
