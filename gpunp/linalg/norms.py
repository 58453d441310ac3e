"""Norms of vectors and matrices."""

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpunp.array.arguments import strict_integer
from gpunp.array.convert import asarray
from gpunp.dispatch.registry import implements
from gpunp.reduction.engine import fold_array, reduce_array

_KERNELS = ("include/gpunp/reduction/reduce_device.h", "codegen/reductions.py")
_INTP = numpy.dtype(numpy.intp)
_inf = float("inf")


def _inexact(x):
    x = asarray(x)
    return x.astype(numpy.float64) if x.dtype.kind in "biu" else x


def _real(x):
    """The dtype of the norm of x."""
    return x.real.dtype if x.dtype.kind == "c" else x.dtype


@implements(numpy.linalg.norm, kernels=_KERNELS)
def norm(x, ord=None, axis=None, keepdims=False):
    """Norm of a vector or a matrix; see `numpy.linalg.norm`."""
    x = _inexact(x)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            return fold_array(
                "sum_squares", x, axis=None, result=_real(x), keepdims=bool(keepdims), root=True
            )
        axis = tuple(range(x.ndim))
    elif not isinstance(axis, tuple):
        axis = _one_axis(axis)
    if len(axis) == 1:
        return _vector_norm(x, ord, axis, keepdims)
    if len(axis) == 2:
        return _matrix_norm(x, ord, axis, bool(keepdims))
    raise ValueError("Improper number of dimensions to norm.")


def _one_axis(axis):
    try:
        return (int(axis),)
    except Exception as error:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from error


def _vector_norm(x, ord, axis, keepdims):
    real = _real(x)
    if ord is None or ord == 2:
        return fold_array("sum_squares", x, axis, real, None, keepdims, root=True)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == _inf:
        return fold_array("max_absolute", x, axis, real, None, keepdims)
    if ord == -_inf:
        return fold_array("min_absolute", x, axis, real, None, keepdims)
    if ord == 0:
        return fold_array("count_nonzero", x, axis, _INTP, None, keepdims).astype(real)
    if ord == 1:
        return fold_array("sum_absolute", x, axis, real, None, keepdims)
    powers = numpy.abs(x)
    powers **= ord
    result = reduce_array("add", powers, axis, keepdims=keepdims)
    result **= numpy.reciprocal(ord, dtype=result.dtype)
    return result


def _matrix_norm(x, ord, axis, keepdims):
    row, column = (normalize_axis_index(i, x.ndim) for i in axis)
    if row == column:
        raise ValueError("Duplicate axes given.")
    real = _real(x)
    if ord in (None, "fro", "f"):
        return fold_array("sum_squares", x, axis, real, None, keepdims, root=True)
    if ord == "nuc" or ord in (2, -2):
        return _by_singular_values(x, ord, row, column, keepdims)
    if ord not in (1, -1, _inf, -_inf):
        raise ValueError("Invalid norm order for matrices.")
    summed, compared = (row, column) if ord in (1, -1) else (column, row)
    sums = fold_array("sum_absolute", x, summed, real, keepdims=True)
    if ord > 0:
        return reduce_array("maximum", sums, (summed, compared), keepdims=keepdims, initial=0)
    return reduce_array("minimum", sums, (summed, compared), keepdims=keepdims)


def _by_singular_values(x, ord, row, column, keepdims):
    values = numpy.linalg.svd(numpy.moveaxis(x, (row, column), (-2, -1)), compute_uv=False)
    if ord == "nuc":
        result = numpy.sum(values, axis=-1)
    else:
        result = (numpy.max if ord == 2 else numpy.min)(
            values, axis=-1, **({"initial": 0} if ord == 2 else {})
        )
    return numpy.expand_dims(result, (row, column)) if keepdims else result


@implements(numpy.linalg.matrix_norm, kernels=_KERNELS)
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norm of a matrix or of each matrix of a stack; see `numpy.linalg.matrix_norm`.

    Returns
    -------
    ndarray
        The norms, one per matrix.
    """
    return norm(x, axis=(-2, -1), keepdims=keepdims, ord=ord)


@implements(numpy.linalg.vector_norm, kernels=_KERNELS)
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norm of a vector, over any axes; see `numpy.linalg.vector_norm`.

    Returns
    -------
    ndarray
        The norms over the given axes, or a scalar.
    """
    x = _inexact(x)
    if axis is None:
        axes = tuple(range(x.ndim))
    elif isinstance(axis, tuple):
        axes = normalize_axis_tuple([strict_integer(each) for each in axis], x.ndim)
    else:
        axes = _one_axis(axis)
    return _vector_norm(x, ord, axes, bool(keepdims))
