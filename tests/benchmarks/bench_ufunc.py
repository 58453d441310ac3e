"""Elementwise functions: contiguous, broadcast and transposed float32 arrays."""

import numpy as np
from rows import Share, row

CONTIGUOUS = "Elementwise, contiguous float32"
LAYOUT = "Elementwise, broadcast and transposed float32"


def contiguous(name, title, bytes_per_element):
    return row(
        name, title, CONTIGUOUS, Share(0.92, "copy"), "device", lambda size: bytes_per_element * size.elements
    )


def layout(name, title, arrays):
    return row(
        name, title, LAYOUT, Share(0.85, "copy"), "device", lambda size: arrays * 4 * size.side * size.side
    )


@contiguous("add", "`np.add(a, b, out=c)`", 12)
def add(lib, size):
    a, b, c = (lib.values(size.elements) for _ in range(3))
    xp = lib.xp
    return lambda: xp.add(a, b, out=c)


@contiguous("sqrt", "`np.sqrt(a)`", 8)
def sqrt(lib, size):
    a, function = lib.values(size.elements), lib.xp.sqrt
    return lambda: function(a)


@contiguous("exp", "`np.exp(a)`", 8)
def exp(lib, size):
    a, function = lib.values(size.elements), lib.xp.exp
    return lambda: function(a)


@contiguous("scale", "`a * 2`", 8)
def scale(lib, size):
    a = lib.values(size.elements)
    return lambda: a * 2


@contiguous("astype", "`a.astype(np.float16)`", 6)
def astype(lib, size):
    a = lib.values(size.elements)
    if lib.dialect == "torch":
        return lambda: a.to(lib.xp.float16)
    return lambda: a.astype(np.float16)


@layout("broadcast_row", "`A + row`", 2)
def broadcast_row(lib, size):
    a, values = lib.values(size.side, size.side), lib.values(size.side)
    return lambda: a + values


@layout("broadcast_column", "`A + column[:, np.newaxis]`", 2)
def broadcast_column(lib, size):
    a, values = lib.values(size.side, size.side), lib.values(size.side)
    return lambda: a + values[:, None]


@layout("transposed_copy", "`A.T.copy()`", 2)
def transposed_copy(lib, size):
    a = lib.values(size.side, size.side)
    if lib.dialect == "torch":
        return lambda: a.T.contiguous()
    return lambda: a.T.copy()


@layout("add_transposed", "`A + A.T`", 3)
def add_transposed(lib, size):
    a = lib.values(size.side, size.side)
    return lambda: a + a.T
