"""Indexing by condition, which selects half of the elements, and by random indices."""

import numpy as np
from rows import Above, Share, row

CHAPTER = "Indexing, float32"


def wall(name, title, milliseconds):
    """A row with a limit for the whole call, which may wait for the device."""
    return row(name, title, CHAPTER, Above(milliseconds * 1e-3), "wall")


def quarter(size):
    """2^26 elements in the full table."""
    return size.elements // 4


def indices(lib, size, elements, dtype):
    """2^26 random indices below ``elements`` in the full table."""
    count = quarter(size)
    return lib.upload(np.random.default_rng(3).integers(0, elements, count, dtype=dtype))


def hot(size):
    """The number of elements in the part of an array to which all indices refer."""
    return quarter(size) * 10**6 >> 26


def setting(lib, size, elements, dtype, value, length=None):
    """An assignment by random indices, which may repeat; the last value then counts."""
    x, i = lib.values(length or elements), indices(lib, size, elements, dtype)

    def assign():
        x[i] = value

    return assign


@wall("select_condition", "`x[x > 1]`, half of 2^28", 1.5)
def select_condition(lib, size):
    x = lib.values(size.elements)
    return lambda: x[x > 1]


@wall("nonzero", "`np.nonzero(mask)`, half of 2^26", 0.3)
def nonzero(lib, size):
    mask, function = lib.values(quarter(size)) > 1, lib.xp.nonzero
    return lambda: function(mask)


@wall("take_random", "`np.take(x, i)`, 2^26 at random of as many", 0.5)
def take_random(lib, size):
    x, i, function = lib.values(quarter(size)), indices(lib, size, quarter(size), "i8"), lib.xp.take
    return lambda: function(x, i)


@wall("take_few", "`x[i]`, 2^26 int32 at random of 2^20", 0.5)
def take_few(lib, size):
    x, i = lib.values(quarter(size) >> 6), indices(lib, size, quarter(size) >> 6, "i4")
    return lambda: x[i]


@wall("take_hot", "`np.take(x, i)`, 2^26 int32 below 10^6, `x` of 2^26", 0.6)
def take_hot(lib, size):
    x, i, function = lib.values(quarter(size)), indices(lib, size, hot(size), "i4"), lib.xp.take
    if lib.dialect == "torch":
        return lambda: x[i]
    return lambda: function(x, i)


@wall("set_hot", "`x[i] = y`, 2^26 int32 below 10^6, `x` of 2^26", 0.9)
def set_hot(lib, size):
    return setting(lib, size, hot(size), "i4", lib.values(quarter(size)), quarter(size))


@wall("set_hot_scalar", "`x[i] = 1`, 2^26 int32 below 10^6, `x` of 2^26", 0.9)
def set_hot_scalar(lib, size):
    return setting(lib, size, hot(size), "i4", 1.0, quarter(size))


@wall("set_random", "`x[i] = y`, 2^26 at random of as many", 0.9)
def set_random(lib, size):
    return setting(lib, size, quarter(size), "i8", lib.values(quarter(size)))


@wall("set_few", "`x[i] = y`, 2^26 int32 at random of 2^20", 0.9)
def set_few(lib, size):
    return setting(lib, size, quarter(size) >> 6, "i4", lib.values(quarter(size)))


@wall("set_random_scalar", "`x[i] = 1`, 2^26 at random of as many", 0.9)
def set_random_scalar(lib, size):
    return setting(lib, size, quarter(size), "i8", 1.0)


@wall("set_few_scalar", "`x[i] = 1`, 2^26 int32 at random of 2^20", 0.9)
def set_few_scalar(lib, size):
    return setting(lib, size, quarter(size) >> 6, "i4", 1.0)


@row(
    "where",
    "`np.where(mask, x, 0)`",
    CHAPTER,
    Share(0.90, "copy"),
    "device",
    lambda size: 9 * size.elements,
)
def where(lib, size):
    x, function = lib.values(size.elements), lib.xp.where
    mask = x > 1
    return lambda: function(mask, x, 0)


@row(
    "set_masked",
    "`x[mask] = 1`, half of 2^28",
    CHAPTER,
    Share(0.80, "copy"),
    "device",
    # The mask, and every element read and written: a partly written sector costs as much as a full one.
    lambda size: 9 * size.elements,
)
def set_masked(lib, size):
    x = lib.values(size.elements)
    mask = x > 1

    def assign():
        x[mask] = 1.0

    return assign


def host(name, title):
    return row(name, title, "Host cost of a call, 8 elements", Above(5e-6, "launch"), "host")


@host("call_where", "`np.where(c, a, b)`")
def call_where(lib, size):
    a = lib.values(8)
    return "xp.where(c, a, a)", {"a": a, "c": a > 1}


@host("call_take", "`np.take(a, i)`")
def call_take(lib, size):
    return "xp.take(a, i)", {"a": lib.values(8), "i": lib.upload(np.arange(8))}


@host("call_getitem", "`a[i]`")
def call_getitem(lib, size):
    return "a[i]", {"a": lib.values(8), "i": lib.upload(np.arange(8))}
