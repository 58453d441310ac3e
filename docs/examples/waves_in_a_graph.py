"""Waves on a membrane: a time step is captured as a CUDA graph once, and launched for every step.

python waves_in_a_graph.py --size 1024 --picture waves.png
"""

import numpy as np
from side_by_side import check, measure, options, pyplot, report

import gpunp

STEPS = 200


def step(old, now, walls):
    """Advance the membrane by one time step, in place: the heights before and now."""
    around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
    new = 2 * now[1:-1, 1:-1] - old[1:-1, 1:-1] + 0.4 * around
    old[...] = now
    now[1:-1, 1:-1] = new * walls[1:-1, 1:-1]


def called(heights, walls):
    """The heights after all steps; every call of NumPy is made in every step."""
    old, now = heights.copy(), heights.copy()
    for _ in range(STEPS):
        step(old, now, walls)
    return now


def launched(heights, walls):
    """The same with one launch per step."""
    if gpunp.get_device().is_cpu:
        # There are graphs on CUDA devices only.
        return called(heights, walls)
    old, now = heights.copy(), heights.copy()
    with gpunp.cuda.graph() as graph:
        step(old, now, walls)
    for _ in range(STEPS):
        graph.launch()
    return now


def membrane(size):
    """A drop near a wall with two slits."""
    y, x = np.mgrid[:size, :size] / size
    walls = np.ones((size, size))
    slits = (abs(y - 0.4) < 0.04) | (abs(y - 0.6) < 0.04)
    walls[(abs(x - 0.5) < 0.01) & ~slits] = 0
    return np.exp(-(((x - 0.4) ** 2 + (y - 0.5) ** 2) * 2000)), walls


def main():
    arguments = options(__doc__, 128, "points on a side", "the membrane after all steps")
    heights, walls = membrane(arguments.size)
    expected, numpys = measure(called, heights, walls, repeats=arguments.repeats)
    arrays = gpunp.asarray(heights), gpunp.asarray(walls)
    _, ours = measure(called, *arrays, repeats=arguments.repeats)
    found, graphs = measure(launched, *arrays, repeats=arguments.repeats)
    report(
        f"{STEPS} steps of waves on {arguments.size} x {arguments.size} points",
        {"NumPy": numpys, "gpunp, calls": ours, "gpunp, a graph": graphs},
        difference_from_NumPy=check(found, expected, 1e-9),
    )
    if arguments.picture:
        plt = pyplot()
        figure, axes = plt.subplots(figsize=(4, 4))
        reach = float(np.abs(expected).max()) / 3
        axes.imshow(gpunp.asnumpy(found), cmap="RdBu", vmin=-reach, vmax=reach)
        axes.set_axis_off()
        figure.tight_layout()
        figure.savefig(arguments.picture, dpi=90)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
