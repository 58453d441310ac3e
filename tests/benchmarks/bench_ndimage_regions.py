"""Regions and morphology of images: labels, distances, erosion and dilation."""

import importlib

from rows import Above, row

CHAPTER = "Regions of images, float32, 4096 x 4096"
HOMES = {"gpunp": "gpunp_scipy.ndimage", "CuPy": "cupyx.scipy.ndimage", "NumPy": "scipy.ndimage"}


def register(name, title, seconds, call, threshold=None):
    @row(name, title, CHAPTER, Above(seconds), "device")
    def build(lib, size):
        ndimage = importlib.import_module(HOMES[lib.name])
        image = lib.values(size.side >> 2, size.side >> 2) - 0.5
        if threshold is None:
            return lambda: call(ndimage, image)
        return lambda: call(ndimage, image > threshold)


register("label", "`ndimage.label(im > 0.6)`", 0.6e-3, lambda n, im: n.label(im), 0.6)
register(
    "label_large",
    "`ndimage.label(im > 0.3)`, one large region",
    0.6e-3,
    lambda n, im: n.label(im),
    0.3,
)
register(
    "distance_edt",
    "`ndimage.distance_transform_edt(im > 0.3)`",
    0.8e-3,
    lambda n, im: n.distance_transform_edt(im),
    0.3,
)
register(
    "distance_edt_far",
    "`ndimage.distance_transform_edt(im > 1e-5)`, far background",
    2.9e-3,
    lambda n, im: n.distance_transform_edt(im),
    1e-5,
)
register(
    "grey_dilation",
    "`ndimage.grey_dilation(im, (7, 7))`",
    0.12e-3,
    lambda n, im: n.grey_dilation(im, (7, 7)),
)
register(
    "binary_dilation",
    "`ndimage.binary_dilation(im > 0.6)`",
    0.12e-3,
    lambda n, im: n.binary_dilation(im),
    0.6,
)
register(
    "fill_holes",
    "`ndimage.binary_fill_holes(im > 0.3)`",
    1e-3,
    lambda n, im: n.binary_fill_holes(im),
    0.3,
)
