"""Diagonals of matrices and their sums."""

import numpy

from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements


@implements(numpy.trace, chapter="linalg")
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum along a diagonal; see `numpy.trace`."""
    if isinstance(out, tuple):
        raise TypeError("trace: out must be an array, not a tuple")
    return numpy.sum(numpy.diagonal(asarray(a), offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


@implements(numpy.linalg.trace)
def linalg_trace(x, /, *, offset=0, dtype=None):
    """Sums along a diagonal of the matrices in the last two axes; see `numpy.linalg.trace`."""
    return trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


@implements(numpy.linalg.diagonal)
def linalg_diagonal(x, /, *, offset=0):
    """A diagonal of the matrices in the last two axes: a view; see `numpy.linalg.diagonal`."""
    return numpy.diagonal(asarray(x), offset, axis1=-2, axis2=-1)
