"""Units of the selection kernels: one a width of elements."""

SOURCE = """#include "gpunp/selection.h"

GPUNP_SELECTION({name}, uint{bits}_t)
"""


def units():
    """Unit name to source."""
    return {f"selection_u{n}": SOURCE.format(name=f"u{n}", bits=8 * n) for n in (1, 2, 4, 8)}
