"""The unit of the creation kernels: each is so short that starting the compiler takes longer than it."""

from gpunp.dtype_codes import CHARS, NAME_OF

HEADER = '#include "gpunp/creation/ranges.h"\n\n'
SOURCE = "GPUNP_RANGE(range_{name}, gpunp::{name})\n"


def units():
    """Unit name to source. NumPy has no arithmetic progression of booleans."""
    return {"creation": HEADER + "".join(SOURCE.format(name=NAME_OF[c]) for c in CHARS if c != "?")}
