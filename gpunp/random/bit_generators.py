"""Bit generators: Philox4x32, XORWOW and MRG32k3a, seeded with NumPy's SeedSequence."""

import numpy
from numpy.random import SeedSequence

from gpunp.array.convert import asarray
from gpunp.dispatch.function_protocol import to_host
from gpunp.random.streams import BitStream

_WORD = 2**32


class BitGenerator(BitStream):
    """The state of a stream of random bits; base class of the bit generators.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence
        What `numpy.random.SeedSequence` takes; None seeds from the operating system.

    Attributes
    ----------
    seed_seq : numpy.random.SeedSequence
        What the generator was seeded with.
    """

    __module__ = "gpunp.random"

    def __init__(self, seed=None):
        if not hasattr(seed, "generate_state"):
            seed = to_host(seed)
            seed = SeedSequence(seed.item() if isinstance(seed, numpy.ndarray) and seed.ndim == 0 else seed)
        self.seed_seq = seed
        self._seed(seed)

    def spawn(self, n_children):
        """Create bit generators whose streams are independent of this one's.

        Parameters
        ----------
        n_children : int

        Returns
        -------
        list of BitGenerator
        """
        if not hasattr(self.seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed=child) for child in self.seed_seq.spawn(n_children)]

    @property
    def _seed_seq(self):
        # dask reads the seed sequence under this name.
        return self.seed_seq

    def _seed(self, seed):
        raise NotImplementedError("BitGenerator is a base class; use Philox4x32, XORWOW or MRG32k3a")

    @property
    def state(self):
        """The position in the stream as a dictionary; assignable."""
        return {"bit_generator": type(self).__name__, "state": self._describe()}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        name = value.get("bit_generator")
        if name != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} RNG, it is for {name}")
        self._restore(value["state"])

    def jumped(self, jumps=1):
        """Return a bit generator far ahead in the same sequence, for parallel streams.

        Parameters
        ----------
        jumps : int, optional
            The number of jumps; each generator's docstring states how far one goes.

        Returns
        -------
        BitGenerator
        """
        if jumps < 0:
            raise ValueError(f"jumps must not be negative, got {jumps}")
        other = _without_seed(type(self), self.state, self.seed_seq)
        other._jump(jumps)
        return other

    def advance(self, delta):
        """Advance by a number of blocks of 128 bits.

        Parameters
        ----------
        delta : int
            The number of blocks; negative to go back.

        Returns
        -------
        BitGenerator
            Itself.
        """
        self.go_on(delta)
        return self

    _RECURRENCE = None

    def __reduce__(self):
        return _without_seed, (type(self), self.state, self.seed_seq)

    def __repr__(self):
        return f"<gpunp.random.{type(self).__name__} at {id(self):#x}>"


def require_instance(bit_generator):
    """Raise ValueError for a bit generator class passed in place of an instance."""
    if isinstance(bit_generator, type) and issubclass(bit_generator, BitGenerator):
        raise ValueError("Invalid bit generator. The bit generator must be instantiated.")


def _without_seed(kind, state, seed_seq):
    """Create a bit generator in a given state."""
    made = kind.__new__(kind)
    made.seed_seq = seed_seq
    made.state = state
    return made


def _words(values, count, name):
    """Convert to exactly ``count`` Python integers of 32 bits, or raise ValueError."""
    words = [int(x) for x in numpy.asarray(values).reshape(-1)]
    if len(words) != count or not all(0 <= x < _WORD for x in words):
        raise ValueError(f"{name} must be {count} integers of 32 bits, not {values!r}")
    return words


