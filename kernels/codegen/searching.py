"""Units of binary search, one a type of key, and of interpolation."""

SEARCH = """#include "gpunp/search.h"

using namespace gpunp;
GPUNP_SEARCH(search_{name}, {type})
"""

INTERP = """#include "gpunp/search.h"

using namespace gpunp;
GPUNP_INTERP(interp_real, 1)
GPUNP_INTERP(interp_complex, 2)
"""

# Keys of up to 32 bits, of 64 bits, and of complex numbers.
KEYS = {"u4": "uint32_t", "u8": "uint64_t", "wide": "searching::WideKey"}


def units():
    """Unit name to source."""
    made = {f"search_{name}": SEARCH.format(name=name, type=kind) for name, kind in KEYS.items()}
    made["interp"] = INTERP
    return made
