"""Filters, convolutions and spectra of scipy.signal."""

import functools
import importlib

import numpy as np
from rows import Above, row

CHAPTER = "scipy.signal, float32"
# A Butterworth filter of order 4, and one of order 8 as sections, as scipy.signal.butter designs them.
ORDER, CUTOFF = 4, 0.3


def functions(lib):
    """The library's module of signal processing."""
    if lib.dialect == "torch":
        raise NotImplementedError("it has no such functions")
    modules = {"gpunp": "gpunp_scipy.signal", "CuPy": "cupyx.scipy.signal", "NumPy": "scipy.signal"}
    return importlib.import_module(modules[lib.name])


@functools.cache
def design(order, output):
    """Coefficients on the host."""
    import scipy.signal

    return scipy.signal.butter(order, CUTOFF, output=output)


def register(name, title, seconds, build):
    @row(name, title, CHAPTER, Above(seconds), "device")
    def make(lib, size):
        return build(lib, functions(lib), size.elements, size.side >> 2)


def line(lib, elements, dtype="f"):
    return lib.values(elements).astype(dtype)


def lfilter(dtype):
    def build(lib, signal, elements, side):
        x = line(lib, elements >> 4, dtype)
        b, a = (lib.upload(np.asarray(c, dtype)) for c in design(ORDER, "ba"))
        return lambda: signal.lfilter(b, a, x)

    return build


def sosfiltfilt(lib, signal, elements, side):
    x, sos = line(lib, elements >> 4), lib.upload(design(2 * ORDER, "sos").astype("f"))
    return lambda: signal.sosfiltfilt(sos, x)


def welch(lib, signal, elements, side):
    x = line(lib, elements >> 2)
    return lambda: signal.welch(x)


def resample_poly(lib, signal, elements, side):
    image = lib.values(side, side)
    return lambda: signal.resample_poly(image, 3, 2, axis=1)


def convolution(name, taps):
    def build(lib, signal, elements, side):
        image, weights = lib.values(side, side), lib.values(taps, taps)
        return lambda: getattr(signal, name)(image, weights, mode="same")

    return build


register("lfilter_f4", "`lfilter(b, a, x)`, order 4, 2^24", 0.58e-3, lfilter("f"))
register("lfilter_f8", "`lfilter(b, a, x)`, order 4, 2^24, float64", 0.8e-3, lfilter("d"))
register("sosfiltfilt", "`sosfiltfilt(sos, x)`, 4 sections, 2^24", 2.8e-3, sosfiltfilt)
register("welch", "`welch(x)`, 2^26", 1.28e-3, welch)
register("resample_poly", "`resample_poly(A, 3, 2, axis=1)`, 4096^2", 0.57e-3, resample_poly)
register("fftconvolve", "`fftconvolve(A, W)`, 4096^2 by 63^2", 0.7e-3, convolution("fftconvolve", 63))
register("convolve2d", "`convolve2d(A, W)`, 4096^2 by 15^2", 0.7e-3, convolution("convolve2d", 15))
