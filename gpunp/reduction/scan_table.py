"""The kernels of the scans: read by the code generator at build time and by the engine at run time.

Imports only the standard library.
"""

# Accumulator of each loop type: holds its values, and sums modulo its width.
ACCUMULATOR = {
    "?": "i", "b": "i", "B": "i", "h": "i", "H": "i", "i": "i", "I": "I", "q": "q", "Q": "Q",
    "e": "f", "f": "f", "d": "d", "F": "F", "D": "D",
}  # fmt: skip
ACCUMULATORS = "iIqQfdFD"

# Sums, products and bitwise operations of unsigned integers have the bits of the signed ones.
SIGNED_TWIN = {"I": "i", "Q": "q"}

# Operations of the functor "choose", selected at run time. Halves have numbers of their own for HALF_CHOICES:
# they choose differently among equal values.
CHOICES = ("maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor")
HALF_CHOICES = CHOICES[:4]

# Equivalents on 0 and 1 of logical operations and of NumPy's arithmetic on booleans.
BOOL_CHOICE = {
    "logical_and": "bitwise_and", "logical_or": "bitwise_or", "logical_xor": "bitwise_xor",
    "add": "bitwise_or", "multiply": "bitwise_and",
}  # fmt: skip

SCANNED = frozenset({"add", "multiply", "logical_and", "logical_or", "logical_xor", *CHOICES})


def scan_kernel(name, char):
    """Accumulator character, functor and operation number of operation ``name`` for loop type ``char``."""
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
