"""Broadcasting of arrays to a common shape; results are views."""

import math

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import on_one_device
from gpunp.array.scalars import as_array
from gpunp.array.views import broadcast
from gpunp.dispatch.registry import implements


@implements(numpy.broadcast_to)
def broadcast_to(array, shape, subok=False):
    """A read-only view with the given shape; see `numpy.broadcast_to`."""
    shape = tuple(shape) if numpy.iterable(shape) else (shape,)
    array = as_array(asarray(array))
    if not shape and array.shape:
        raise ValueError("cannot broadcast a non-scalar to a scalar array")
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of broadcast shape must be non-negative")
    return broadcast(array, shape)


@implements(numpy.broadcast_arrays)
def broadcast_arrays(*args, subok=False):
    """Broadcast arrays to their common shape; see `numpy.broadcast_arrays`."""
    arrays = [as_array(a) for a in on_one_device(*args)]
    shape = numpy.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else _writeable(broadcast(a, shape), a) for a in arrays)


def _writeable(view, source):
    # As in NumPy, where writing to such a view only warns.
    view.flags.writeable = source.flags.writeable
    return view


@implements(name="broadcast_shapes")
def broadcast_shapes(*args):
    """The shape that results from broadcasting shapes; see `numpy.broadcast_shapes`."""
    return numpy.broadcast_shapes(*args)


class Broadcast:
    """The result of broadcasting arrays against each other; see `numpy.broadcast`.

    Parameters
    ----------
    *args : array_like

    Attributes
    ----------
    shape : tuple of int
        The common shape.
    ndim, nd : int
        The number of axes of the common shape.
    size : int
        The number of elements of the common shape.
    numiter : int
        The number of arrays.
    values : tuple of ndarray
        Read-only views of the arrays in the common shape. Computing with these is faster than iterating over
        elements.
    iters : tuple of flatiter
        One iterator over the elements of each of these views.
    index : int
        The flat index of the next elements.
    """

    def __init__(self, *args):
        # A broadcast object among the arguments stands for its arrays.
        args = [v for a in args for v in (a.values if isinstance(a, Broadcast) else (a,))]
        arrays = on_one_device(*args)
        self.shape = numpy.broadcast_shapes(*(a.shape for a in arrays))
        self.values = tuple(broadcast(a, self.shape) for a in arrays)
        self.reset()

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.size:
            raise StopIteration
        self.index += 1
        return tuple(next(iterator) for iterator in self.iters)

    def reset(self):
        """Restart the iteration."""
        self.index = 0
        self.iters = tuple(value.flat for value in self.values)

    @property
    def ndim(self):
        """The number of axes."""
        return len(self.shape)

    nd = ndim

    @property
    def size(self):
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def numiter(self):
        """The number of arrays."""
        return len(self.values)

    def __repr__(self):
        return f"gpunp.broadcast(shape={self.shape}, numiter={self.numiter})"


implements(name="broadcast")(Broadcast)
