"""The backend of einops for device arrays.

Imported after einops, which finds its backends among the subclasses of `AbstractBackend`.
"""

import numpy
from einops._backends import AbstractBackend

from gpunp.array.convert import asarray, asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import NAMESPACE


class GpunpBackend(AbstractBackend):
    """The functions that einops calls for device arrays."""

    framework_name = "gpunp"

    def is_appropriate_type(self, tensor):
        """Whether the backend supports an array."""
        return isinstance(tensor, ndarray)

    def from_numpy(self, x):
        """Copy a host array to the current device."""
        return asarray(x)

    def to_numpy(self, x):
        """Copy a device array to the host."""
        return asnumpy(x)

    def arange(self, start, stop):
        """The integers from ``start`` up to ``stop``."""
        return NAMESPACE["arange"](start, stop)

    def stack_on_zeroth_dimension(self, tensors):
        """Stack arrays of one shape along a new first axis."""
        return numpy.stack(tensors)

    def tile(self, x, repeats):
        """Repeat the array along each of its axes."""
        return numpy.tile(x, repeats)

    def concat(self, tensors, axis):
        """Concatenate arrays along an axis."""
        return numpy.concatenate(tensors, axis=axis)

    def add_axis(self, x, new_position):
        """Insert an axis of length one."""
        return numpy.expand_dims(x, new_position)

    def is_float_type(self, x):
        """Whether einops may take means of the array."""
        return x.dtype.kind in "fc"

    def einsum(self, pattern, *x):
        """The sum of products given by a pattern in Einstein notation."""
        return numpy.einsum(pattern, *x)
