"""Units of the selection kernels: one a width of elements."""

SOURCE = """#include "gpunp/sorting/selection.h"

GPUNP_SELECTION({name}, uint{bits}_t)
"""
WINDOWS = """GPUNP_SELECTION_WINDOWS({name}, uint{bits}_t)
"""


def units():
    """Unit name to source: a byte has one level, and is counted at once."""
    return {
        f"selection_u{n}": (SOURCE if n == 1 else SOURCE + WINDOWS).format(name=f"u{n}", bits=8 * n)
        for n in (1, 2, 4, 8)
    }
