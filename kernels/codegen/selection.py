"""Units of the selection kernels: one per element width."""

SOURCE = """#include "gpunp/sorting/selection.h"

GPUNP_SELECTION({name}, uint{bits}_t)
"""
WINDOWS = """GPUNP_SELECTION_WINDOWS({name}, uint{bits}_t)
"""


def units():
    """Map unit names to sources; keys of one byte take one level and need no windows."""
    return {
        f"selection_u{n}": (SOURCE if n == 1 else SOURCE + WINDOWS).format(name=f"u{n}", bits=8 * n)
        for n in (1, 2, 4, 8)
    }
