"""Kronecker products."""

import numpy

from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements


@implements(numpy.kron, chapter="linalg")
def kron(a, b):
    """Blocks of b scaled by the elements of a, in one multiplication; see `numpy.kron`."""
    a, b = on_one_device(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return numpy.multiply(a, b)
    ndim = max(a.ndim, b.ndim)
    a_shape = (1,) * (ndim - a.ndim) + a.shape
    b_shape = (1,) * (ndim - b.ndim) + b.shape
    # Axes alternate: each axis of a is followed by that of b.
    outer = a.reshape([n for extent in a_shape for n in (extent, 1)])
    inner = b.reshape([n for extent in b_shape for n in (1, extent)])
    return numpy.multiply(outer, inner).reshape([m * n for m, n in zip(a_shape, b_shape, strict=True)])
