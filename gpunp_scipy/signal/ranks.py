"""Medians and other ranks of windows, by the filters of images; samples outside are zeros."""

import math
import operator
import warnings

import numpy

import gpunp
from gpunp.array.convert import fetched
from gpunp_scipy import ndimage


def _require(a, name):
    if a.dtype.kind not in "iu" and a.dtype.char not in "fd":
        raise ValueError(f"dtype={a.dtype} is not supported by {name}; convert it to float64")


def order_filter(a, domain, rank):
    """Filter an array by a rank in a neighbourhood; see `scipy.signal.order_filter`."""
    domain = fetched(domain)
    if any(length % 2 != 1 for length in domain.shape):
        raise ValueError("Each dimension of domain argument should have an odd number of elements.")
    a = gpunp.asarray(a)
    _require(a, "order_filter")
    return ndimage.rank_filter(a, rank, footprint=domain, mode="constant")


def medfilt(volume, kernel_size=None):
    """Filter an array by medians; see `scipy.signal.medfilt`."""
    volume = gpunp.asarray(volume)
    if volume.ndim == 0:
        volume = volume.reshape(1)
    _require(volume, "medfilt")
    sizes = _odd_sizes(volume, kernel_size)
    if any(size > length for size, length in zip(sizes, volume.shape, strict=False)):
        warnings.warn("kernel_size exceeds volume extent: the volume will be zero-padded.", stacklevel=2)
    return _medians(volume, sizes)


def _odd_sizes(volume, kernel_size):
    """The extents of the window along each axis."""
    sizes = fetched(3 if kernel_size is None else kernel_size)
    sizes = [sizes.item()] * volume.ndim if sizes.ndim == 0 else sizes.tolist()
    sizes = [operator.index(size) for size in sizes]
    if any(size % 2 != 1 for size in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    return sizes


def _medians(volume, sizes):
    return ndimage.rank_filter(volume, math.prod(sizes) // 2, size=sizes, mode="constant")


def medfilt2d(input, kernel_size=3):
    """Filter an image by medians; see `scipy.signal.medfilt2d`."""
    image = gpunp.asarray(input)
    if image.dtype.type not in (numpy.ubyte, numpy.float32, numpy.float64):
        return medfilt(image, kernel_size)
    if image.ndim != 2:
        raise ValueError(f"medfilt2d: the image must have 2 dimensions, not {image.ndim}")
    return _medians(image, _odd_sizes(image, kernel_size))
