"""Units of the creation kernels: one a dtype."""

from table.row import CHARS, NAME_OF

SOURCE = """#include "gpunp/ranges.h"

GPUNP_RANGE(range_{name}, gpunp::{type})
"""


def units():
    """Unit name to source. NumPy has no arithmetic progression of booleans."""
    return {
        f"creation_{NAME_OF[c]}": SOURCE.format(name=NAME_OF[c], type=NAME_OF[c]) for c in CHARS if c != "?"
    }
