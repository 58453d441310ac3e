"""``np.nditer`` as a program sees it: it visits memory that device arrays share."""

import functools

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.running import sharing


@functools.wraps(numpy.nditer, updated=())
def nditer(op, *args, **kwargs):
    """See `numpy.nditer`."""
    if isinstance(op, ndarray):
        return numpy.nditer(sharing.memory_of(op), *args, **kwargs)
    if isinstance(op, list | tuple) and any(isinstance(each, ndarray) for each in op):
        op = [sharing.memory_of(each) if isinstance(each, ndarray) else each for each in op]
    return numpy.nditer(op, *args, **kwargs)
