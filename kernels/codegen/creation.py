"""The unit of the creation kernels: a single one, because starting the compiler outweighs compiling each."""

from gpunp.dtype_codes import CHARS, NAME_OF

HEADER = '#include "gpunp/creation/ranges.h"\n\n'
SOURCE = "GPUNP_RANGE(range_{name}, gpunp::{name})\n"


def units():
    """Map unit names to sources. NumPy has no arithmetic progressions of booleans."""
    return {"creation": HEADER + "".join(SOURCE.format(name=NAME_OF[c]) for c in CHARS if c != "?")}
