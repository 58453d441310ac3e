"""What a group looks like to those who find, compile or generate its code."""

from typing import NamedTuple

NAME = "gpunp_group"
# As kernels/meson.build compiles gpunp's own kernels.
CUDA_OPTIONS = ("-fmad=false",)
HOST_OPTIONS = ("-O2",)
# Origins of operands, as in group.pxd.
LEAF, CONSTANT, ABSENT = 64, 128, -1
MASK, KEPT = 3, 4


class StepText(NamedTuple):
    """One operation: its kernels, the origins of its operands, and the dtype code of its value."""

    unit: str
    symbol: str
    source: tuple
    code: int


class Description(NamedTuple):
    """Everything about a group that its source depends on.

    Attributes
    ----------
    steps : tuple of StepText
    leaves : tuple of (int, int)
        Dtype code and role of each operand that is read.
    stores : tuple of (int, int, int)
        Dtype code, role and step of each operand that is written.
    constants : tuple of int
        Dtype codes.
    loop : tuple
        Number of axes, elements of a vector, vectors of a thread, whether 32 bits cannot count the vectors.
    """

    steps: tuple
    leaves: tuple
    stores: tuple
    constants: tuple
    loop: tuple
