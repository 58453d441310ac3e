"""What a compilation returns."""


class Compiled:
    """Code that `load_module` loads.

    Parameters
    ----------
    image : bytes
        A cubin, PTX, or a shared library of the host.
    names : dict of str to str
        The symbol of each name expression.
    log : str, optional
        Warnings of the compiler.
    from_cache : bool, default False
        Whether it came from the disk cache.
    seconds : float, default 0.0
        How long it took.
    """

    __slots__ = ("from_cache", "image", "log", "names", "seconds")

    def __init__(self, image, names, log="", from_cache=False, seconds=0.0):
        self.image = image
        self.names = names
        self.log = log
        self.from_cache = from_cache
        self.seconds = seconds

    def __repr__(self):
        origin = "from the cache" if self.from_cache else f"compiled in {1e3 * self.seconds:.0f} ms"
        return f"<Compiled: {len(self.image)} bytes, {origin}>"
