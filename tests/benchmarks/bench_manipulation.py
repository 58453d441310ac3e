"""Concatenation, roll, flip, padding and repetition: copies, whose goal is the bandwidth of a plain copy."""

from rows import Above, Share, row

CHAPTER = "Manipulation, float32, results of 1 GiB"


def copying(name, title, moved):
    """A row whose goal is a share of a copy's bandwidth; ``moved`` is a multiple of the result's size."""
    return row(
        name, title, CHAPTER, Share(0.85, "copy"), "device", lambda size: int(moved * 4 * size.elements)
    )


def square(lib, size):
    return lib.values(size.side, size.side)


@copying("concatenate", "`np.concatenate([a, b])`", 2)
def concatenate(lib, size):
    half = size.elements // 2
    a, b = lib.values(half), lib.values(half)
    function = lib.xp.cat if lib.dialect == "torch" else lib.xp.concatenate
    return lambda: function([a, b])


@copying("concatenate_columns", "`np.concatenate([A, B], axis=1)`", 2)
def concatenate_columns(lib, size):
    a, b = lib.values(size.side, size.side // 2 + 1), lib.values(size.side, size.side // 2 - 1)
    function = lib.xp.cat if lib.dialect == "torch" else lib.xp.concatenate
    return lambda: function([a, b], 1)


@copying("roll", "`np.roll(a, 1)`", 2)
def roll(lib, size):
    a, function = lib.values(size.elements), lib.xp.roll
    return lambda: function(a, 1)


@copying("flip", "`np.flip(a).copy()`", 2)
def flip(lib, size):
    a, xp = lib.values(size.elements), lib.xp
    if lib.dialect == "torch":
        return lambda: xp.flip(a, (0,))
    return lambda: xp.flip(a).copy()


@copying("pad", "`np.pad(A, 1)`", 2)
def pad(lib, size):
    a, xp = square(lib, size), lib.xp
    if lib.dialect == "torch":
        return lambda: xp.nn.functional.pad(a, (1, 1, 1, 1))
    return lambda: xp.pad(a, 1)


@copying("pad_reflect", '`np.pad(A, 3, "reflect")`', 2)
def pad_reflect(lib, size):
    a, xp = square(lib, size), lib.xp
    if lib.dialect == "torch":
        return lambda: xp.nn.functional.pad(a[None], (3, 3, 3, 3), mode="reflect")
    return lambda: xp.pad(a, 3, "reflect")


@copying("tile", "`np.tile(A, (2, 2))`", 1.25)
def tile(lib, size):
    a, function = lib.values(size.side // 2, size.side // 2), lib.xp.tile
    return lambda: function(a, (2, 2))


@copying("repeat", "`np.repeat(a, 4)`", 1.25)
def repeat(lib, size):
    a = lib.values(size.elements // 4)
    function = lib.xp.repeat_interleave if lib.dialect == "torch" else lib.xp.repeat
    return lambda: function(a, 4)


@row(
    "call_concatenate",
    "`np.concatenate([a, b])`",
    "Host cost of a call, 8 elements",
    Above(5e-6, "launch"),
    "host",
)
def call_concatenate(lib, size):
    function = "xp.cat" if lib.dialect == "torch" else "xp.concatenate"
    return f"{function}([a, b])", {"a": lib.values(8), "b": lib.values(8)}
