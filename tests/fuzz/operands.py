"""Operands of statements: literals with error-prone values, variables, views, axes and keys."""

import numpy as np

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTS, *FLOATS, *COMPLEX]
_SHORT = {np.dtype(name): np.dtype(name).str.lstrip("<|=") for name in DTYPES}
# The dtypes to choose from; common ones are repeated and so chosen more often.
_CHOICE = [
    *DTYPES,
    "bool",
    "int32",
    "int64",
    "int64",
    "uint8",
    "float32",
    "float32",
    *["float64"] * 4,
    "complex128",
]
_LENGTHS = [0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 7]
_SHAPES = [
    (),
    (),
    (1,),
    (2,),
    (3,),
    (4,),
    (5,),
    (7,),
    (3,),
    (4,),
    (0,),
    (2, 3),
    (3, 2),
    (3, 3),
    (2, 2),
    (4, 4),
    (1, 3),
    (3, 1),
    (2, 1),
    (0, 3),
    (3, 0),
    (4, 5),
    (2, 3, 4),
    (2, 2, 2),
    (3, 1, 2),
    (1, 1, 1),
    (2, 0, 3),
    (2, 3, 1, 2),
]


def _special_values():
    values = {"bool": [False, True]}
    for name in INTS:
        info = np.iinfo(name)
        values[name] = [info.min, info.max, info.max - 1, info.min + 1, info.max // 2, 0, 1, 2, 3, 5]
    for name in FLOATS:
        info = np.finfo(name)
        values[name] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            float("inf"),
            float("-inf"),
            float("nan"),
            float(info.max),
            float(-info.max),
            float(info.tiny),
            float(info.smallest_subnormal),
            float(info.eps),
            2.0,
            3.0,
            -7.0,
        ]
    for name, part in zip(COMPLEX, FLOATS[1:], strict=True):
        values[name] = [complex(a, b) for a in values[part] for b in values[part]]
    return values


SPECIAL = _special_values()


def number(value):
    """A number as Python source, in which nan and inf are names."""
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return repr(value)


class Operand:
    """Source text and its value on the host."""

    __slots__ = ("text", "value")

    def __init__(self, text, value):
        self.text, self.value = text, value

    def __str__(self):
        return self.text

    __format__ = object.__format__

    @property
    def shape(self):
        return np.shape(self.value)

    @property
    def ndim(self):
        return np.ndim(self.value)

    @property
    def kind(self):
        return self.value.dtype.kind


