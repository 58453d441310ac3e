"""The unit of the integer matrix products, of all dtypes."""

from table.row import BOOL, INTEGERS, NAME_OF

HEADER = '#include "gpunp/matmul_integer.h"\n\n'
SOURCE = "GPUNP_MATMUL_INTEGER(matmul_{name}, gpunp::{type})\n"


def units():
    """Unit name to source; floating point and complex products are the vendor library's."""
    sources = [
        SOURCE.format(name=NAME_OF[c], type="bool_" if c == BOOL else NAME_OF[c]) for c in BOOL + INTEGERS
    ]
    return {"products": HEADER + "".join(sources)}
