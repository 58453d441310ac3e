"""Vandermonde matrices."""

import operator

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.dispatch.registry import implements


@implements(numpy.vander, chapter="creation")
def vander(x, N=None, increasing=False):
    """A matrix whose columns are powers of a vector; see `numpy.vander`."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = x.size if N is None else operator.index(N)
    out = layout.empty((x.size, N), as_dtype(numpy.promote_types(x.dtype, int)), device=x.device)
    powers = out if increasing else out[:, ::-1]
    if N > 0:
        powers[:, 0] = 1
    if N > 1:
        repeated = numpy.broadcast_to(x[:, None], (x.size, N - 1))
        numpy.multiply.accumulate(repeated, out=powers[:, 1:], axis=1, dtype=out.dtype)
    return out
