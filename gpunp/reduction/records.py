"""The table of reductions: the operation of each, and its typed loops.

Read by the code generator at build time and by the engine at run time: imports nothing that must be built.
"""

from gpunp.dtype_codes import CHARS, NAME_OF

INTEGERS = "bBhHiIqQ"
REALS = "?bBhHiIqQefd"

# The type in which the general kernels fold values of a dtype: the widest of its kind.
_CLASSES = ("u8", "i8", "u8", "i8", "u8", "i8", "u8", "i8", "u8", "f4", "f4", "f8", "c8", "c16")
CLASS_OF = dict(zip(CHARS, _CLASSES, strict=True))
WIDE = ("i8", "u8", "f4", "f8", "c8", "c16")
FLOATING = ("f4", "f8", "c8", "c16")


def narrow(stored):
    """The compute type of a fast kernel that only compares values: the narrowest sufficient one."""
    return {"i1": "i4", "i2": "i4", "u1": "u4", "u2": "u4", "f2": "f4"}.get(stored, stored)


STORED = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
# Only the general kernels compare complex numbers or test their truth.
COMPARED = tuple((s, narrow(s)) for s in STORED[:-2])
FLOATS = (("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("c8", "c8"), ("c16", "c16"))
# Truth does not depend on an integer's sign.
TRUTH = tuple((s, "bool") for s in ("u1", "u2", "u4", "u8", "f2", "f4", "f8"))


class Record:
    """One reduction.

    Attributes
    ----------
    name : str
        The ufunc's name, if the reduction is that of a ufunc.
    combine : str
        C++ expression that combines two accumulators ``a`` and ``b``; associative and commutative up to
        rounding.
    identity : str
        C++ expression of the neutral accumulator, in terms of ``Acc``.
    map : str
        C++ expression of the accumulator of one element ``x`` of type ``C``; empty if a specialized Stream
        folds.
    accumulator : str
        C++ type, in terms of the compute type ``C``.
    kind : str
        How loops are found: "value" (result of the input's kind), "truth" (elements as booleans),
        "place" (the index of an element), "moment" (real or complex input, real result).
    fast : tuple
        Pairs of stored and compute type with kernels for rows and columns.
    general : tuple
        Compute types with a kernel for all layouts and dtypes.
    empty : bool
        Whether an empty reduction has a value.
    initial : bool
        Whether ``initial=`` can be folded in.
    wraps : bool
        Whether integers fold modulo a power of two, so that a narrow result is the low bits of a wide one.
    order : str
        For "place": the C++ comparison type.
    runs : bool
        Whether the fast kernels fold short runs of elements.
    """

    def __init__(self, name, combine, identity, map="x", accumulator="C", kind="value", fast=(), general=WIDE,
                 empty=True, initial=True, wraps=False, order="", runs=False):  # fmt: skip
        self.name = name
        self.combine = combine
        self.identity = identity
        self.map = map
        self.accumulator = accumulator
        self.kind = kind
        self.fast = fast
        self.general = general
        self.empty = empty
        self.initial = initial
        self.wraps = wraps
        self.order = order
        self.runs = runs


ZERO, ONE = "zero<Acc>()", "one<Acc>()"
LOWEST, HIGHEST, NAN = "lowest<Acc>()", "highest<Acc>()", "not_a_number<Acc>()"
COUNTED = {
    "accumulator": "Counted<C>",
    "map": "count_one(x, p)",
    "combine": "join(a, b)",
    "identity": "Acc{}",
}


def _truth(name, operator, identity, fast=TRUTH):
    return Record(name, f"a {operator} b", identity, "(Acc)x", "u4", "truth", fast, ("bool",))


def _place(name, order):
    return Record(
        name,
        f"better<{order}>(a, b)",
        f"Acc{{{order}::worst<C>(), BEST_OF_NOTHING | BEST_INDEX}}",
        "",
        "Best<C>",
        "place",
        COMPARED,
        WIDE,
        empty=False,
        initial=False,
        order=order,
        runs=True,
    )


RECORDS = (
    # Signed and unsigned sums have the same bits; common integer types also add in double, for the mean.
    Record(
        "add",
        "math::add(a, b)",
        ZERO,
        f"kept(x, {ZERO}, p)",
        wraps=True,
        runs=True,
        fast=(*((s, "i8") for s in STORED[:7]), *((s, "f8") for s in ("u1", "i4", "i8")), *FLOATS),
        general=("i8", *FLOATING),
    ),
    Record(
        "multiply",
        "math::multiply(a, b)",
        ONE,
        f"kept(x, {ONE}, p)",
        wraps=True,
        fast=(("i4", "i8"), ("i8", "i8"), *FLOATS),
        general=("i8", *FLOATING),
    ),
    Record("maximum", "math::maximum(a, b)", LOWEST, fast=COMPARED, empty=False, runs=True),
    Record("minimum", "math::minimum(a, b)", HIGHEST, fast=COMPARED, empty=False, runs=True),
    Record("fmax", "math::fmax(a, b)", NAN, fast=FLOATS[:3], general=FLOATING, empty=False),
    Record("fmin", "math::fmin(a, b)", NAN, fast=FLOATS[:3], general=FLOATING, empty=False),
    _truth("logical_and", "&", "1u"),
    _truth("logical_or", "|", "0u"),
    _truth("logical_xor", "^", "0u", ()),
    Record("bitwise_and", "a & b", "(Acc)-1", general=("i8",), wraps=True),
    Record("bitwise_or", "a | b", ZERO, general=("i8",), wraps=True),
    Record("bitwise_xor", "a ^ b", ZERO, general=("i8",), wraps=True),
    Record("gcd", "math::gcd(a, b)", ZERO, general=("i8", "u8")),
    Record("logaddexp", "math::logaddexp(a, b)", LOWEST, general=("f4", "f8")),
    Record("logaddexp2", "math::logaddexp2(a, b)", LOWEST, general=("f4", "f8")),
    Record("hypot", "math::hypot(a, b)", ZERO, general=("f4", "f8")),
    # mean_counted counts the elements that take part, for masks and skipped NaN.
    Record("mean_counted", fast=FLOATS[:3], general=FLOATING, initial=False, runs=True, **COUNTED),
    Record(
        "variance",
        "join(a, b)",
        "Acc{}",
        "",
        "moments_t<C>",
        "moment",
        (*((s, "f8") for s in ("u1", "u2", "i4", "i8", "f2", "f4", "f8")), ("c8", "c16"), ("c16", "c16")),
        ("f8", "c16"),
        initial=False,
        runs=True,
    ),
    Record(
        "sum_squares",
        "a + b",
        ZERO,
        "squared_magnitude(x)",
        "f8",
        "moment",
        (("f2", "f8"), ("f4", "f8"), ("f8", "f8"), ("c8", "c16"), ("c16", "c16")),
        ("f8", "c16"),
        initial=False,
    ),
    Record(
        "sum_absolute",
        "a + b",
        ZERO,
        "math::absolute(x)",
        "f8",
        "moment",
        (("f4", "f8"), ("f8", "f8")),
        ("f8", "c16"),
        initial=False,
    ),
    Record(
        "max_absolute",
        "math::maximum(a, b)",
        ZERO,
        "math::absolute(x)",
        "f8",
        "moment",
        (("f4", "f8"), ("f8", "f8")),
        ("f8", "c16"),
        initial=False,
    ),
    Record(
        "min_absolute",
        "math::minimum(a, b)",
        HIGHEST,
        "math::absolute(x)",
        "f8",
        "moment",
        (),
        ("f8", "c16"),
        empty=False,
        initial=False,
    ),
    Record("count_nonzero", "a + b", ZERO, "(Acc)x", "i8", "truth", TRUTH, ("bool",), initial=False),
    _place("argmax", "Greatest"),
    _place("argmin", "Least"),
)
BY_NAME = {record.name: record for record in RECORDS}

# NumPy's arithmetic on booleans.
_OF_BOOLEANS = {
    "add": "logical_or",
    "multiply": "logical_and",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
}
# Equivalent for dtypes without NaN.
_OF_EXACT = {"fmax": "maximum", "fmin": "minimum"}


def loop_units(stored):
    """The units of fast and of general kernels of a type."""
    return f"reduce_{stored}", f"reduce_general_{stored}"


class Loops:
    """The kernels that fold one input dtype to one result dtype.

    ``fast`` and ``general`` are pairs of unit and symbol (without the variant); ``fast`` may be None.
    ``cast`` is true if the input must first be converted to the result's dtype, ``runs`` if the fast kernels
    fold short runs. The kernels may be those of another record, as for sums of booleans.
    """

    def __init__(self, fast, general, cast, runs):
        self.fast = fast
        self.general = general
        self.cast = cast
        self.runs = runs


def find_loops(name, source, result):
    """The loops of a record for an input and a result dtype, given as characters."""
    if result == "?" and name in _OF_BOOLEANS:
        name = _OF_BOOLEANS[name]
    if result in "?" + INTEGERS:
        name = _OF_EXACT.get(name, name)
    record = BY_NAME[name]
    if record.kind == "truth":
        compute = "bool"
    elif record.kind == "place":
        compute = CLASS_OF[source]
    elif record.kind == "moment":
        compute = "f8" if source in REALS else "c16"
    else:
        compute = CLASS_OF[result]
        if compute == "u8" and "u8" not in record.general:
            compute = "i8"
    if compute not in record.general:
        raise TypeError(f"{name} has no loop for dtype {NAME_OF[result]}")
    cast = record.kind == "value" and _must_cast(record, source, result)
    if cast:
        source = result
    stored = "u1" if source == "?" else NAME_OF[source]
    if record.kind == "truth":
        stored = stored.replace("i", "u")
    fast = None
    for pair in record.fast:
        same = pair[0] == stored or (record.wraps and compute == "i8" and pair[0] == "i8" and stored == "u8")
        if same and _class_of_compute(pair[1]) == compute:
            fast = (loop_units(pair[0])[0], f"{name}_{pair[0]}_{pair[1]}")
    return Loops(fast, (loop_units(compute)[1], f"{name}_{compute}"), cast, record.runs)


def _class_of_compute(compute):
    return {"i4": "i8", "u4": "u8"}.get(compute, compute)


def _must_cast(record, source, result):
    """Whether conversion to the result's dtype changes values in a way that the kernels would not."""
    if source == result:
        return False
    kind, wanted = _kind(source), _kind(result)
    if wanted == "integer":
        return kind != "integer" or not record.wraps
    return kind == "complex" and wanted != "complex"


def _kind(char):
    return "integer" if char in "?" + INTEGERS else "floating" if char in "efd" else "complex"
