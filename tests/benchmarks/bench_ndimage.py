"""Functions of ``scipy.ndimage`` on images of 4096 x 4096 float32, compared with ``cupyx.scipy.ndimage``."""

import importlib

from rows import Above, row

CHAPTER = "Images, float32"


def module(lib):
    """The library's functions of ``scipy.ndimage``."""
    names = {"gpunp": "gpunp_scipy.ndimage", "CuPy": "cupyx.scipy.ndimage", "NumPy": "scipy.ndimage"}
    if lib.name not in names:
        raise NotImplementedError("it has no such functions")
    return importlib.import_module(names[lib.name])


def register(name, title, seconds, call):
    @row(name, title, CHAPTER, Above(seconds), "device")
    def build(lib, size):
        functions, image = module(lib), lib.values(size.side >> 2, size.side >> 2)
        return lambda: call(functions, image)


register("gaussian", "`gaussian_filter(im, 3)`", 0.20e-3, lambda nd, im: nd.gaussian_filter(im, 3))
register("sobel", "`sobel(im)`", 0.08e-3, lambda nd, im: nd.sobel(im))
register("uniform", "`uniform_filter(im, 15)`", 0.15e-3, lambda nd, im: nd.uniform_filter(im, 15))
register("median_5", "`median_filter(im, 5)`", 0.35e-3, lambda nd, im: nd.median_filter(im, 5))
register("median_15", "`median_filter(im, 15)`", 1.2e-3, lambda nd, im: nd.median_filter(im, 15))
register("maximum_7", "`maximum_filter(im, 7)`", 0.12e-3, lambda nd, im: nd.maximum_filter(im, 7))
