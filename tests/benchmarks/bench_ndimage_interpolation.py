"""Interpolation in images by scipy.ndimage."""

import importlib

import numpy as np
from rows import Above, row

CHAPTER = "Interpolation in images, float32"


def functions(lib):
    """The library's module of image processing."""
    if lib.dialect == "torch":
        raise NotImplementedError("it has no such functions")
    modules = {"gpunp": "gpunp_scipy.ndimage", "CuPy": "cupyx.scipy.ndimage", "NumPy": "scipy.ndimage"}
    return importlib.import_module(modules[lib.name])


def waves(side, dtype):
    """Coordinates of all samples of a square image, moved by up to five samples."""
    y, x = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    return np.stack([y + 5 * np.sin(x / 50), x + 5 * np.cos(y / 50)]).astype(dtype)


def register(name, title, seconds, call):
    @row(name, title, CHAPTER, Above(seconds), "device")
    def build(lib, size):
        ndimage, side = functions(lib), size.side >> 2
        return call(lib, ndimage, lib.values(side, side), side)


def zoom(lib, ndimage, image, side):
    return lambda: ndimage.zoom(image, 0.5, order=3)


def enlarge(lib, ndimage, image, side):
    return lambda: ndimage.zoom(image, 2, order=1)


def rotate(lib, ndimage, image, side):
    return lambda: ndimage.rotate(image, 30, order=1)


def spline_filter(lib, ndimage, image, side):
    return lambda: ndimage.spline_filter(image, output=np.float32)


def at_coordinates(dtype):
    def build(lib, ndimage, image, side):
        coordinates = lib.upload(waves(side, dtype))
        return lambda: ndimage.map_coordinates(image, coordinates, order=3)

    return build


register("zoom_half", "`zoom(A, 0.5, order=3)`, 4096^2", 0.35e-3, zoom)
register("zoom_double", "`zoom(A, 2, order=1)`, 4096^2", 0.25e-3, enlarge)
register("rotate", "`rotate(A, 30, order=1)`, 4096^2", 0.12e-3, rotate)
register("map_coordinates", "`map_coordinates(A, c, order=3)`, 4096^2", 0.5e-3, at_coordinates(np.float64))
register(
    "map_coordinates_float32",
    "`map_coordinates(A, c, order=3)`, 4096^2, coordinates in float32",
    0.5e-3,
    at_coordinates(np.float32),
)
register("spline_filter", "`spline_filter(A, output=np.float32)`, 4096^2", 0.15e-3, spline_filter)
