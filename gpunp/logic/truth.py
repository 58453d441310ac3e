"""The reductions `all` and `any`."""

import numpy

from gpunp.dispatch.registry import implements
from gpunp.reduction.engine import reduce_array

_KERNELS = ("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py")


@implements(numpy.all, kernels=_KERNELS)
def all(a, axis=None, out=None, keepdims=numpy._NoValue, *, where=numpy._NoValue):
    """Whether all elements along axes are true; see `numpy.all`."""
    return reduce_array("logical_and", a, axis, None, out, keepdims, where=where)


@implements(numpy.any, kernels=_KERNELS)
def any(a, axis=None, out=None, keepdims=numpy._NoValue, *, where=numpy._NoValue):
    """Whether any element along axes is true; see `numpy.any`."""
    return reduce_array("logical_or", a, axis, None, out, keepdims, where=where)
