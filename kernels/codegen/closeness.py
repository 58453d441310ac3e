"""The kernel unit of isclose, allclose and array_equal."""

# The dtypes of differences; the stored types with kernels for contiguous operands, and their differences.
DIFFERENCES = ("f2", "f4", "f8", "c8", "c16")
CONTIGUOUS = {**{name: name for name in DIFFERENCES}, "i4": "f8", "i8": "f8"}


def units():
    """Map unit names to sources."""
    kernels = "".join(
        f"GPUNP_CLOSENESS({stored}, ::gpunp::{stored}, ::gpunp::{difference})\n"
        for stored, difference in CONTIGUOUS.items()
    )
    kernels += "".join(f"GPUNP_CLOSENESS_ANY({name}, ::gpunp::{name})\n" for name in DIFFERENCES)
    return {"within_tolerance": f'#include "gpunp/logic/closeness.h"\n\n{kernels}GPUNP_SAME\n'}
