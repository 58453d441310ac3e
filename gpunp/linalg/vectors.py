"""Cross products."""

import math

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array import layout
from gpunp.array.dtype import as_dtype
from gpunp.array.operands import on_one_device
from gpunp.dispatch.registry import implements
from gpunp.math import loops

_KERNELS = ("include/gpunp/linalg/cross.h", "codegen/statistics.py")


@implements(numpy.cross, chapter="linalg", kernels=_KERNELS)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross product of three-component vectors; see `numpy.cross`."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = on_one_device(a, b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a = numpy.moveaxis(a, normalize_axis_index(axisa, a.ndim, msg_prefix="axisa"), -1)
    b = numpy.moveaxis(b, normalize_axis_index(axisb, b.ndim, msg_prefix="axisb"), -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    shape = (*numpy.broadcast_shapes(a.shape[:-1], b.shape[:-1]), 3)
    axisc = normalize_axis_index(axisc, len(shape), msg_prefix="axisc")
    dtype = as_dtype(numpy.promote_types(a.dtype, b.dtype))
    if dtype.kind == "b":
        raise TypeError(
            "cross: numpy boolean subtract, the `-` operator, is not supported; convert the vectors to "
            "integers"
        )
    out = layout.empty(shape, dtype, device=a.device)
    if out.size:
        loops.cross(_rows(a, shape), _rows(b, shape), out.reshape(-1, 3))
    return numpy.moveaxis(out, -1, axisc)


def _rows(a, shape):
    """The vectors as rows of a matrix; a single vector is broadcast without a copy."""
    if a.size == 3:
        vector = a.reshape(3)
        return numpy.broadcast_to(vector, (math.prod(shape[:-1]), 3))
    return numpy.broadcast_to(a, shape).reshape(-1, 3)


@implements(numpy.linalg.cross, kernels=_KERNELS)
def linalg_cross(x1, x2, /, *, axis=-1):
    """Cross product of three-component vectors; see `numpy.linalg.cross`."""
    return cross(x1, x2, axis=axis)
