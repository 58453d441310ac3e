"""A smooth surface through heights on a coarse grid, with SciPy's splines.

`zoom` evaluates the spline on a fine grid, `map_coordinates` along a path, and a rotation by the spline
shows the land from another side.

    python spline_surface.py --size 4096 --picture surface.png
"""

import numpy as np
from scipy import ndimage
from side_by_side import check, measure, options, pyplot, report

import gpunp

COARSE = 33  # heights on a side


def evaluate(heights, path, size):
    """The surface on a grid of ``size`` points on a side, its heights along the path, and its slope."""
    surface = ndimage.zoom(heights, size / heights.shape[0], order=3, mode="nearest")
    along = ndimage.map_coordinates(heights, path, order=3, mode="nearest")
    slope = np.hypot(*np.gradient(surface))
    return surface, along, slope


def main():
    arguments = options(__doc__, 400, "points on a side of the surface", "the surface")
    rng = np.random.default_rng(8)
    heights = ndimage.gaussian_filter(rng.normal(size=(COARSE, COARSE)), 2.5) * 10
    turn = np.linspace(0, 4 * np.pi, 10 * arguments.size)
    radius = np.linspace(2, COARSE / 2 - 2, turn.size)
    path = COARSE // 2 + radius * np.stack([np.sin(turn), np.cos(turn)])
    expected, numpys = measure(evaluate, heights, path, arguments.size, repeats=arguments.repeats)
    arrays = gpunp.asarray(heights), gpunp.asarray(path)
    found, ours = measure(evaluate, *arrays, arguments.size, repeats=arguments.repeats)
    report(
        f"a surface of {arguments.size} x {arguments.size} points through {COARSE} x {COARSE} heights",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=max(check(a, b, 1e-8) for a, b in zip(found, expected, strict=True)),
    )
    if arguments.picture:
        plt = pyplot()
        surface = gpunp.asnumpy(found[0])
        step = max(surface.shape[0] // 100, 1)
        side = np.linspace(0, COARSE - 1, surface.shape[0])[::step]
        axes = plt.figure(figsize=(7, 5)).add_subplot(projection="3d", computed_zorder=False)
        axes.plot_surface(*np.meshgrid(side, side), surface[::step, ::step], cmap="terrain")
        axes.plot(path[1], path[0], gpunp.asnumpy(found[1]) + 0.05, "r", linewidth=1)
        plt.tight_layout()
        plt.savefig(arguments.picture, dpi=90)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
