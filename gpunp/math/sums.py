"""Sums and products over axes."""

import numpy

from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.reduction.engine import reduce_array

_KERNELS = ("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py")


@implements(numpy.sum, kernels=_KERNELS)
def sum(
    a, axis=None, dtype=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue
):
    """Sum over axes; see `numpy.sum`."""
    return reduce_array("add", a, axis, dtype, out, keepdims, initial, where)


@implements(numpy.prod, kernels=_KERNELS)
def prod(
    a, axis=None, dtype=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue
):
    """Product over axes; see `numpy.prod`."""
    return reduce_array("multiply", a, axis, dtype, out, keepdims, initial, where)


def without_nan(a, dtype, identity):
    """The operand, with NaN replaced by the identity if the conversion to ``dtype`` would lose it."""
    if dtype is None:
        return a
    a = asarray(a)
    if a.dtype.kind not in "fc" or numpy.can_cast(a.dtype, dtype, "same_kind"):
        return a
    return numpy.where(numpy.isnan(a), identity, a)


@implements(numpy.nansum, kernels=_KERNELS)
def nansum(
    a, axis=None, dtype=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue
):
    """Sum over axes with NaN as zero; see `numpy.nansum`."""
    a = without_nan(a, dtype, 0)
    return reduce_array("add", a, axis, dtype, out, keepdims, initial, where, skip_nan=True)


@implements(numpy.nanprod, kernels=_KERNELS)
def nanprod(
    a, axis=None, dtype=None, out=None, keepdims=numpy._NoValue, initial=numpy._NoValue, where=numpy._NoValue
):
    """Product over axes with NaN as one; see `numpy.nanprod`."""
    a = without_nan(a, dtype, 1)
    return reduce_array("multiply", a, axis, dtype, out, keepdims, initial, where, skip_nan=True)
