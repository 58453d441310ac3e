"""Which kernels are behind the ufunc methods: read by the code generator and at run time.

Nothing here imports more than the standard library.
"""

# What each loop type is computed in: a narrower integer, or a half, is rounded to its type after a step.
UNIT_CHAR = {
    "?": "?", "b": "i", "h": "i", "i": "i", "B": "I", "H": "I", "I": "I", "q": "q", "Q": "Q",
    "e": "f", "f": "f", "d": "d", "F": "F", "D": "D",
}  # fmt: skip
UNITS = "?iIqQfdFD"

# Integer operations that atomics do in any order; the order of cases in fold_targets.h.
ATOMIC_OPS = ("add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")

# Operations whose operands may be taken in any order, so that a warp may share a segment.
REORDERABLE = frozenset((
    "add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "logaddexp", "logaddexp2", "gcd", "hypot",
))  # fmt: skip

# Operations that NumPy's loops sum up in float for halves when they reduce.
UNROUNDED = frozenset({"add", "subtract", "multiply", "divide"})


def fold_key(name, inputs):
    """What names an operation within a unit: loops of two different inputs are operations apart."""
    return name if inputs[0] == inputs[1] else f"{name}:{inputs[1]}"


def fold_loops(rows):
    """All (row, loop) that a fold can run: public ones of two inputs and one output."""
    return [
        (row, loop)
        for row in rows
        if row.nin == 2 and row.nout == 1 and row.namespace != "internal"
        for loop in row.loops
    ]


def fold_ops(rows):
    """Operation key to its number in the kernels."""
    keys = sorted({fold_key(row.name, loop.inputs) for row, loop in fold_loops(rows)})
    return {key: number for number, key in enumerate(keys)}
