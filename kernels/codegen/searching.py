"""Units of binary search, one per key type, and of interpolation."""

SEARCH = """#include "gpunp/sorting/search.h"

using namespace gpunp;
GPUNP_SEARCH(search_{name}, {type})
"""
# For contiguous arrays of the most common dtypes.
PLAIN = "GPUNP_SEARCH_PLAIN(search_plain_{name}, {type}, {dtype})\n"

INTERP = """#include "gpunp/sorting/search.h"

using namespace gpunp;
GPUNP_INTERP(interp_real, 1)
GPUNP_INTERP(interp_complex, 2)
"""

# Keys of up to 32 bits, of 64 bits, and of complex numbers.
KEYS = {"u4": "uint32_t", "u8": "uint64_t", "wide": "WideKey"}
PLAIN_DTYPES = {"u4": ("i4", "f4"), "u8": ("i8", "f8"), "wide": ()}


def units():
    """Map unit names to sources."""
    made = {"interp": INTERP}
    for name, kind in KEYS.items():
        text = SEARCH.format(name=name, type=kind)
        for dtype in PLAIN_DTYPES[name]:
            text += PLAIN.format(name=dtype, type=kind, dtype=dtype.upper())
        made[f"search_{name}"] = text
    return made
