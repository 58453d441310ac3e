"""Find and measure the bright objects of an image, with SciPy's labels, morphology and distances.

The image is smoothed and split at the threshold that separates its histogram best (Otsu's). Objects that
touch are cut apart: each pixel goes to the nearest summit of the distance to the background.

    python segmentation.py --size 4096 --picture segmentation.png
"""

import numpy as np
from scipy import ndimage
from side_by_side import check, measure, options, report, save_panels, scene

import gpunp


def threshold(image):
    """The value that splits the histogram into the two classes that are farthest apart."""
    counts, edges = np.histogram(image, 256)
    middles = (edges[1:] + edges[:-1]) / 2
    weights, sums = np.cumsum(counts), np.cumsum(counts * middles)
    rest = weights[-1] - weights[:-1]
    apart = (sums[-1] * weights[:-1] / weights[-1] - sums[:-1]) ** 2 / (weights[:-1] * np.maximum(rest, 1))
    return middles[np.argmax(apart)]


def segment(image):
    """The labels of the objects, their areas, and their mean brightness."""
    smooth = ndimage.gaussian_filter(image, 2)
    bright = ndimage.binary_fill_holes(ndimage.binary_opening(smooth > threshold(smooth), iterations=2))
    distance = ndimage.distance_transform_edt(bright)
    distance = ndimage.gaussian_filter(distance, 2)
    summits = (distance == ndimage.maximum_filter(distance, 15)) & bright
    markers, count = ndimage.label(summits, np.ones((3, 3)))
    nearest = ndimage.distance_transform_edt(markers == 0, return_distances=False, return_indices=True)
    labels = np.where(bright, markers[tuple(nearest)], 0)
    index = np.arange(1, count + 1)
    areas = ndimage.sum_labels(np.ones_like(image), labels, index)
    return labels, areas, ndimage.mean(image, labels, index)


def main():
    arguments = options(__doc__, 512, "pixels on a side", "the image and its objects")
    rng = np.random.default_rng(4)
    image = scene(rng, arguments.size)
    image += rng.normal(0, 0.03, image.shape).astype(image.dtype)
    (_, areas, _), numpys = measure(segment, image, repeats=arguments.repeats)
    (labels, own_areas, means), ours = measure(segment, gpunp.asarray(image), repeats=arguments.repeats)
    report(
        f"objects in {arguments.size} x {arguments.size} pixels",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=check(own_areas, areas, 1e-2),
        objects=len(areas),
        brightest=round(float(means.max()), 3),
    )
    if arguments.picture:
        colors = np.append(0, np.random.default_rng(0).permutation(len(areas)) + len(areas) // 3)
        panels = {"image": image, f"{len(areas)} objects": colors[gpunp.asnumpy(labels)]}
        save_panels(arguments.picture, panels)


if __name__ == "__main__":
    main()
