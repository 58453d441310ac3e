"""The kernels of the ufunc methods: read by the code generator at build time and by the engine at run time.

Imports only the standard library.
"""

from gpunp.ufunc.table.row import LONG

# Compute type of each loop type: narrower integers and halves are rounded to their type after each step.
UNIT_CHAR = {
    "?": "?", "b": "i", "h": "i", "i": "i", "B": "I", "H": "I", "I": "I", "q": "q", "Q": "Q",
    "e": "f", "f": "f", "d": "d", "F": "F", "D": "D",
}  # fmt: skip
UNITS = "?iIqQfdFD"

# Integer operations that atomics may apply in any order; numbered as the cases in fold_targets.h.
ATOMIC_OPS = ("add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")

# Operations whose operands may be combined in any order, so that a warp may share a segment.
REORDERABLE = frozenset((
    "add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "logaddexp", "logaddexp2", "gcd", "hypot",
))  # fmt: skip

# Operations whose NumPy loops accumulate halves in float when they reduce.
UNROUNDED = frozenset({"add", "subtract", "multiply", "divide"})


def fold_key(name, inputs):
    """The key of an operation within a unit; loops with two different input types have their own key."""
    return name if inputs[0] == inputs[1] else f"{name}:{inputs[1]}"


def fold_loops(rows):
    """All (row, loop) that a fold can run: public, not long, with two inputs and one output."""
    return [
        (row, loop)
        for row in rows
        if row.nin == 2 and row.nout == 1 and row.namespace != "internal" and row.family not in LONG
        for loop in row.loops
    ]


def fold_ops(rows):
    """Map each operation key to its number in the kernels."""
    keys = sorted({fold_key(row.name, loop.inputs) for row, loop in fold_loops(rows)})
    return {key: number for number, key in enumerate(keys)}