class Maker:
    """Makes operands from random numbers and existing variables.

    Parameters
    ----------
    rng : random.Random
    variables : dict
        The variables on the host, by name.
    """

    dtypes = _CHOICE

    def __init__(self, rng, variables):
        self.rng, self.variables = rng, variables
        self.choice, self.random = rng.choice, rng.random
        # Half of the programs use small round numbers, the others also extreme ones.
        self.edgy = rng.random() < 0.5

    def chance(self, probability):
        return self.random() < probability

    def below(self, n):
        return int(self.random() * n)

    # -- literals

    def plain(self, kind):
        value = self.below(12) - (4 if kind in "ifc" else 0)
        if kind == "b":
            return self.chance(0.5)
        if kind == "f":
            return value / 2 if self.chance(0.5) else float(value)
        if kind == "c":
            return complex(value, self.below(7) - 3)
        return value

    def scalar_value(self, dtype):
        if self.edgy and self.chance(0.5):
            return self.choice(SPECIAL[np.dtype(dtype).name])
        return self.plain(np.dtype(dtype).kind)

    def scalar(self, kind=None):
        """A Python number."""
        kind = kind or self.choice("iiiffc" if self.chance(0.3) else "iif")
        if kind == "i" and self.edgy and self.chance(0.2):
            return repr(self.choice([127, 128, 255, 256, -129, 2**31, 2**63 - 1, -(2**63), 2**63, -1]))
        return number(self.scalar_value({"b": "bool", "i": "int8", "f": "float64", "c": "complex128"}[kind]))

    def dtype(self, kinds=None):
        while True:
            name = self.choice(self.dtypes)
            if kinds is None or np.dtype(name).kind in kinds:
                return name

    def shape(self):
        if self.chance(0.85):
            return self.choice(_SHAPES)
        return tuple(self.choice(_LENGTHS) for _ in range(self.below(4)))

    def literal(self, shape=None, dtype=None, kinds=None):
        """A new array."""
        shape = self.shape() if shape is None else shape
        dtype = np.dtype(dtype or self.dtype(kinds))
        size = 1
        for n in shape:
            size *= n
        if size > 300:
            return self.literal((3,), dtype)
        values = [self.scalar_value(dtype) for _ in range(size)]
        text = f"A([{', '.join(map(number, values))}], {_SHORT[dtype]!r}, {tuple(shape)!r})"
        return Operand(text, np.array(values, dtype).reshape(shape))

    def long_literal(self):
        """A vector longer than one warp."""
        n = self.choice([33, 70, 257, 300])
        factor, modulus = self.choice([1, 7, -3, 37]), self.choice([5, 17, 64])
        return f"(A(range({n}), 'i8', ({n},)) * {factor} % {modulus}).astype({self.dtype()!r})"

    # -- variables

    def names(self, test=None):
        return [
            name
            for name, value in self.variables.items()
            if isinstance(value, np.ndarray | np.generic) and (test is None or test(value))
        ]

    def array(self, test=None, kinds=None, view=0.25, ndim=None):
        """An array: a variable, a view of one, or a literal."""
        if kinds is not None:
            before = test
            test = lambda v: v.dtype.kind in kinds and (before is None or before(v))  # noqa: E731
        if ndim is not None:
            other = test
            test = lambda v: v.ndim == ndim and (other is None or other(v))  # noqa: E731
        names = self.names(test) if self.chance(0.9) else []
        if names:
            name = self.choice(names)
            value = self.variables[name]
            if not self.chance(view):
                return Operand(name, value)
            made = self.view(name, value)
            if test is None or test(made.value):
                return made
            return Operand(name, value)
        for _ in range(4):
            shape = None if ndim is None else tuple(1 + self.below(4) for _ in range(ndim))
            made = self.literal(shape, kinds=kinds)
            if test is None or test(made.value):
                return made
        return made

    def view(self, name, value):
        """A view of a variable, or a copy if no view is possible."""
        text = name + self.choice(self.forms(value))
        try:
            return Operand(text, eval(text, {"np": np}, {name: value}))
        except Exception:
            return Operand(name, value)

    def forms(self, value):
        """What may follow the name of a variable, to make a view of it."""
        forms = ["[...]", ".T", "[None]", "[..., None]", ".real"]
        if value.ndim and isinstance(value, np.ndarray):
            forms += [
                "[::-1]",
                "[::2]",
                "[1:]",
                "[..., ::-1]",
                "[:-1]",
                "[0]",
                "[..., 0]",
                "[..., 1:]",
                "[-1]",
                ".ravel()",
            ] * 2
        return forms

    def with_shape(self, shape, kinds=None, dtype=None):
        """An array of a given shape: a variable if there is one, else a literal."""
        names = self.names(
            lambda v: (
                v.shape == shape
                and (kinds is None or v.dtype.kind in kinds)
                and (dtype is None or v.dtype == dtype)
            )
        )
        if names and self.chance(0.7):
            name = self.choice(names)
            return Operand(name, self.variables[name])
        return self.literal(shape, dtype, kinds)

    def partner(self, shape, kinds=None):
        """A second operand for an array of a given shape: one that broadcasts with it, or a number."""
        how = self.random()
        if how < 0.2:
            return Operand(
                self.scalar(self.choice(kinds) if kinds and set(kinds) <= set("bifc") else None), None
            )
        if how < 0.25:
            return self.array(kinds=kinds)
        if how < 0.6:
            return self.with_shape(shape, kinds)
        return self.with_shape(self.broadcastable(shape), kinds)

    def broadcastable(self, shape):
        """A shape that broadcasts to another."""
        made = tuple(1 if self.chance(0.3) else n for n in shape)
        return made[self.below(len(made) + 1) :] if self.chance(0.5) else made

    def target(self, shape=None, writeable=True):
        """The name of an array that can be written to, or None."""
        names = self.names(
            lambda v: (
                isinstance(v, np.ndarray)
                and v.flags.writeable
                and (shape is None or v.shape == shape)
                # Elements of broadcast arrays share memory, so the order of writes would matter.
                and (0 not in v.strides or v.size < 2)
            )
        )
        return self.choice(names) if names else None

    # -- arguments

    def axis(self, ndim):
        if ndim == 0 or self.chance(0.02):
            return self.choice(["0", "-1", "1", "5"])
        return repr(self.below(2 * ndim) - ndim)

    def axes(self, ndim):
        """One axis, several axes, or None."""
        how = self.random()
        if how < 0.3 or ndim == 0:
            return "None" if self.chance(0.8) else "()"
        if how < 0.75 or ndim == 1:
            return self.axis(ndim)
        chosen = self.rng.sample(range(ndim), 2)
        return repr(tuple(a - ndim if self.chance(0.3) else a for a in chosen))

    def mask(self, shape):
        return self.with_shape(shape, dtype=np.dtype(bool))

    def slice(self, n):
        ends, steps = ["", "", "0", "1", "2", "-1", "-2", str(n)], ["", "", "1", "2", "-1", "-1", "-2", "3"]
        return f"{self.choice(ends)}:{self.choice(ends)}:{self.choice(steps)}"

    def index(self, n):
        """An integer index, rarely out of bounds."""
        if n == 0 or self.chance(0.01):
            return str(n)
        return str(self.below(2 * n) - n)

    def basic_key(self, shape):
        parts, left = [], list(shape)
        while left and self.chance(0.8):
            n = left.pop(0)
            parts.append(self.index(n) if self.chance(0.35) else self.slice(n))
        if self.chance(0.15):
            parts.insert(self.below(len(parts) + 1), "None")
        if self.chance(0.15):
            parts.append("...")
        return ", ".join(parts) or "..."

    def indices(self, n, shape=None, repeated=True, lists=True):
        """An array or a list of indices below ``n``."""
        shape = shape if shape is not None else self.choice([(1,), (2,), (3,), (2, 2), (0,), (4,), ()])
        size = int(np.prod(shape, dtype=int))
        if n == 0 and size and not self.chance(0.1):
            shape, size = (0,), 0
        values = [int(self.index(n)) if n else 0 for _ in range(size)]
        if not repeated:
            values = list(dict.fromkeys(v % n if n else v for v in values))
            shape = (len(values),)
        if lists and len(shape) == 1 and size and self.chance(0.3):
            return repr(values)
        kind = self.choice(["i8", "i8", "i4", "i2", "i1"])
        if shape and min(values, default=0) >= 0 and self.chance(0.2):
            kind = self.choice(["u1", "u8", "u4"])
        return f"A({values!r}, {kind!r}, {shape!r})"

    def advanced_key(self, shape):
        if not shape:
            return self.choice(["...", "True", "None, True", "A([True], '?', ())", "()"])
        how = self.random()
        if how < 0.25:
            return self.mask(shape[: 1 + self.below(len(shape))]).text
        parts = [self.indices(shape[0])]
        common = self.choice([(2,), (3,), (1,)])
        for n in shape[1:]:
            if self.chance(0.4):
                break
            parts.append(self.choice([self.slice(n), self.index(n), self.indices(n, common), ":"]))
        if self.chance(0.3):
            parts[0] = self.slice(shape[0])
        if self.chance(0.1):
            parts.insert(self.below(len(parts) + 1), "None")
        return ", ".join(parts)

    def key(self, shape):
        return self.basic_key(shape) if self.chance(0.55) else self.advanced_key(shape)
