"""Stretching arrays to a common shape: results are read-only views."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.views import broadcast
from gpunp.dispatch.registry import implements


@implements(numpy.broadcast_to)
def broadcast_to(array, shape, subok=False):
    """A read-only view with the given shape; see `numpy.broadcast_to`."""
    shape = tuple(shape) if numpy.iterable(shape) else (shape,)
    array = asarray(array)
    if not shape and array.shape:
        raise ValueError("cannot broadcast a non-scalar to a scalar array")
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of broadcast shape must be non-negative")
    return broadcast(array, shape)


@implements(numpy.broadcast_arrays)
def broadcast_arrays(*args, subok=False):
    """The arrays stretched to their common shape; see `numpy.broadcast_arrays`."""
    device = next((a.device for a in args if isinstance(a, ndarray)), None)
    arrays = [asarray(a, device=device) for a in args]
    shape = numpy.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else _writeable(broadcast(a, shape), a) for a in arrays)


def _writeable(view, source):
    # As in NumPy, which only warns on writing to these.
    view.flags.writeable = source.flags.writeable
    return view


@implements(name="broadcast_shapes")
def broadcast_shapes(*args):
    """The shape that results from broadcasting shapes; see `numpy.broadcast_shapes`."""
    return numpy.broadcast_shapes(*args)
