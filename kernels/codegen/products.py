"""The unit of gpunp's own matrix products: of integers, and of two small matrices."""

from gpunp.dtype_codes import NAME_OF
from gpunp.ufunc.table.row import BOOL, INTEGERS

HEADER = '#include "gpunp/linalg/matmul_integer.h"\n#include "gpunp/linalg/matmul_small.h"\n\n'
SOURCE = "GPUNP_MATMUL_INTEGER(matmul_{name}, gpunp::{type})\n"
SMALL = "GPUNP_MATMUL_SMALL(matmul_small_{name}, gpunp::{name})\n"


def units():
    """Map unit names to sources; other floating-point and complex products use the vendor library."""
    sources = [
        SOURCE.format(name=NAME_OF[c], type="bool_" if c == BOOL else NAME_OF[c]) for c in BOOL + INTEGERS
    ]
    sources += [SMALL.format(name=NAME_OF[c]) for c in "fdFD"]
    return {"products": HEADER + "".join(sources)}
