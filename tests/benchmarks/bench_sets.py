"""Searching and sets: distinct elements and rows, binary search, linear interpolation."""

import numpy as np
from rows import Above, row

CHAPTER = "Searching and sets"
# The size that the goals refer to; smaller ones only check that the rows work.
SEARCHED = 1 << 26


def scaled(size, elements):
    """The number of elements of a row, in proportion to the requested size; ``elements`` at full size."""
    return max(64, elements * size.elements >> 28)


def random(elements, seed=1):
    return np.random.default_rng(seed).random(elements, dtype=np.float32)


@row("unique", "`np.unique(a)`, int32, 2^26, 10^6 values", CHAPTER, Above(1.5e-3), "wall")
def unique(lib, size):
    host = np.random.default_rng(1).integers(0, 10**6, scaled(size, SEARCHED)).astype(np.int32)
    a, function = lib.upload(host), lib.xp.unique
    return lambda: function(a)


@row("unique_rows", "`np.unique(A, axis=0)`, int32, 10^6 x 10", CHAPTER, Above(1e-3), "wall")
def unique_rows(lib, size):
    if lib.name == "CuPy":
        raise NotImplementedError("it does not finish")
    host = np.random.default_rng(1).integers(0, 10, (scaled(size, 10**6), 10)).astype(np.int32)
    a, function = lib.upload(host), lib.xp.unique
    if lib.dialect == "torch":
        return lambda: function(a, dim=0)
    return lambda: function(a, axis=0)


def float_rows(lib, size, count, columns):
    if lib.name == "CuPy":
        raise NotImplementedError("it does not finish")
    a, function = lib.upload(random(scaled(size, count) * columns).reshape(-1, columns)), lib.xp.unique
    if lib.dialect == "torch":
        return lambda: function(a, dim=0)
    return lambda: function(a, axis=0)


@row("unique_short_rows", "`np.unique(A, axis=0)`, float32, 2^20 x 4", CHAPTER, Above(0.7e-3), "wall")
def unique_short_rows(lib, size):
    return float_rows(lib, size, 1 << 20, 4)


@row("unique_long_rows", "`np.unique(A, axis=0)`, float32, 2^16 x 64", CHAPTER, Above(0.4e-3), "wall")
def unique_long_rows(lib, size):
    return float_rows(lib, size, 1 << 16, 64)


@row("searchsorted", "`np.searchsorted(a, v)`, float32, 2^26 in 2^16", CHAPTER, Above(1.2e-3), "device")
def searchsorted(lib, size):
    a, v = lib.upload(np.sort(random(scaled(size, 1 << 16)))), lib.upload(random(scaled(size, SEARCHED), 2))
    function = lib.xp.searchsorted
    return lambda: function(a, v)


@row("interp", "`np.interp(x, xp, fp)`, float64, 2^24, 1024 points", CHAPTER, Above(0.3e-3), "device")
def interp(lib, size):
    if lib.dialect == "torch":
        raise NotImplementedError("it has no such function")
    x = lib.upload(random(scaled(size, 1 << 24)).astype(np.float64))
    xp, fp = np.sort(random(1024, 3)).astype(np.float64), random(1024, 4).astype(np.float64)
    xp, fp, function = lib.upload(xp), lib.upload(fp), lib.xp.interp
    return lambda: function(x, xp, fp)
