"""Units of the integer matrix products: one a dtype."""

from table.row import BOOL, INTEGERS, NAME_OF

SOURCE = """#include "gpunp/matmul_integer.h"

GPUNP_MATMUL_INTEGER(matmul_{name}, gpunp::{type})
"""


def units():
    """Unit name to source; floating point and complex products are the vendor library's."""
    return {
        f"products_{NAME_OF[c]}": SOURCE.format(name=NAME_OF[c], type="bool_" if c == BOOL else NAME_OF[c])
        for c in BOOL + INTEGERS
    }
