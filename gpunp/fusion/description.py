"""What groups and their reductions look like to those who find, compile or generate their code."""

from collections import namedtuple

# Names of kernels.
NAME = "gpunp_group"
REDUCTION_NAME = "gpunp_reduce"
ROWS_NAME = "gpunp_rows"
# As kernels/meson.build compiles gpunp's own kernels.
CUDA_OPTIONS = ("-fmad=false",)
HOST_OPTIONS = ("-O2",)
# Origins of operands, as in group.pxd.
LEAF, CONSTANT, ABSENT = 64, 128, -1
MASK, KEPT = 3, 4


class StepText(namedtuple("StepText", ("unit", "symbol", "source", "code"))):
    """One operation: its kernels, the origins of its operands, and the dtype code of its value."""

    __slots__ = ()


class Description(namedtuple("Description", ("steps", "leaves", "stores", "constants", "loop"))):
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
        Number of axes, elements of a vector, vectors of a thread, whether 32 bits cannot count the vectors,
        and the warps of a block below one another, or 0 if blocks follow the rows.
    """

    __slots__ = ()
    name = NAME
    # GCC 12 contracts complex products where it vectorizes, whatever -ffp-contract says, unless the processor
    # may have no fused instructions.
    native = False

    def __str__(self):
        return ", ".join(step.symbol for step in self.steps)

    def source(self):
        """The source of the kernel."""
        from gpunp.fusion import source

        return source.group_source(self)


class Reduced(namedtuple("Reduced", ("steps", "leaves", "stores", "constants", "space", "part", "kernel"))):
    """Everything about a reduction of a group that its source depends on.

    Attributes
    ----------
    steps : tuple of StepText
    leaves : tuple of (int, int)
        Dtype code and access of each leaf.
    stores : tuple
        Empty.
    constants : tuple of int
        Dtype codes.
    space : tuple
        Number of axes, whether neighbors that are read together are always in one row, and whether indices
        are below 2^31.
    part : {"rows", "whole", "runs", "columns", "general"}
    kernel : str
        The symbol of the precompiled reduction, without the variant: ``"add_f4_f4"``.
    """

    __slots__ = ()
    name = REDUCTION_NAME
    native = True

    def __str__(self):
        return f"{self.kernel} of {', '.join(step.symbol for step in self.steps)}"

    def source(self):
        """The source of the kernel."""
        from gpunp.fusion.reduction_source import reduction_source

        return reduction_source(self)


class RowStep(namedtuple("RowStep", ("unit", "symbol", "source", "code", "kind", "stage", "held"))):
    """One operation of a kernel that holds rows.

    Attributes
    ----------
    unit, symbol, source, code
        As those of `StepText`. A reduction has no unit, and its first source is what it reduces.
    kind : int
        `FULL` for an operation on elements, `OF_ROWS` for one on values of rows, `FOLD` for a reduction.
    stage : int
        The pass over the elements in which it is computed, or which it follows (a reduction) or precedes (of
        rows).
    held : int
        The array in shared memory that has its values, or -1.
    """

    __slots__ = ()


# Kinds of steps, and of leaves: elements, values of rows, values of columns, and a number.
FULL, OF_ROWS, FOLD = 0, 1, 2
OF_COLUMNS, SINGLE = 2, 3


class Rows(namedtuple("Rows", ("steps", "leaves", "stores", "constants", "loop"))):
    """Everything about operations and reductions over rows that their source depends on.

    Attributes
    ----------
    steps : tuple of RowStep
    leaves : tuple of (int, int, int)
        Dtype code, kind, and the array in shared memory or -1.
    stores : tuple of (int, int)
        Dtype code and step.
    constants : tuple of int
        Dtype codes.
    loop : (int, int)
        Elements of a vector, and vectors that a thread loads at once.
    """

    __slots__ = ()
    name = ROWS_NAME
    native = False

    def __str__(self):
        return ", ".join(step.symbol for step in self.steps)

    def source(self):
        """The source of the kernel."""
        from gpunp.fusion.row_source import row_source

        return row_source(self)
