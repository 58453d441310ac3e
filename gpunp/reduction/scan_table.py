"""Which kernels are behind the scans: read by the code generator and at run time.

Nothing here imports more than the standard library.
"""

# Accumulator of each loop type: what its values, and the sums modulo its width, fit into.
ACCUMULATOR = {
    "?": "i", "b": "i", "B": "i", "h": "i", "H": "i", "i": "i", "I": "I", "q": "q", "Q": "Q",
    "e": "f", "f": "f", "d": "d", "F": "F", "D": "D",
}  # fmt: skip
ACCUMULATORS = "iIqQfdFD"

# Sums, products and bits of unsigned integers are those of the signed ones.
SIGNED_TWIN = {"I": "i", "Q": "q"}

# The functor "choose" covers these, told apart at run time; what a half chooses among equals differs.
CHOICES = ("maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor")
HALF_CHOICES = CHOICES[:4]

# Logic on 0 and 1, and NumPy's arithmetic of bool.
BOOL_CHOICE = {
    "logical_and": "bitwise_and", "logical_or": "bitwise_or", "logical_xor": "bitwise_xor",
    "add": "bitwise_or", "multiply": "bitwise_and",
}  # fmt: skip

SCANNED = frozenset({"add", "multiply", "logical_and", "logical_or", "logical_xor", *CHOICES})


def scan_kernel(name, char):
    """Accumulator character, functor and operation number of an op with loops of type ``char``."""
    if char == "?":
        name = BOOL_CHOICE.get(name, name)
    accumulator = ACCUMULATOR[char]
    if name in ("add", "multiply"):
        return SIGNED_TWIN.get(accumulator, accumulator), name, 0
    if name.startswith("bitwise"):
        accumulator = SIGNED_TWIN.get(accumulator, accumulator)
    number = CHOICES.index(name)
    if char == "e":
        number += len(CHOICES)
    return accumulator, "choose", number
