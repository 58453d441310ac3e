"""Cumulative sums of a square float32 array."""

from rows import Share, row

CHAPTER = "Cumulative sums, float32"


def register(label, axis):
    arguments = "" if axis is None else f", axis={axis}"

    @row(
        f"cumsum_{label}",
        f"`np.cumsum(A{arguments})`",
        CHAPTER,
        Share(0.70, "copy"),
        "device",
        lambda size: 8 * size.side * size.side,
    )
    def build(lib, size):
        a = lib.values(size.side, size.side)
        function = lib.xp.cumsum
        if lib.dialect == "torch":
            flat = a.reshape(-1)
            return (lambda: function(flat, 0)) if axis is None else (lambda: function(a, axis))
        return lambda: function(a, axis=axis)


for label, axis in {"all": None, "axis0": 0, "axis1": 1}.items():
    register(label, axis)
