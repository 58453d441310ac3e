"""Order statistics, which need no sort, histograms and convolution."""

import math

import numpy as np
from rows import Above, row

CHAPTER = "Statistics, float32"
# The goals refer to 2^26 elements, in one row or in 8192 rows of 8192.
ELEMENTS = 1 << 26


def elements(size):
    """2^26 at full size, and proportionally fewer for a quick run."""
    return max(256, ELEMENTS * size.elements >> 28)


def square(lib, size):
    side = math.isqrt(elements(size))
    return lib.values(side, side)


def no_torch(lib, reason):
    """Skip PyTorch in rows for which it has no function, or none for arrays of this size."""
    if lib.dialect == "torch":
        raise NotImplementedError(reason)


@row("median", "`np.median(a)`, 2^26", CHAPTER, Above(0.4e-3), "device")
def median(lib, size):
    a, function = lib.values(elements(size)), lib.xp.median
    return lambda: function(a)


@row("percentile", "`np.percentile(a, [25, 50, 75])`, 2^26", CHAPTER, Above(0.4e-3), "device")
def percentile(lib, size):
    no_torch(lib, "its quantile takes 2^24 elements at most")
    a, function = lib.values(elements(size)), lib.xp.percentile
    return lambda: function(a, [25, 50, 75])


@row("partition", "`np.partition(a, n // 2)`, 2^26", CHAPTER, Above(0.4e-3), "device")
def partition(lib, size):
    no_torch(lib, "it has no such function")
    a, function = lib.values(elements(size)), lib.xp.partition
    return lambda: function(a, a.size // 2)


@row("median_axis1", "`np.median(A, axis=1)`, 8192^2", CHAPTER, Above(1.2e-3), "device")
def median_axis1(lib, size):
    a, function = square(lib, size), lib.xp.median
    if lib.dialect == "torch":
        return lambda: function(a, 1)
    return lambda: function(a, axis=1)


HISTOGRAMS = "Histograms and convolution"


def integers(lib, size):
    """64-bit integers below 10^6."""
    block = np.random.default_rng(5).integers(0, 10**6, min(elements(size), 1 << 22))
    return lib.upload(np.resize(block, elements(size)))


@row("bincount", "`np.bincount(i)`, 2^26 int64 below 10^6", HISTOGRAMS, Above(0.9e-3), "device")
def bincount(lib, size):
    values, function = integers(lib, size), lib.xp.bincount
    return lambda: function(values)


@row("bincount_weights", "`np.bincount(i, weights)`, 2^26", HISTOGRAMS, Above(1.2e-3), "device")
def bincount_weights(lib, size):
    values, weights = integers(lib, size), lib.values(elements(size))
    function = lib.xp.bincount
    return lambda: function(values, weights)


@row("histogram", "`np.histogram(a, 256)`, 2^26 float32", HISTOGRAMS, Above(0.15e-3), "device")
def histogram(lib, size):
    a, xp = lib.values(elements(size)), lib.xp
    if lib.dialect == "torch":
        return lambda: xp.histc(a, 256)
    return lambda: xp.histogram(a, 256)


@row("histogram_range", "`np.histogram(a, 256, (0, 2))`, 2^26 float32", HISTOGRAMS, Above(0.15e-3), "device")
def histogram_range(lib, size):
    a, xp = lib.values(elements(size)), lib.xp
    if lib.dialect == "torch":
        return lambda: xp.histc(a, 256, 0, 2)
    return lambda: xp.histogram(a, 256, (0, 2))


@row("convolve", "`np.convolve(a, w, 'same')`, 2^26 with 31 taps", HISTOGRAMS, Above(1e-3), "device")
def convolve(lib, size):
    a, w, xp = lib.values(elements(size)), lib.values(31), lib.xp
    if lib.dialect == "torch":
        return lambda: xp.nn.functional.conv1d(a[None, None], w[None, None], padding=15)
    return lambda: xp.convolve(a, w, "same")
