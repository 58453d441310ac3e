"""NumPy's older interface: `RandomState`, and the module's functions, which share one instance."""

import operator
import warnings

import numpy

from gpunp.array import layout
from gpunp.array.convert import joined
from gpunp.array.dtype import dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.function_protocol import to_host
from gpunp.random.bit_generators import XORWOW, BitGenerator, MRG32k3a, Philox4x32, require_instance
from gpunp.random.continuous import LEGACY_UNIFORM, ContinuousDraws
from gpunp.random.describe import describe
from gpunp.random.discrete import LEGACY_HYPERGEOMETRIC, DiscreteDraws
from gpunp.random.multivariate import MultivariateDraws
from gpunp.random.parameters import check_words, on_host
from gpunp.random.sequences import SequenceDraws

# The numbers by which cuRAND names its generators: the default one, and three of them.
_METHODS = {100: Philox4x32, 101: XORWOW, 121: MRG32k3a, 161: Philox4x32}


def _drawn_as(dtype):
    """Return the dtype in which floats are drawn, and the one that they are converted to, or None."""
    if dtype is float or dtype is numpy.float64 or dtype is numpy.float32:
        return dtype, None
    wanted = numpy.dtype(dtype)
    if wanted.kind == "f" and wanted.isnative and wanted.itemsize in (4, 8):
        return wanted, None
    if wanted.kind not in "biuf":
        raise TypeError(f"Unsupported dtype {wanted!r} for random numbers; use a floating or integer dtype")
    return numpy.float64, wanted


def _converted(values, wanted):
    return values if wanted is None else values.astype(wanted)


