"""The class `Generator`, and `default_rng`, which creates one."""

import numpy

from gpunp.random.bit_generators import BitGenerator, Philox4x32, require_instance
from gpunp.random.continuous import ContinuousDraws
from gpunp.random.discrete import DiscreteDraws
from gpunp.random.multivariate import MultivariateDraws
from gpunp.random.sequences import SequenceDraws


class Generator(ContinuousDraws, DiscreteDraws, SequenceDraws, MultivariateDraws):
    """Random numbers on a device, with the methods of `numpy.random.Generator`.

    Parameters
    ----------
    bit_generator : BitGenerator
        `Philox4x32`, `XORWOW` or `MRG32k3a`.
    device : Device or str, optional
        Where arrays are made; by default the current device at each draw.

    See Also
    --------
    default_rng : The usual constructor.
    """

    __module__ = "gpunp.random"

    def __init__(self, bit_generator, device=None):
        require_instance(bit_generator)
        super().__init__(bit_generator, device)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        """Integers from ``low`` up to ``high``, all equally likely; see `numpy.random.Generator.integers`.

        Parameters
        ----------
        low : int or array_like of ints
            The lowest integer. If ``high`` is None, the upper bound; the lowest integer is then 0.
        high : int or array_like of ints, optional
            Excluded unless ``endpoint``.
        size : int or tuple of ints, optional
        dtype : dtype_like, optional
            Any integer dtype, or bool.
        endpoint : bool, optional

        Returns
        -------
        ndarray
        """
        return self._integers(low, high, size, dtype, endpoint, "integers")

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of an array, or integers below ``a``; see `numpy.random.Generator.choice`.

        Parameters
        ----------
        a : int or array_like
        size : int or tuple of ints, optional
        replace : bool, optional
            Whether an element may be chosen more than once.
        p : array_like, optional
            Probabilities. Values on the host are checked; of a device array only the size is.
        axis : int, optional
            The axis of ``a`` along which elements are chosen.
        shuffle : bool, optional
            Without effect: the order of a sample without replacement is always random.

        Returns
        -------
        ndarray
        """
        return self._choice(a, size, replace, p, axis)

    def spawn(self, n_children):
        """Create generators whose streams are independent of this one's.

        Parameters
        ----------
        n_children : int

        Returns
        -------
        list of Generator
        """
        return [type(self)(child, self.fixed_device) for child in self.bit_generator.spawn(n_children)]

    def __reduce__(self):
        return type(self), (self.bit_generator, self.fixed_device)

    def __repr__(self):
        return f"Generator({type(self.bit_generator).__name__}) at {id(self):#X}"


def default_rng(seed=None, device=None):
    """Create a generator of random numbers.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence, BitGenerator, Generator or RandomState, optional
        The same seed gives the same numbers on every device. None seeds from the operating system. A
        Generator is returned as it is; the state of a bit generator is shared.
    device : Device or str, optional
        Where arrays are made; by default the current device at each draw.

    Returns
    -------
    Generator
    """
    if isinstance(seed, Generator):
        return seed if device is None else Generator(seed.bit_generator, device)
    if isinstance(getattr(seed, "bit_generator", None), BitGenerator):
        return Generator(seed.bit_generator, device)
    return Generator(seed if isinstance(seed, BitGenerator) else Philox4x32(seed), device)
