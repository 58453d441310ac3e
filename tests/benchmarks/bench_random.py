"""Random numbers: large fills, limited by memory bandwidth, and the host cost of a small draw."""

from rows import Above, Share, row

CHAPTER = "Random numbers"


def generator(lib):
    """A generator of a library; None for PyTorch, whose functions use the default one."""
    module = getattr(lib, "module", lib.xp)
    return None if lib.dialect == "torch" else module.random.default_rng(1)


@row(
    "random",
    "`rng.random(n, dtype=float32)`, 2^28",
    CHAPTER,
    Share(0.92, "copy"),
    "device",
    lambda size: 4 * size.elements,
)
def random(lib, size):
    count, rng = size.elements, generator(lib)
    if rng is None:
        function = lib.xp.rand
        return lambda: function(count, device="cuda")
    return lambda: rng.random(count, dtype="f4")


@row("standard_normal", "`rng.standard_normal(n, dtype=float32)`, 2^28", CHAPTER, Above(0.42e-3), "device")
def standard_normal(lib, size):
    count, rng = size.elements, generator(lib)
    if rng is None:
        function = lib.xp.randn
        return lambda: function(count, device="cuda")
    return lambda: rng.standard_normal(count, dtype="f4")


@row("integers", "`rng.integers(0, 100, n)`, int64, 2^26", CHAPTER, Above(0.2e-3), "device")
def integers(lib, size):
    count, rng = max(64, size.elements >> 2), generator(lib)
    if rng is None:
        function = lib.xp.randint
        return lambda: function(0, 100, (count,), device="cuda")
    return lambda: rng.integers(0, 100, count)


@row("call_random", "`rng.random(16)`", CHAPTER, Above(3e-6, "launch"), "host")
def call_random(lib, size):
    rng = generator(lib)
    if rng is None:
        return "rand(16, device='cuda')", {"rand": lib.xp.rand}
    return "rng.random(16)", {"rng": rng}


@row("call_default_rng", "`default_rng(1).random(16)`", CHAPTER, Above(30e-6), "host")
def call_default_rng(lib, size):
    if lib.dialect == "torch":
        raise NotImplementedError("its generators are made another way")
    module = getattr(lib, "module", lib.xp)
    return "default_rng(1).random(16)", {"default_rng": module.random.default_rng}