@describe
class RandomState(ContinuousDraws, DiscreteDraws, SequenceDraws, MultivariateDraws):
    """Random numbers with the methods of `numpy.random.RandomState`; new code uses `default_rng`.

    The numbers are those of `Generator` with the same bit generator, not NumPy's. Unlike NumPy's, the methods
    take a ``dtype``: values are drawn as float64, float32 or int64 and converted to other dtypes.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence or BitGenerator, optional
    method : int, optional
        The bit generator, by cuRAND's number: 100, the default, and 161 for `Philox4x32`, 101 for `XORWOW`,
        121 for `MRG32k3a`.
    device : Device or str, optional
        Where arrays are made; by default the current device at each draw.
    """

    __module__ = "gpunp.random"
    _hypergeometric = LEGACY_HYPERGEOMETRIC
    _uniform = LEGACY_UNIFORM

    # The other one of two states that share a bit generator: see `set_random_state`.
    _twin = None

    def __init__(self, seed=None, method=100, device=None):
        if method not in _METHODS:
            raise ValueError(f"RandomState: method must be one of {sorted(_METHODS)}, not {method!r}")
        self._bits_class = _METHODS[method]
        super().__init__(_legacy_bits(seed, self._bits_class), device)

    def _draw_from(self, bits, device):
        super().__init__(bits, device)

    def seed(self, seed=None):
        """Reseed the generator.

        Parameters
        ----------
        seed : None, int or array_like of ints, optional
        """
        bits = _legacy_bits(seed, self._bits_class)
        self._draw_from(bits, self.fixed_device)
        if self._twin is not None:
            self._twin._draw_from(bits, self._twin.fixed_device)

    def get_state(self, legacy=True):
        """The position in the stream.

        Parameters
        ----------
        legacy : bool, optional
            False returns the dictionary `BitGenerator.state`.

        Returns
        -------
        tuple or dict
            The tuple holds the name of the bit generator, then the parts of its state.
        """
        state = self.bit_generator.state
        return (state["bit_generator"], *state["state"].values()) if legacy else state

    def set_state(self, state):
        """Return to a position obtained from `get_state`.

        Parameters
        ----------
        state : tuple or dict
        """
        if isinstance(state, tuple | list):
            names = self.bit_generator.state["state"]
            if len(state) != 1 + len(names):
                raise ValueError(
                    f"state must have a name and {len(names)} parts, it has {len(state)} entries"
                )
            parts = dict(zip(names, state[1:], strict=True))
            # The parts of the tuple are in the order of the dictionary's keys.
            state = {"bit_generator": state[0], "state": parts}
        self.bit_generator.state = state

    def _real(self, distribution, values, size, dtype=float, out=None, name="this distribution"):
        drawn, wanted = _drawn_as(dtype)
        return _converted(super()._real(distribution, values, size, drawn, out, name), wanted)

    def _fill_uniform(self, low, scale, size, dtype, out, name):
        drawn, wanted = _drawn_as(dtype)
        return _converted(super()._fill_uniform(low, scale, size, drawn, out, name), wanted)

    def _fill_normal(self, mean, deviation, size, dtype, out, name):
        drawn, wanted = _drawn_as(dtype)
        return _converted(super()._fill_normal(mean, deviation, size, drawn, out, name), wanted)

    def random(self, size=None, dtype=float, out=None):
        """Uniform floats in [0, 1); see `numpy.random.random`."""
        return self._fill_uniform(0, 1, size, dtype, out, "random")

    def standard_normal(self, size=None, dtype=float, out=None):
        """Normal variates of mean 0 and standard deviation 1; see `numpy.random.standard_normal`."""
        return self._fill_normal(0, 1, size, dtype, out, "standard_normal")

    def rand(self, *args, dtype=float):
        """Uniform floats in [0, 1) in the shape given by the arguments; see `numpy.random.rand`."""
        return self.random(args if args else None, dtype)

    def randn(self, *args, dtype=float):
        """Standard normal variates in the shape given by the arguments; see `numpy.random.randn`."""
        return self.standard_normal(args if args else None, dtype)

    def random_sample(self, size=None, dtype=float):
        """Uniform floats in [0, 1); see `numpy.random.random_sample`."""
        return self.random(size, dtype)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from ``low`` up to ``high``, excluded; see `numpy.random.randint`."""
        return self._integers(low, high, size, dtype, endpoint=False, name="randint")

    def random_integers(self, low, high=None, size=None):
        """Integers from ``low`` to ``high`` inclusive; from 1 to ``low`` if ``high`` is None."""
        warnings.warn(
            "This function is deprecated. Please call randint(low, high + 1) instead",
            DeprecationWarning,
            stacklevel=2,
        )
        low, high = (1, low) if high is None else (low, high)
        return self._integers(low, high, size, int, endpoint=True, name="random_integers")

    def tomaxint(self, size=None):
        """Integers from 0 to the greatest int64; see `numpy.random.RandomState.tomaxint`."""
        return self.fill_integers(0, 2**63 - 1, size, dtype_code(numpy.dtype(numpy.int64)))

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a one-dimensional array, or integers below ``a``; see `numpy.random.choice`."""
        a = joined(a)
        if numpy.ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return self._choice(a, size, replace, p, 0)

    def permutation(self, x):
        """A permutation of the integers below ``x``, or a copy of an array shuffled along its first axis."""
        return super().permutation(x)

    def shuffle(self, x):
        """Shuffle an array along its first axis, in place."""
        super().shuffle(x)

    def standard_exponential(self, size=None, dtype=float):
        """Exponential variates of mean 1; see `numpy.random.standard_exponential`."""
        return super().standard_exponential(size, dtype)

    def standard_gamma(self, shape, size=None, dtype=float):
        """Gamma variates of scale 1; see `numpy.random.standard_gamma`."""
        return super().standard_gamma(shape, size, dtype)

    def multinomial(self, n, pvals, size=None):
        """Counts of categories in ``n`` trials; see `numpy.random.multinomial`."""
        check_words("multinomial", n=n)
        n, pvals = on_host(n), on_host(pvals)
        if isinstance(n, ndarray):
            n = n.item()
        if type(n) is not float:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        if numpy.ndim(pvals) == 0:
            raise TypeError("pvals must be a 1-d sequence")
        if numpy.ndim(pvals) > 1:
            raise ValueError("object too deep for desired array")
        if pvals.size == 0:
            rows = () if size is None else (size,) if layout.is_integer(size) else tuple(size)
            return layout.empty((*rows, 0), numpy.dtype(numpy.int64), "C", self.device)
        return super().multinomial(n, pvals, size)

    def dirichlet(self, alpha, size=None, dtype=float):
        """Proportions that sum to 1, for positive parameters; see `numpy.random.dirichlet`."""
        alpha = joined(alpha)
        if isinstance(alpha, ndarray):
            # The kernel takes zeros, which only the newer interface allows, but no NaN.
            alpha = numpy.where(alpha > 0, alpha, numpy.nan)
        elif numpy.any(numpy.less_equal(alpha, 0)):
            raise ValueError("alpha <= 0")
        return super().dirichlet(alpha, size).astype(dtype, copy=False)

    def multivariate_normal(
        self, mean, cov, size=None, check_valid="warn", tol=1e-8, method="svd", dtype=float
    ):
        """Correlated normal variates; see `numpy.random.multivariate_normal`.

        Parameters
        ----------
        mean : array_like, shape (k,)
        cov : array_like, shape (k, k)
            The covariance matrix, symmetric and positive semidefinite.
        size : int or tuple of ints, optional
        check_valid : {"warn", "raise", "ignore"}, optional
            What to do if ``cov`` is invalid.
        tol : float, optional
            The tolerance of that check.
        method : {"svd", "eigh", "cholesky"}, optional
            The factorization of ``cov``.
        dtype : data-type, optional
            A dtype to which the values, float64, are converted.

        Returns
        -------
        ndarray
            Of shape ``(*size, k)``.
        """
        values = super().multivariate_normal(mean, cov, size, check_valid, tol, method=method)
        return values.astype(dtype, copy=False)

    def __reduce__(self):
        return _restored, (self.bit_generator, self.fixed_device)

    def __repr__(self):
        return f"RandomState({type(self.bit_generator).__name__}) at {id(self):#X}"


