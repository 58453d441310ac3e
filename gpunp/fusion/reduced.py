"""What a reduction of a group looks like to those who find, compile or generate its code."""

from typing import NamedTuple

from gpunp.compiler import run
from gpunp.compiler.request import Request
from gpunp.fusion.description import CUDA_OPTIONS, HOST_OPTIONS

NAME = "gpunp_reduce"


class Reduced(NamedTuple):
    """Everything that the source depends on.

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

    steps: tuple
    leaves: tuple
    stores: tuple
    constants: tuple
    space: tuple
    part: str
    kernel: str

    def build(self, architecture):
        """Compile.

        Parameters
        ----------
        architecture : int
            The compute capability, 90 for 9.0; 0 for the CPU device.

        Returns
        -------
        Compiled
        """
        from gpunp.compiler import compiling
        from gpunp.fusion.reduction_source import reduction_source

        options = CUDA_OPTIONS if architecture else HOST_OPTIONS
        request = Request(reduction_source(self), architecture, name=NAME, options=options)
        return run(compiling.build, request)
