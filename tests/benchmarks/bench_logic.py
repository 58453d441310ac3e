"""Comparison of whole arrays: each is one pass over both operands."""

from rows import Above, Share, row

CHAPTER = "Comparison of arrays, float32, 2^28"


def operands(lib, size):
    return lib.values(size.elements), lib.values(size.elements)


@row("allclose", "`np.allclose(x, y)`", CHAPTER, Above(0.8e-3), "wall", lambda size: 8 * size.elements)
def allclose(lib, size):
    (x, y), function = operands(lib, size), lib.xp.allclose
    return lambda: function(x, y)


@row("array_equal", "`np.array_equal(x, y)`", CHAPTER, Above(0.8e-3), "wall", lambda size: 8 * size.elements)
def array_equal(lib, size):
    (x, y), function = operands(lib, size), lib.xp.equal if lib.dialect == "torch" else lib.xp.array_equal
    return lambda: function(x, y)


@row("isclose", "`np.isclose(x, y)`", CHAPTER, Share(0.85, "copy"), "device", lambda size: 9 * size.elements)
def isclose(lib, size):
    (x, y), function = operands(lib, size), lib.xp.isclose
    return lambda: function(x, y)


@row("allclose_row", "`np.allclose(A, A[0], atol=2)`", CHAPTER, Above(1.6e-3), "wall")
def allclose_row(lib, size):
    a, function = lib.values(size.side, size.side), lib.xp.allclose
    return lambda: function(a, a[0], atol=2.0)
