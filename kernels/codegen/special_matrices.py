"""Unit of Toeplitz, circulant and Hankel matrices: a kernel for each size of elements."""

TYPES = {
    "u1": "uint8_t",
    "u2": "uint16_t",
    "u4": "uint32_t",
    "u8": "uint64_t",
    "u16": "::gpunp::windows::Wide",
}


def units():
    """Map unit names to sources."""
    kernels = "".join(f"GPUNP_WINDOWS({name}, {type})\n" for name, type in TYPES.items())
    return {"windows": f'#include "gpunp/linalg/windows.h"\n\n{kernels}'}
