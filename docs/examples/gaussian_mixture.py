"""Fit a mixture of Gaussians by expectation maximization: plain NumPy, no kernel of one's own.

`fit` is written for NumPy arrays of points in any dimension. With device arrays, its products of matrices,
decompositions and sums run on the device.

    python gaussian_mixture.py --size 1000000 --picture mixture.png
"""

import numpy as np
from side_by_side import check, measure, options, pyplot, report

import gpunp

COMPONENTS, STEPS = 4, 20


def log_densities(points, weights, means, covariances):
    """The logarithm of each component's weighted density at each point; a row for each point."""
    factors = np.linalg.cholesky(covariances)
    centered = points - means[:, None]  # a component, a point, a coordinate
    scaled = np.linalg.solve(factors, np.swapaxes(centered, 1, 2))
    distances = np.sum(scaled**2, axis=1)
    volumes = np.sum(np.log(np.diagonal(factors, axis1=1, axis2=2)), axis=1)
    constants = np.log(weights) - volumes - 0.5 * points.shape[1] * np.log(2 * np.pi)
    return (constants[:, None] - 0.5 * distances).T


def fit(points, means, steps):
    """Return weights, means, covariances and the mean log-likelihood after a number of steps."""
    covariances = np.stack([np.cov(points.T)] * len(means))
    weights = np.full_like(means[:, 0], 1 / len(means))
    for _ in range(steps):
        # Expectation: the probability that a point belongs to a component.
        logs = log_densities(points, weights, means, covariances)
        top = np.max(logs, axis=1, keepdims=True)
        totals = top + np.log(np.sum(np.exp(logs - top), axis=1, keepdims=True))
        belongs = np.exp(logs - totals)
        # Maximization: moments of the points, weighted by these probabilities.
        sizes = np.sum(belongs, axis=0)
        weights = sizes / len(points)
        means = belongs.T @ points / sizes[:, None]
        centered = points - means[:, None]
        covariances = np.swapaxes(centered * belongs.T[:, :, None], 1, 2) @ centered / sizes[:, None, None]
    return weights, means, covariances, np.mean(totals)


def draw(rng, size):
    """Points of a mixture in the plane, and points of the cloud to start from."""
    centers = rng.uniform(-6, 6, (COMPONENTS, 2))
    shapes = rng.normal(0, 1, (COMPONENTS, 2, 2)) + np.eye(2)
    kind = rng.integers(COMPONENTS, size=size)
    points = centers[kind] + np.einsum("nij,nj->ni", shapes[kind], rng.normal(size=(size, 2)))
    return points, points[rng.choice(size, COMPONENTS, replace=False)]


def main():
    arguments = options(__doc__, 20_000, "points", "a picture of the points and the components")
    host, start = draw(np.random.default_rng(5), arguments.size)
    points, means = gpunp.asarray(host), gpunp.asarray(start)

    found, device = measure(fit, points, means, STEPS, repeats=arguments.repeats)
    expected, numpys = measure(fit, host, start, STEPS, repeats=arguments.repeats)
    names = ("weights", "means", "covariances", "log-likelihood")
    differences = [
        f"{name} {check(ours, theirs, 1e-6)}"
        for name, ours, theirs in zip(names, found, expected, strict=True)
    ]
    report(
        f"{STEPS} steps for {COMPONENTS} Gaussians and {arguments.size} points",
        {"NumPy": numpys, "gpunp": device},
        log_likelihood=f"{float(found[3]):.6f}",
        differences_from_NumPy=", ".join(differences),
    )
    if arguments.picture:
        plt = pyplot()
        _, means, covariances, _ = (gpunp.asnumpy(part) for part in found)
        plt.figure(figsize=(6, 6))
        plt.plot(*host[:5000].T, ".", markersize=2, color="0.6")
        angles = np.linspace(0, 2 * np.pi, 100)
        for mean, covariance in zip(means, covariances, strict=True):
            # The ellipse of two standard deviations.
            circle = 2 * np.linalg.cholesky(covariance) @ np.stack([np.cos(angles), np.sin(angles)])
            plt.plot(*(mean[:, None] + circle))
        plt.gca().set_aspect("equal")
        plt.savefig(arguments.picture, dpi=120)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
