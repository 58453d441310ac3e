"""Arguments of calls drawn at random, for tests that compare SciPy's functions with themselves."""

import zlib

import numpy as np
from signal_calls import compare

CALLS_OF_EACH = 25


class Draw:
    """Draws from a generator whose seed is the name of a function.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name):
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))

    def whole(self, least, greatest):
        """An integer of a closed range."""
        return int(self.rng.integers(least, greatest + 1))

    def pick(self, *choices):
        """One of the arguments."""
        return choices[self.rng.integers(len(choices))]

    def some(self, **options):
        """Each of the keyword arguments with probability one half; functions of no argument are called."""
        chosen = {name: value for name, value in options.items() if self.rng.random() < 0.5}
        return {name: value() if callable(value) else value for name, value in chosen.items()}

    def shape(self, most, longest, least=1):
        """Up to ``most`` extents: short ones, and up to ``longest`` along one axis."""
        extents = [self.whole(least, 6) for _ in range(self.whole(1, most))]
        extents[self.whole(0, len(extents) - 1)] = self.whole(least, longest)
        return tuple(extents)

    def axis(self, ndim):
        """An axis, counted from either end."""
        return self.whole(-ndim, ndim - 1)

    def array(self, shape, chars):
        """Values of one of some dtypes, in C or Fortran order, or backwards along the last axis."""
        char = self.pick(*chars)
        a = self.rng.normal(size=shape) * 20
        if char in "FD":
            a = a + 1j * self.rng.normal(size=shape) * 20
        a = a > 0 if char == "?" else (np.abs(a) if char in "BHIL" else a).astype(char)
        return self.pick(a, a, np.asfortranarray(a), a[..., ::-1])


def precision(*values):
    """The relative tolerance of results: that of single precision if an array has fewer digits than double.

    Parameters
    ----------
    *values : object
        Arguments of a call, also in tuples, lists and dictionaries.
    """
    for value in values:
        if isinstance(value, np.ndarray) and value.dtype.char in "efF":
            return 3e-5
        items = value.values() if isinstance(value, dict) else value
        if isinstance(value, tuple | list | dict) and precision(*items) > 1e-8:
            return 3e-5
    return 1e-8


def compare_drawn_calls(module, function, draws, least=0):
    """Compare calls of a function for host and device arrays.

    Parameters
    ----------
    module : str
        Names the seed, with the function.
    function : callable
    draws : callable
        Gets a `Draw`, and returns the arguments and the keyword arguments of a call.
    least : float
        The least tolerance.
    """
    draw = Draw(f"{module}.{function.__name__}")
    for _ in range(CALLS_OF_EACH):
        args, kwargs = draws(draw)
        compare(function, function, *args, tolerance=max(least, precision(*args)), **kwargs)
