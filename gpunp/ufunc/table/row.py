"""The rows of the op table, read at build time by the code generator and at run time by the engine.

This package imports nothing that must be built, as the code generator loads it before the build.
"""

from gpunp.dtype_codes import NAME_OF

BOOL = "?"
SIGNED = "bhiq"
UNSIGNED = "BHIQ"
INTEGERS = "bBhHiIqQ"
FLOATS = "efd"
COMPLEX = "FD"

# Dtypes whose kernels share a unit: the compiler spends 0.8 s on headers per unit.
_SHARED = {
    **dict.fromkeys(("bool", "i1", "u1", "i2", "u2"), "narrow"),
    **dict.fromkeys(("i4", "u4", "i8", "u8"), "wide"),
    **dict.fromkeys(("c8", "c16"), "complex"),
}
# The same for families with many or long kernels.
_SHARED_BY_MANY = {f"{kind}{size}": f"int{8 * size}" for size in (1, 2, 4, 8) for kind in "iu"}
_MANY = ("arithmetic", "cast", "comparison")
# Families of long functions, limited by arithmetic. One unit has the loops of all dtypes, which call the same
# functions in double. Its kernels compute one element per thread: a second one for vectors would not be
# faster. The functions are in a header of the family's name, which no other unit includes.
LONG = frozenset(
    f"special_{topic}"
    for topic in (
        "airy",
        "combinatorial",
        "cylinder",
        "cylinder_integral",
        "distribution",
        "elliptic",
        "faddeeva",
        "gauss",
        "hypergeometric",
        "integral",
        "kolmogorov",
        "lambert",
        "landau",
        "legendre",
        "noncentral",
        "noncentral_moments",
        "noncentral_t",
        "orthogonal",
        "parabolic",
        "parameter",
        "quantile",
        "spherical",
        "spheroidal",
        "statistics",
        "struve",
        "wright",
    )
)


# The rows in "internal" that ufuncs run instead where `suits_scalars`, by namespace and name.
BY_SCALARS = {
    ("numpy", "power"): "power_by_scalar",
    ("numpy", "clip"): "clip_by_scalars",
    ("scipy.special", "jv"): "jv_of_low_order",
    ("scipy.special", "yv"): "yv_of_low_order",
}


def unit_of(family, name):
    """Return the unit of a family's kernels for the dtype name of their first operand."""
    if family in LONG:
        return family
    return f"{family}_{(_SHARED_BY_MANY if family in _MANY else _SHARED).get(name, name)}"


# Ops with a tiled kernel for operands that are contiguous along different axes; other ops copy them first.
TILED = frozenset({"add", "subtract", "multiply", "divide", "maximum", "minimum", "copy"})


class Loop:
    """One typed inner loop.

    Attributes
    ----------
    inputs, outputs : str
        dtype characters, one per operand.
    expression : str
        C++ in ``a``, ``b``, ``c`` (the inputs). With one output an expression, converted to the
        output's type; with two, statements that assign ``x`` and ``y``. ``T`` names the type of ``a``
        and ``R`` that of the first output, but not in the families `LONG`, whose loops may have
        up to five inputs (``d``, ``e``) and four outputs (``z``, ``w``). Halves are converted to
        float, and the result is rounded to half.
    stored_half : bool
        Halves are passed as ``gpunp::half`` (their bits), for functions of the representation.
    standard : bool
        The loop follows the array API standard; NumPy's loop for the same dtypes differs.
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
        """The symbol of the kernels without the suffix of the variant."""
        return f"{'standard_' if loop.standard else ''}{self.name}_{loop.suffix}"


def same(chars, expression, nin=2, nout=1, **options):
    """Return one loop per dtype in ``chars``, which all its operands have."""
    return tuple(Loop(c * nin, c * nout, expression, **options) for c in chars)


def predicate(chars, expression, nin=2, **options):
    """Return one loop per input dtype in ``chars``, with a bool result."""
    return tuple(Loop(c * nin, "?", expression, **options) for c in chars)
