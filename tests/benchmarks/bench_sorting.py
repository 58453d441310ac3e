"""Sorting random float32: whole arrays of 2^26, and a matrix of 8192 x 8192 by rows and by columns."""

import numpy as np
from rows import Above, row

CHAPTER = "Sorting"


def random(*shape):
    return np.random.default_rng(3).random(shape, dtype=np.float32)


def call(lib, name, a, axis):
    """The call of a sort with the names of a library."""
    function = getattr(lib.xp, name)
    options = {"dim" if lib.dialect == "torch" else "axis": axis}
    return lambda: function(a, **options)


def whole(name, goal):
    @row(name, f"`np.{name}(a)`, 2^26", CHAPTER, Above(goal), "device")
    def build(lib, size):
        return call(lib, name, lib.upload(random(size.elements >> 2)), -1)


def square(name, label, axis, goal):
    title = f"`np.{name}(A, axis={axis})`, 8192 x 8192"

    @row(f"{name}_{label}", title, CHAPTER, Above(goal), "device")
    def build(lib, size):
        side = size.side >> 1
        return call(lib, name, lib.upload(random(side, side)), axis)


whole("sort", 1.7e-3)
whole("argsort", 3.0e-3)
square("sort", "rows", 1, 3e-3)
square("sort", "columns", 0, 4e-3)
