"""Operands of chains: arrays of few shapes, which meet often, and expressions with temporaries."""

import numpy as np
from operands import DTYPES, Maker, Operand

_FLOATS = ["float32"] * 9 + ["float64"] * 7 + ["float16"] * 3 + ["complex64", "complex128"]
_SHAPES = [
    (5,),
    (7,),
    (33,),
    (64,),
    (300,),
    (3, 4),
    (4, 4),
    (5, 7),
    (16, 16),
    (1, 9),
    (2, 3, 4),
    (3, 1, 5),
    (6, 5, 4),
]
BINARY = [
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "{} / {}",
    "np.maximum({}, {})",
    "np.minimum({}, {})",
    "np.fmax({}, {})",
]
UNARY = [
    "-{}",
    "{} ** 2",
    "np.absolute({})",
    "np.sqrt({})",
    "np.square({})",
    "np.tanh({})",
    "np.exp({})",
    "np.sign({})",
    "np.conjugate({})",
    "np.positive({})",
    "np.cos({})",
    "np.isnan({})",
    "np.reciprocal({})",
]
COMPARISONS = ["{} < {}", "{} <= {}", "{} > {}", "{} >= {}", "{} == {}", "{} != {}"]


class ChainMaker(Maker):
    """A `Maker` whose arrays are longer, mostly floats, and fit each other."""

    dtypes = (*DTYPES, *_FLOATS)

    def __init__(self, rng, variables):
        super().__init__(rng, variables)
        # In some programs, memory runs out.
        self.faults = self.chance(0.1)
        self.base = self.choice(_SHAPES)
        # Some programs have one dtype only, as most real programs do.
        self.favourite = self.choice(_FLOATS) if self.chance(0.4) else None

    def names(self, test=None):
        # Exported memory is a host array, for statements of its own.
        return [name for name in super().names(test) if not name.startswith("n")]

    def dtype(self, kinds=None):
        if self.favourite and kinds is None and self.chance(0.9):
            return self.favourite
        return super().dtype(kinds)

    def shape(self):
        how = self.random()
        if how < 0.75:
            return self.base
        if how < 0.95:
            return self.broadcastable(self.base)
        return super().shape()

    def literal(self, shape=None, dtype=None, kinds=None):
        shape = self.shape() if shape is None else shape
        dtype = np.dtype(dtype or self.dtype(kinds))
        size = 1
        for n in shape:
            size *= n
        if size > 300:
            return self.literal((3,), dtype)
        start, edgy, code = self.below(700), int(self.edgy), dtype.str[1:]
        how = self.random()
        text = f"F({start}, {code!r}, {shape[::-1]!r}, {edgy}).T"
        if how < 0.85 or not shape:
            text = f"F({start}, {code!r}, {shape!r}, {edgy})"
        elif how > 0.93 and size <= 150:
            text = f"F({start}, {code!r}, {(2 * shape[0], *shape[1:])!r}, {edgy})[::{self.choice([2, -2])}]"
        return Operand(text, eval(text, {"F": self.elements}))

    def forms(self, value):
        forms = super().forms(value)
        if value.ndim and isinstance(value, np.ndarray):
            forms += [
                "[::-2]",
                "[1:-1]",
                "[-2::-1]",
                ".reshape(-1)",
                "[:, None]",
                "[:1]",
                f".reshape({value.shape[::-1]!r})",
                f"[{self.basic_key(value.shape)}]",
            ]
            if value.ndim > 1:
                forms += [".diagonal()", ".swapaxes(0, 1)", "[:, ::-1]", "[:, 1:]", "[:, :-1]", ".T[::-1]"]
            if value.dtype.itemsize in (4, 8) and value.dtype.kind in "fiu":
                forms.append(f".view('{self.choice('iu')}{value.dtype.itemsize}')")
        return forms

    # -- expressions

    def leaf(self, shape):
        """An operand of an expression of a shape."""
        how = self.random()
        if how < 0.6:
            return self.with_shape(shape).text
        if how < 0.75:
            return self.with_shape(self.broadcastable(shape)).text
        if how < 0.8:
            return f"np.{self.choice(['float32', 'float64', 'int32'])}({self.below(7) - 2})"
        if how < 0.88:
            return self.scalar("f")
        if how < 0.92:
            return self.scalar("i")
        made = self.array(lambda value: value.shape == shape, view=0.6)
        return made.text if made.value.shape == shape else self.with_shape(shape).text

    def expression(self, shape, depth=None):
        """The text of an expression with temporaries."""
        depth = 1 + self.below(4) if depth is None else depth
        if depth <= 0:
            return self.leaf(shape)
        how = self.random()
        first = self.expression(shape, depth - 1) if how < 0.97 else self.with_shape(shape).text
        if how < 0.3:
            return self.choice(UNARY).format(f"({first})")
        other = self.expression(shape, depth - 1 - self.below(3))
        if how < 0.75:
            return self.choice(BINARY).format(
                *((f"({first})", f"({other})") if self.chance(0.5) else (f"({other})", f"({first})"))
            )
        if how < 0.8:
            return self.choice(COMPARISONS).format(f"({first})", f"({other})")
        if how < 0.86:
            return f"np.where({self.condition(shape)}, {first}, {other})"
        if how < 0.9:
            return f"np.clip({first}, {self.below(3) - 2}, {self.below(5) + 1})"
        if how < 0.94:
            return f"({first}).astype({self.dtype()!r})"
        # The elements that where= leaves out are not specified.
        mask = self.condition(shape)
        name = self.choice(["add", "multiply", "maximum"])
        return f"np.where({mask}, np.{name}({first}, {other}, where={mask}), 0)"

    def condition(self, shape):
        """A mask that is an array or the result of a comparison."""
        if self.chance(0.4):
            return self.mask(shape).text
        return self.choice(COMPARISONS).format(self.with_shape(shape), self.leaf(shape))

    def target_view(self, target):
        """A view of a variable to write to, which shares its memory."""
        value = self.variables[target]
        for _ in range(4):
            made = self.view(target, value)
            if isinstance(made.value, np.ndarray) and made.value.size and np.shares_memory(made.value, value):
                flags = made.value.flags
                if flags.writeable and (0 not in made.value.strides):
                    return made
        return Operand(f"{target}[...]", value)

    def similar(self, target, shape):
        """A view of the same variable with the same shape, which overlaps with others."""
        value = self.variables[target]
        for _ in range(6):
            made = self.view(target, value)
            if np.shape(made.value) == shape:
                return made
        return self.with_shape(shape)
