"""The order of the products of an Einstein sum."""

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements


@implements(numpy.einsum_path)
def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The cheapest order of contraction; see `numpy.einsum_path`. Only the shapes of the operands matter.

    Parameters
    ----------
    einsum_call : bool, optional
        For internal use by NumPy: return the contractions instead of the printable text.
    """
    # A broadcast one-element host array stands in for a device array: NumPy needs only shapes and dtypes.
    originals = {}

    def stand_in(operand):
        if not isinstance(operand, ndarray):
            return operand
        host = numpy.broadcast_to(numpy.empty((), operand.dtype), operand.shape)
        originals[id(host)] = host, operand
        return host

    found = numpy.einsum_path(*map(stand_in, operands), optimize=optimize, einsum_call=einsum_call)
    if not einsum_call:
        return found
    arrays, *rest = found
    return ([originals[id(a)][1] if id(a) in originals else a for a in arrays], *rest)