def _restored(bits, device):
    """Unpickle a RandomState."""
    return RandomState(bits, device=device)


def _legacy_bits(seed, bits=Philox4x32):
    """Create a bit generator, of class ``bits``, from a seed of NumPy's older interface."""
    if isinstance(seed, BitGenerator):
        return seed
    require_instance(seed)
    if seed is None or hasattr(seed, "generate_state"):
        return bits(seed)
    seed = to_host(seed)
    try:
        words = [operator.index(seed.squeeze() if isinstance(seed, numpy.ndarray) else seed)]
        seed = words[0]
    except TypeError:
        # NumPy squeezes arrays, and no lists.
        array = seed.squeeze() if isinstance(seed, numpy.ndarray) else numpy.asarray(seed)
        if array.size == 0:
            raise ValueError("Seed must be non-empty") from None
        array = array.astype(numpy.int64, casting="safe")
        if array.ndim != 1:
            raise ValueError("Seed array must be 1-d") from None
        words = seed = array.tolist()
    if not 0 <= min(words) <= max(words) < 2**32:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    return bits(seed)


NAMES = tuple(
    name
    for name in numpy.random.__all__
    if hasattr(RandomState, name) and callable(getattr(RandomState, name))
)
SHARED = RandomState()


def get_random_state():
    """Return the state that the functions of `gpunp.random` draw from.

    Returns
    -------
    RandomState
    """
    return SHARED._twin or SHARED


def set_random_state(rs):
    """Have the functions of `gpunp.random` draw from a state, whose position they advance.

    Parameters
    ----------
    rs : RandomState

    Raises
    ------
    TypeError
        If ``rs`` is no RandomState.
    """
    if not isinstance(rs, RandomState):
        raise TypeError(f"set_random_state: rs must be a gpunp.random.RandomState, not {type(rs).__name__}")
    if SHARED._twin is not None:
        SHARED._twin._twin = None
    # The functions are methods of SHARED, which takes on the generator.
    SHARED._draw_from(rs.bit_generator, rs.fixed_device)
    SHARED._twin = None if rs is SHARED else rs
    if rs is not SHARED:
        rs._twin = SHARED
