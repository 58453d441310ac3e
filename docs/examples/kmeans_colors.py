"""Reduce an image to a few colors by k-means, in plain NumPy.

Each pixel is a point whose coordinates are red, green and blue; the centers of the clusters are the colors.

    python kmeans_colors.py --size 2048 --picture colors.png
"""

import numpy as np
from side_by_side import check, measure, options, report, save_panels, scene

import gpunp

COLORS, STEPS = 6, 12


def reduce_colors(image, centers):
    """The image in as many colors as there are centers, and these colors."""
    pixels = image.reshape(-1, 3)
    for step in range(STEPS):
        distances = np.sum(centers**2, axis=1) - 2 * pixels @ centers.T
        labels = np.argmin(distances, axis=1)
        if step < STEPS - 1:
            counts = np.bincount(labels, minlength=len(centers))
            sums = [np.bincount(labels, part, len(centers)) for part in pixels.T]
            centers = np.stack(sums, axis=1) / np.maximum(counts, 1)[:, np.newaxis]
    return centers[labels].reshape(image.shape), centers


def paint(rng, size):
    """An image in color: three grey ones, with noise, as red, green and blue."""
    image = np.stack([scene(rng, size) for _ in range(3)], axis=-1).astype(np.float64)
    return np.clip(image + rng.normal(0, 0.02, image.shape), 0, 1)


def main():
    arguments = options(__doc__, 256, "pixels on a side", "the image before and after")
    image = paint(np.random.default_rng(9), arguments.size)
    start = np.quantile(image.reshape(-1, 3), np.linspace(0.05, 0.95, COLORS), axis=0)
    (_, expected), numpys = measure(reduce_colors, image, start, repeats=arguments.repeats)
    arrays = gpunp.asarray(image), gpunp.asarray(start)
    (reduced, colors), ours = measure(reduce_colors, *arrays, repeats=arguments.repeats)
    report(
        f"{COLORS} colors of {arguments.size} x {arguments.size} pixels",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=check(colors, expected, 1e-6),
    )
    if arguments.picture:
        save_panels(
            arguments.picture, {"image": image, f"{COLORS} colors": np.clip(gpunp.asnumpy(reduced), 0, 1)}
        )


if __name__ == "__main__":
    main()
