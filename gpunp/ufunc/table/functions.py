"""C++ of the typed loops: the function of a loop, for precompiled kernels and for those compiled at run time.

Both have the same text, so that both have the same results.
"""

import functools

from gpunp.dtype_codes import NAME_OF

from . import ROWS, STANDARD_ROWS

# A function of the compute types T, B, C and R that a struct around it names.
COMPUTE = """    static GPUNP_HD{inlining} R compute(T a, B b, C c, uint32_t* status) {{
        return (R)({expression});
    }}
"""

# Long functions are called, not inlined for each element of a vector: this gives a tenth of the code, and the
# kernels remain limited by memory. The short ones among them, in float, are worth inlining.
CALLED_FAMILIES = {
    "exponential": "efdFD",
    "trigonometric": "efdFD",
    "hyperbolic": "efdFD",
    "arithmetic": "FD",
}
CALLED = frozenset(
    [
        "power",
        "float_power",
        "floor_divide",
        "remainder",
        "fmod",
        "divmod",
        "gcd",
        "lcm",
        "nextafter",
        "spacing",
        "modf",
        "frexp",
    ]
)
INLINED = frozenset(
    ["add", "subtract", "multiply", "negative", "positive", "conjugate", "sqrt", "exp", "log"]
)


def inlining(row, loop):
    """Return the end of the qualifier of a loop's function, which says whether it is called."""
    long = loop.inputs[0] in CALLED_FAMILIES.get(row.family, "") or row.name in CALLED
    short = row.name in INLINED and loop.inputs[0] not in ("FD" if row.family != "arithmetic" else "")
    return "_CALLED" if long and not short else ""


def compute(row, loop):
    """Return the C++ function of a loop with one output."""
    return COMPUTE.format(expression=loop.expression, inlining=inlining(row, loop))


def c_type(char):
    """Return the C++ type of stored elements."""
    return "bool_" if char == "?" else NAME_OF[char]


def compute_type(char, loop):
    """Return the C++ type in which a loop computes elements of a dtype."""
    return "float" if char == "e" and not loop.stored_half else c_type(char)


def typed_loops():
    """Return pairs of a row and a loop, one for each kernel of the table."""
    loops = [(row, loop) for row in ROWS for loop in row.loops]
    return loops + [(row, loop) for row in STANDARD_ROWS for loop in row.loops if loop.standard]


@functools.cache
def _rows_by_name():
    found = {}
    for row in (*ROWS, *STANDARD_ROWS):
        found.setdefault(row.name, []).append(row)
    return found


@functools.cache
def loop_of_kernel(unit, symbol):
    """Return the row and the loop of a kernel.

    Looks at the rows of one name only: all others take a millisecond.
    """
    name = symbol.rpartition("_")[0].removeprefix("standard_")
    for row in _rows_by_name()[name]:
        for loop in row.loops:
            if row.symbol(loop) == symbol and row.unit(loop) == unit:
                return row, loop
    raise KeyError(f"the table has no kernel {symbol} in unit {unit}")
