"""Units of convolution and cross products: a kernel per accumulator type; operands are converted on load."""

ACCUMULATORS = ("i4", "i8", "f4", "f8", "c8", "c16")


def _unit(header, macro):
    kernels = "".join(f"{macro}({name}, gpunp::{name})\n" for name in ACCUMULATORS)
    return f'#include "gpunp/{header}.h"\n\n{kernels}'


def units():
    """Map unit names to sources."""
    return {
        "convolve": _unit("math/convolve", "GPUNP_CONVOLVE"),
        "cross": _unit("linalg/cross", "GPUNP_CROSS"),
    }
