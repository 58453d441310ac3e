"""Reductions of a square float32 array: over all elements, over columns and over rows."""

from rows import Share, row

CHAPTER = "Reductions, float32"
NAMES = ("sum", "max", "argmax", "mean", "var", "norm")
AXES = {"all": None, "axis0": 0, "axis1": 1}


def call(lib, name, a, axis):
    """The call of a reduction with the names of a library."""
    xp = lib.xp
    torch = lib.dialect == "torch"
    if name == "norm":
        function = xp.linalg.vector_norm if torch else xp.linalg.norm
    elif name == "max" and torch:
        function = xp.amax  # torch.max along an axis also finds the indices
    else:
        function = getattr(xp, name)
    options = {}
    if axis is not None:
        options["dim" if torch else "axis"] = axis
    if torch and name in ("var", "std"):
        options["correction"] = 0
    if axis is None and name == "norm":
        flat = a.reshape(-1)
        return lambda: function(flat)
    return lambda: function(a, **options)


def register(name, label, axis):
    arguments = "" if axis is None else f", axis={axis}"
    function = "np.linalg.norm" if name == "norm" else f"np.{name}"

    @row(
        f"{name}_{label}",
        f"`{function}(A{arguments})`",
        CHAPTER,
        Share(0.90, "read"),
        "device",
        lambda size: 4 * size.side * size.side,
    )
    def build(lib, size):
        return call(lib, name, lib.values(size.side, size.side), axis)


for name in NAMES:
    for label, axis in AXES.items():
        register(name, label, axis)


def register_middle(name, goal):
    """A reduction over the outer axes: runs of reduced elements are separated by the kept middle axis."""

    @row(
        f"{name}_middle",
        f"`np.{name}(K, axis=(0, 2))`, 256 x 1024 x 1024",
        CHAPTER,
        Share(goal, "read"),
        "device",
        lambda size: 4 * size.side * size.side,
    )
    def build(lib, size):
        middle = size.side // 16
        return call(lib, name, lib.values(size.side * size.side // (middle * middle), middle, middle), (0, 2))


for name, goal in (("sum", 0.90), ("max", 0.85), ("var", 0.65)):
    register_middle(name, goal)
register("argmin", "axis1", 1)
register("std", "axis1", 1)