class Philox4x32(BitGenerator):
    """Philox4x32-10: bits as a function of a counter and a key, the default.

    A block of 128 bits is the encryption of a counter of 128 bits under a key of 64 bits. Generators with
    different keys are independent streams. A jump is 2**96 blocks.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence
        What the key is made from.
    counter : int or array_like, optional
        Where to start: an integer of 128 bits, or four words, the lowest first.
    key : int or array_like, optional
        An integer of 64 bits or two words, the lowest first; excludes a seed.

    References
    ----------
    J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
    """

    __module__ = "gpunp.random"

    def __init__(self, seed=None, counter=None, key=None):
        if key is not None and seed is not None:
            raise ValueError("seed and key cannot be both used")
        if key is None:
            super().__init__(seed)
        else:
            self.seed_seq = None
            self.restore(_split(key, 2, "key"), 0)
        if counter is not None:
            self._restore({"key": self.contents()[0][:2], "counter": _split(counter, 4, "counter")})

    def _seed(self, seed):
        self.restore(seed.generate_state(2, numpy.uint32), 0)

    def _describe(self):
        state, position, upper = self.contents()
        counter = [position % _WORD, position // _WORD, *upper]
        return {"counter": numpy.array(counter, "u4"), "key": numpy.array(state[:2], "u4")}

    def _restore(self, state):
        counter = _words(state["counter"], 4, "counter")
        self.restore(_words(state["key"], 2, "key"), counter[0] + _WORD * counter[1], counter[2:])

    def _jump(self, jumps):
        self.go_on(jumps << 96, counter=True)

    def advance(self, delta):
        """Advance by a number of blocks of 128 bits.

        Parameters
        ----------
        delta : int
            What to add to the 128-bit counter; negative to go back.

        Returns
        -------
        Philox4x32
            Itself.
        """
        self.go_on(delta, counter=True)
        return self


def _split(value, count, name):
    """Split an integer into 32-bit words, the lowest first; words are checked and returned."""
    if isinstance(value, int | numpy.integer):
        if not 0 <= value < _WORD**count:
            raise ValueError(f"{name} must be positive and less than 2**{32 * count}.")
        return [int(value) >> (32 * i) & (_WORD - 1) for i in range(count)]
    return _words(value, count, name)


class _Recurrence(BitGenerator):
    """A generator defined by a recurrence; each draw jumps ahead to its first state."""

    def jump_table(self, device):
        """The powers 2^0, 2^1, ... of the transition matrix on a device, as the kernels read them."""
        tables = type(self)._TABLES
        if device not in tables:
            table = asarray(self._powers(), device=device)
            # Other host threads read the table on their own streams, which do not wait for this upload.
            device.synchronize()
            tables[device] = table
        return tables[device]

    def _describe(self):
        state, position, _ = self.contents()
        return {"key": numpy.array(state, "u4"), "position": position}

    def _restore(self, state):
        position = int(state["position"])
        if not 0 <= position < 2**64:
            raise ValueError(f"position must be an integer of 64 bits, not {position}")
        self.restore(self._checked(_words(state["key"], 6, "key")), position, (0, 0), self._RECURRENCE)


class XORWOW(_Recurrence):
    """XORWOW: a shift register of 160 bits plus a counter, of period 2**192 - 2**32.

    A jump is 2**98 words of 32 bits.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence

    References
    ----------
    G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
    """

    __module__ = "gpunp.random"

    _RECURRENCE = "xorwow"
    _TABLES = {}

    def _seed(self, seed):
        words = [int(x) for x in seed.generate_state(6, numpy.uint32)]
        if not any(words[:5]):
            words[0] = 1
        self.restore(words, 0, (0, 0), self._RECURRENCE)

    def _checked(self, words):
        if not any(words[:5]):
            raise ValueError("the first five words of an XORWOW key must not be all zero")
        return words

    @staticmethod
    def _transition():
        """One step as a bit matrix: column i is the 160-bit image of a state with only bit i set."""
        columns = []
        for bit in range(160):
            x = [1 << bit >> 32 * word & (_WORD - 1) for word in range(5)]
            t = x[0] ^ (x[0] >> 2)
            columns.append(_join([*x[1:], (x[4] ^ (x[4] << 4) ^ t ^ (t << 1)) % _WORD]))
        return columns

    def _powers(self):
        powers, columns = [], self._transition()
        for _ in range(66):
            powers.append([_split(column, 5, "column") for column in columns])
            columns = _squared(columns)
        return numpy.array(powers, "u4")

    def _jump(self, jumps):
        columns = self._transition()
        for _ in range(98):
            columns = _squared(columns)
        state, position, _ = self.contents()
        vector = _join(state[:5])
        while jumps:
            if jumps & 1:
                vector = _apply(_byte_tables(columns), vector)
            columns, jumps = _squared(columns), jumps >> 1
        # The counter is unchanged: 2**98 steps are a multiple of its period.
        self.restore([*_split(vector, 5, "state"), state[5]], position, (0, 0), self._RECURRENCE)


def _join(words):
    """Join 32-bit words, the lowest first, into one integer."""
    return sum(word << 32 * i for i, word in enumerate(words))


def _byte_tables(columns):
    """For each byte of a bit vector, the products of the matrix with its 256 values."""
    tables = []
    for first in range(0, len(columns), 8):
        table = [0]
        for column in columns[first : first + 8]:
            table += [x ^ column for x in table]
        tables.append(table)
    return tables


def _apply(tables, vector):
    """The product of a bit matrix, given as byte tables, and a bit vector."""
    result = 0
    for table, byte in zip(tables, vector.to_bytes(len(tables), "little"), strict=True):
        result ^= table[byte]
    return result


def _squared(columns):
    """The square of a bit matrix."""
    tables = _byte_tables(columns)
    return [_apply(tables, column) for column in columns]


class MRG32k3a(_Recurrence):
    """MRG32k3a: two combined multiple recursive generators, of period 2**191.

    Words are less than 4294967087: the 209 greatest 32-bit values do not occur. A jump is 2**127 words, the
    distance between the streams of L'Ecuyer's RngStreams.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence

    References
    ----------
    P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
    generators", Operations Research 47(1), 1999.
    """

    __module__ = "gpunp.random"

    _RECURRENCE = "mrg32k3a"
    _TABLES = {}
    _MODULI = (4294967087, 4294944443)
    _STEPS = (((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0)), ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612)))

    def _seed(self, seed):
        words = [int(x) % self._MODULI[i // 3] for i, x in enumerate(seed.generate_state(6, numpy.uint32))]
        for part in (0, 3):
            if not any(words[part : part + 3]):
                words[part] = 1
        self.restore(words, 0, (0, 0), self._RECURRENCE)

    def _checked(self, words):
        for part, modulus in zip((0, 3), self._MODULI, strict=True):
            three = words[part : part + 3]
            if not any(three) or max(three) >= modulus:
                raise ValueError(f"three words of an MRG32k3a key must be below {modulus} and not all zero")
        return words

    @classmethod
    def _matrices(cls):
        return [
            numpy.array(step, object) % modulus for step, modulus in zip(cls._STEPS, cls._MODULI, strict=True)
        ]

    def _powers(self):
        table = numpy.empty((66, 2, 3, 3), "u4")
        matrices = self._matrices()
        for power in range(66):
            table[power] = numpy.array(matrices, object).astype("u8")
            matrices = [(m @ m) % modulus for m, modulus in zip(matrices, self._MODULI, strict=True)]
        return table

    def _jump(self, jumps):
        state, position, _ = self.contents()
        words = []
        for part, matrix, modulus in zip((0, 3), self._matrices(), self._MODULI, strict=True):
            vector, steps = numpy.array(state[part : part + 3], object), jumps << 127
            while steps:
                if steps & 1:
                    vector = (matrix @ vector) % modulus
                matrix, steps = (matrix @ matrix) % modulus, steps >> 1
            words += [int(x) for x in vector]
        self.restore(words, position, (0, 0), self._RECURRENCE)
