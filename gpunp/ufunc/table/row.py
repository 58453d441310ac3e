"""What one row of the op table says; read at build time by the code generator and at run time by the engine.

This package imports nothing that must be built: the code generator loads it before that.
"""

from gpunp.dtype_codes import NAME_OF

BOOL = "?"
SIGNED = "bhiq"
UNSIGNED = "BHIQ"
INTEGERS = "bBhHiIqQ"
FLOATS = "efd"
COMPLEX = "FD"

# Dtypes whose kernels share a unit: the compiler reads headers for 0.8 s before a unit's first kernel.
_SHARED = {
    **dict.fromkeys(("bool", "i1", "u1", "i2", "u2"), "narrow"),
    **dict.fromkeys(("i4", "u4", "i8", "u8"), "wide"),
    **dict.fromkeys(("c8", "c16"), "complex"),
}
# The same of families with many kernels or long ones.
_SHARED_BY_MANY = {f"{kind}{size}": f"int{8 * size}" for size in (1, 2, 4, 8) for kind in "iu"}
_MANY = ("arithmetic", "cast", "comparison")


def unit_of(family, name):
    """The unit of a family's kernels whose first operand has the dtype of that name."""
    return f"{family}_{(_SHARED_BY_MANY if family in _MANY else _SHARED).get(name, name)}"


# Ops with a tiled kernel, for operands contiguous along different axes; the others copy first.
TILED = frozenset({"add", "subtract", "multiply", "divide", "maximum", "minimum", "copy"})


class Loop:
    """One typed inner loop.

    Attributes
    ----------
    inputs, outputs : str
        dtype characters, one an operand.
    expression : str
        C++ in ``a``, ``b``, ``c`` (the inputs). With one output an expression, converted to the
        output's type; with two, statements that assign ``x`` and ``y``. ``T`` names the type of ``a``
        and ``R`` that of the first output. Halves arrive as float and leave rounded to half.
    stored_half : bool
        Halves arrive as ``gpunp::half`` (their bits), for functions of the representation.
    standard : bool
        The loop is the array API standard's, beside one of NumPy's for the same dtypes.
    """

    def __init__(self, inputs, outputs, expression, stored_half=False, standard=False):
        self.inputs = inputs
        self.outputs = outputs
        self.expression = expression
        self.stored_half = stored_half
        self.standard = standard

    @property
    def suffix(self):
        """The part of a kernel's symbol that names the input types."""
        return "".join(NAME_OF[c] for c in self.inputs)


class Row:
    """One ufunc: its loops, the family whose unit holds its kernels, and its identity.

    ``name`` is the attribute of ``namespace``, a module of NumPy or SciPy, or "array_api" for
    a function of gpunp's own namespace alone.
    """

    def __init__(self, name, family, loops, identity=None, namespace="numpy"):
        self.name = name
        self.family = family
        self.loops = loops
        self.identity = identity
        self.namespace = namespace

    @property
    def nin(self):
        return len(self.loops[0].inputs)

    @property
    def nout(self):
        return len(self.loops[0].outputs)

    @property
    def tiled(self):
        return self.name in TILED

    def unit(self, loop):
        """The fatbin unit that holds a loop's kernels."""
        return unit_of(self.family, NAME_OF[loop.inputs[0]])

    def symbol(self, loop):
        """The kernels' symbol without the variant."""
        return f"{'standard_' if loop.standard else ''}{self.name}_{loop.suffix}"


def same(chars, expression, nin=2, nout=1, **options):
    """Loops whose operands all have one dtype, one for each of ``chars``."""
    return tuple(Loop(c * nin, c * nout, expression, **options) for c in chars)


def predicate(chars, expression, nin=2, **options):
    """Loops of one input dtype that return bool."""
    return tuple(Loop(c * nin, "?", expression, **options) for c in chars)
