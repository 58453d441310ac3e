"""A map of the density of points in the plane, with SciPy's kernel density estimate.

python kernel_density.py --size 100000 --picture density.png
"""

import numpy as np
from scipy import stats
from side_by_side import check, measure, options, pyplot, report

import gpunp

PIXELS = 80  # on a side of the map


def density(points, places):
    """The estimated density at each place; both are arrays with a row for each coordinate."""
    return stats.gaussian_kde(points, bw_method=0.12)(places)


def draw(rng, size):
    """Points along a spiral, denser inside."""
    turn = 4 * np.pi * rng.random(size) ** 0.7
    return 0.25 * turn * np.stack([np.cos(turn), np.sin(turn)]) + rng.normal(0, 0.2, (2, size))


def main():
    arguments = options(__doc__, 2000, "points", "the points and the map")
    points = draw(np.random.default_rng(5), arguments.size)
    side = np.linspace(-4, 4, PIXELS)
    places = np.stack([axis.ravel() for axis in np.meshgrid(side, side)])
    expected, numpys = measure(density, points, places, repeats=arguments.repeats)
    arrays = gpunp.asarray(points), gpunp.asarray(places)
    found, ours = measure(density, *arrays, repeats=arguments.repeats)
    report(
        f"the density of {arguments.size} points at {PIXELS} x {PIXELS} places",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=check(found, expected, 1e-9),
    )
    if arguments.picture:
        plt = pyplot()
        figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True)
        left.plot(*points[:, :4000], ".", markersize=1)
        left.set_title("points", fontsize=9)
        extent = (side[0], side[-1], side[0], side[-1])
        right.imshow(gpunp.asnumpy(found).reshape(PIXELS, PIXELS), origin="lower", extent=extent)
        right.set_title("density", fontsize=9)
        figure.tight_layout()
        figure.savefig(arguments.picture, dpi=90)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
