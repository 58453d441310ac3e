"""What the examples share: their options, times beside NumPy's, checks and pictures."""

import argparse
import statistics
import time

import numpy as np

import gpunp


def options(description, size, meaning, picture=None):
    """Read the command line: ``--size``, ``--repeats``, and ``--picture`` if the program has one."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--size", type=int, default=size, help=f"{meaning} (default: {size})")
    parser.add_argument("--repeats", type=int, default=3, help="runs that are timed (default: 3)")
    if picture:
        parser.add_argument("--picture", metavar="PATH", help=f"save {picture} (needs matplotlib)")
    return parser.parse_args()


def measure(function, *args, repeats=3):
    """Return what the function returns and the median of its times in seconds.

    One call before is not timed: it may compile kernels. The device is synchronized before the clock is read,
    since calls on a GPU return before their work is done.
    """
    device = gpunp.get_device()
    result = function(*args)
    times = []
    for _ in range(repeats):
        device.synchronize()
        start = time.perf_counter()
        result = function(*args)
        device.synchronize()
        times.append(time.perf_counter() - start)
    return result, statistics.median(times)


def report(title, times, **facts):
    """Print times in seconds by name, each with its speed relative to the first, which is NumPy's."""
    print(f"{title} on {gpunp.get_device()}")
    first = next(iter(times.values()))
    for name, seconds in times.items():
        print(f"  {name:<24} {seconds * 1e3:10.3f} ms   {first / seconds:8.1f}x")
    for name, value in facts.items():
        print(f"  {name.replace('_', ' '):<24} {value}")


def check(actual, expected, tolerance):
    """Raise if a device array differs from NumPy's result by more than ``tolerance`` times its largest value.

    Return the largest difference, relative to that value.
    """
    expected = np.asarray(expected)
    scale = np.max(np.abs(expected))
    difference = float(np.max(np.abs(gpunp.asnumpy(actual) - expected)) / scale)
    if not difference <= tolerance:
        raise SystemExit(
            f"the result differs from NumPy's by {difference:.3g}; at most {tolerance:.3g} is expected"
        )
    return f"{difference:.3g}"


def scene(rng, size):
    """Draw overlapping disks on a textured ground, in grey: float32, (size, size), about 0 to 1."""
    y, x = np.mgrid[:size, :size].astype(np.float32) / size
    image = 0.25 + 0.05 * np.sin(40 * x + 25 * y) * np.cos(33 * y)
    for _ in range(40):
        cx, cy, radius = *rng.uniform(0.05, 0.95, 2), rng.uniform(0.02, 0.09)
        inside = (x - cx) ** 2 + (y - cy) ** 2 < radius**2
        image[inside] = rng.uniform(0.55, 0.95) + 0.3 * (x - cx)[inside]
    return image.astype(np.float32)


def save_panels(path, panels, columns=None):
    """Save images side by side, each with its title."""
    plt = pyplot()
    columns = columns or len(panels)
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3 * columns, 3.2 * rows), squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    for axis, (title, image) in zip(axes.flat, panels.items(), strict=False):
        axis.imshow(gpunp.asnumpy(image), cmap="gray")
        axis.set_title(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    print(f"  saved {path}")


def pyplot():
    """Return matplotlib's pyplot, which then writes files and opens no windows."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise SystemExit("--picture needs matplotlib: pip install matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
