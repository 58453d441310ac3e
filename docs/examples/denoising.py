"""Remove noise from an image, with SciPy's filters.

A median removes single wrong pixels, Wiener's filter smooths where the image is smooth, and a Gaussian
smooths everywhere. The functions are SciPy's; where the image is decides where they run.

    python denoising.py --size 4096 --picture denoising.png
"""

import numpy as np
from scipy import ndimage, signal
from side_by_side import check, measure, options, report, save_panels, scene

import gpunp


def restore(noisy):
    """The image without single wrong pixels, then smoothed in two ways."""
    median = ndimage.median_filter(noisy, 3)
    return median, signal.wiener(median, (5, 5)), ndimage.gaussian_filter(noisy, 1.5)


def spoil(rng, image):
    """Noise in all pixels, and one pixel in fifty black or white."""
    noisy = image + rng.normal(0, 0.05, image.shape).astype(image.dtype)
    wrong = rng.random(image.shape) < 0.02
    noisy[wrong] = rng.integers(0, 2, np.count_nonzero(wrong))
    return noisy


def decibels(image, original):
    """The ratio of the range to the root mean square of the error."""
    error = gpunp.asnumpy(image) - original
    return round(float(-10 * np.log10(np.mean(error[8:-8, 8:-8] ** 2))), 2)


def main():
    arguments = options(__doc__, 512, "pixels on a side", "the image before and after")
    rng = np.random.default_rng(3)
    original = scene(rng, arguments.size)
    noisy = spoil(rng, original)
    expected, numpys = measure(restore, noisy, repeats=arguments.repeats)
    restored, ours = measure(restore, gpunp.asarray(noisy), repeats=arguments.repeats)
    report(
        f"median, Wiener and Gaussian filters of {arguments.size} x {arguments.size} pixels",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=max(check(a, b, 1e-5) for a, b in zip(restored, expected, strict=True)),
        decibels_before=decibels(noisy, original),
        decibels_median_Wiener=decibels(restored[1], original),
        decibels_Gaussian=decibels(restored[2], original),
    )
    if arguments.picture:
        panels = {
            "noisy": noisy,
            "median": restored[0],
            "median and Wiener": restored[1],
            "Gaussian": restored[2],
        }
        save_panels(arguments.picture, {title: image[:256, :256] for title, image in panels.items()})


if __name__ == "__main__":
    main()
