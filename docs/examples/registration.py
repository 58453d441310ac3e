"""Find how an image was turned and moved, with SciPy's transforms and interpolation.

The size of an image's spectrum does not depend on shifts, and turns with the image. So the angle is the
shift of the spectra in polar coordinates, found by phase correlation, and so is then the shift of the images.

    python registration.py --size 2048 --picture registration.png
"""

import numpy as np
import scipy.fft
from scipy import ndimage
from side_by_side import check, measure, options, report, save_panels, scene

import gpunp

ANGLE, SHIFT = 11.0, (17.0, -23.0)  # degrees, pixels


def place_of_peak(one, other):
    """The shift between two images, by the peak of their phase correlation."""
    product = scipy.fft.rfft2(one) * np.conj(scipy.fft.rfft2(other))
    correlation = scipy.fft.irfft2(product / (np.abs(product) + 1e-6), s=one.shape)
    place = np.unravel_index(np.argmax(correlation), one.shape)
    return [(int(k) + n // 2) % n - n // 2 for k, n in zip(place, one.shape, strict=True)]


def polar_spectrum(image):
    """The logarithm of the spectrum's size, by angle and radius."""
    size = image.shape[0]
    rows = np.hanning(size).astype(image.dtype)
    window = np.outer(rows, rows)
    if isinstance(image, gpunp.ndarray):
        window = gpunp.asarray(window)
    spectrum = np.log1p(np.abs(scipy.fft.fftshift(scipy.fft.fft2(image * window))))
    angles = np.linspace(0, np.pi, 720, endpoint=False)[:, np.newaxis]
    radii = np.linspace(0.02, 0.35, 360) * size
    coordinates = np.stack([size // 2 + radii * np.sin(angles), size // 2 + radii * np.cos(angles)])
    if isinstance(image, gpunp.ndarray):
        coordinates = gpunp.asarray(coordinates)
    return ndimage.map_coordinates(spectrum, coordinates, order=1)


def register(fixed, moved):
    """The second image, turned and moved back onto the first; the angle in degrees; the shift in pixels."""
    one, other = polar_spectrum(fixed), polar_spectrum(moved)
    angle = place_of_peak(other - np.mean(other), one - np.mean(one))[0] / 4
    turned = ndimage.rotate(moved, angle, reshape=False, order=3, mode="reflect")
    shift = place_of_peak(fixed, turned)
    return ndimage.shift(turned, shift, order=3, mode="reflect"), angle, shift


def main():
    arguments = options(__doc__, 512, "pixels on a side", "the images before and after")
    fixed = scene(np.random.default_rng(6), arguments.size)
    moved = ndimage.rotate(ndimage.shift(fixed, SHIFT, mode="reflect"), -ANGLE, reshape=False, mode="reflect")
    (expected, *_), numpys = measure(register, fixed, moved, repeats=arguments.repeats)
    arrays = gpunp.asarray(fixed), gpunp.asarray(moved)
    (back, angle, shift), ours = measure(register, *arrays, repeats=arguments.repeats)
    report(
        f"registration of {arguments.size} x {arguments.size} pixels",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=check(back, expected, 1e-3),
        angle=f"{angle} degrees of {ANGLE}",
        shift=f"{[-n for n in shift]} pixels of {SHIFT}",
    )
    if arguments.picture:
        difference = np.abs(gpunp.asnumpy(back) - fixed)
        save_panels(
            arguments.picture, {"fixed": fixed, "moved": moved, "registered": back, "difference": difference}
        )


if __name__ == "__main__":
    main()
