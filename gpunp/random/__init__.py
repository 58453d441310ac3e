"""Random numbers on the device: `default_rng` and `Generator` as in `numpy.random`, and older functions.

Numbers are counter-based: element i of a draw depends on the seed, the position in the stream and i alone.
The same seed gives the same numbers on the CPU and on every GPU.
"""

# ruff: noqa: F401 - the names are public.

from numpy.random import SeedSequence

from gpunp.random import legacy as _legacy
from gpunp.random.bit_generators import XORWOW, BitGenerator, MRG32k3a, Philox4x32
from gpunp.random.generator import Generator, default_rng
from gpunp.random.legacy import RandomState, get_random_state, set_random_state

globals().update({name: getattr(_legacy.SHARED, name) for name in _legacy.NAMES})
# NumPy's other names of random_sample.
ranf = sample = _legacy.SHARED.random_sample

# What others call it: a counter of four words of 32 bits, ten rounds.
Philox4x3210 = Philox4x32

__all__ = sorted(
    {
        *_legacy.NAMES,
        "ranf",
        "sample",
        "SeedSequence",
        "BitGenerator",
        "Philox4x32",
        "Philox4x3210",
        "XORWOW",
        "MRG32k3a",
        "Generator",
        "RandomState",
        "default_rng",
        "get_random_state",
        "set_random_state",
    }
)
