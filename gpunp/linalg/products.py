"""Products of matrices, vectors and tensors, built on `generalized` and `multiplication`."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import strict_axis
from gpunp.array.convert import asnumpy, joined
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import require_one_device
from gpunp.array.views import reshaped, transposed
from gpunp.dispatch.registry import implements
from gpunp.linalg import engine
from gpunp.linalg.generalized import matmul, vecdot
from gpunp.linalg.lapack import same_device
from gpunp.linalg.multiplication import multiply_into
from gpunp.ufunc.operands import is_foreign

_KERNELS = ("include/gpunp/linalg/matmul_integer.h",)


def _operands(*values):
    return same_device("matrix product", values)


_OPERANDS = (ndarray, numpy.generic, list, tuple, int, float, complex)


def matmul_operator(left, right):
    """Implement ``@``; return NotImplemented for a foreign operand type."""
    found = engine.product(left, right)
    if found is not None:
        return found
    for operand in (left, right):
        known = isinstance(operand, _OPERANDS) or type(operand) is numpy.ndarray
        if not known and is_foreign(operand):
            return NotImplemented
    return matmul(left, right)


@implements(numpy.dot, kernels=_KERNELS)
def dot(a, b, out=None):
    """Sum product over the last axis of ``a`` and the second-to-last of ``b``; see `numpy.dot`."""
    if out is None:
        found = engine.product(a, b)
        if found is not None:
            return found
    a, b = _operands(a, b)
    dtype = as_dtype(numpy.result_type(a.dtype, b.dtype))
    if a.ndim == 0 or b.ndim == 0:
        shape = a.shape + b.shape
    else:
        axis = max(b.ndim - 2, 0)
        if a.shape[-1] != b.shape[axis]:
            raise ValueError(
                f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
                f"{b.shape[axis]} (dim {axis})"
            )
        shape = a.shape[:-1] + b.shape[:axis] + b.shape[axis + 1 :]
    if out is not None and not isinstance(out, ndarray | numpy.ndarray):
        raise TypeError(f"dot: 'out' must be a gpunp array, not {type(out).__name__}")
    if out is not None and (
        not isinstance(out, ndarray)
        or out.dtype != dtype
        or out.shape != shape
        or not (out.flags.c_contiguous and out.flags.writeable)
    ):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be "
            "a C-Array)"
        )
    require_one_device("dot", a, out)
    if a.ndim == 0 or b.ndim == 0:
        return numpy.multiply(a, b, out=out)
    a = layout.converted(a, dtype) if a.dtype != dtype else a
    b = layout.converted(b, dtype) if b.dtype != dtype else b
    k = a.shape[-1]
    rows = 1
    for extent in a.shape[:-1]:
        rows *= extent
    if b.ndim > 2:
        b = reshaped(numpy.moveaxis(b, -2, 0), (k, b.size // k if k else _product(shape[a.ndim - 1 :])))
    elif b.ndim == 1:
        b = b[:, None]
    result = layout.empty(shape, dtype, "C", a.device) if out is None or _overlap(out, a, b) else out
    multiply_into(reshaped(a, (rows, k)), b, reshaped(result, (rows, b.shape[1])))
    if out is not None and result is not out:
        layout.copy_into(out, result)
    if out is None:
        return result._mark_scalar()
    # Unlike other functions, NumPy's dot returns a scalar instead of a 0-d ``out``.
    return out if out.ndim else out[()]


def _product(extents):
    count = 1
    for extent in extents:
        count *= extent
    return count


def _overlap(out, *arrays):
    return any(numpy.may_share_memory(out, x) for x in arrays)


def _product_of_vectors(a, b):
    """The product of real vectors on the CPU device, where there is a short way to it; else None."""
    if type(a) is ndarray and type(b) is ndarray and a.ndim == b.ndim == 1 and a.device.is_cpu:
        return engine.product(a, b) if a.dtype.kind == "f" else None
    return None


@implements(numpy.vdot, kernels=_KERNELS)
def vdot(a, b, /):
    """Dot product of the flattened arrays, with the first conjugated; see `numpy.vdot`."""
    found = _product_of_vectors(a, b)
    if found is not None:
        return found
    a, b = _operands(a, b)
    a, b = reshaped(a, (a.size,)), reshaped(b, (b.size,))
    if a.size != b.size:
        raise ValueError("vectors have different lengths")
    return dot(numpy.conjugate(a) if a.dtype.kind == "c" else a, b)


@implements(numpy.inner, kernels=_KERNELS)
def inner(a, b, /):
    """Sum product over the last axes; see `numpy.inner`."""
    found = _product_of_vectors(a, b)
    if found is not None:
        return found
    a, b = _operands(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return numpy.multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{b.shape[-1]} (dim {b.ndim - 1})"
        )
    k = a.shape[-1]
    flat = reshaped(b, (_product(b.shape[:-1]), k))
    products = dot(reshaped(a, (_product(a.shape[:-1]), k)), transposed(flat))
    return reshaped(products, a.shape[:-1] + b.shape[:-1])._mark_scalar()


@implements(numpy.outer)
def outer(a, b, out=None):
    """Products of all pairs of elements; see `numpy.outer`."""
    a, b = _operands(a, b)
    if isinstance(out, tuple):
        raise TypeError("return arrays must be of ArrayType")
    return numpy.multiply(reshaped(a, (a.size, 1)), reshaped(b, (1, b.size)), out=out)


@implements(numpy.tensordot, kernels=_KERNELS)
def tensordot(a, b, axes=2):
    """Sum product over chosen axes; see `numpy.tensordot`."""
    axes = asnumpy(axes) if isinstance(axes, ndarray) else axes
    if numpy.iterable(axes):
        axes_a, axes_b = (_listed(entry) for entry in axes)
    else:
        axes_a, axes_b = list(range(-axes, 0)), list(range(axes))
    a, b = _operands(a, b)
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    if len(set(axes_a)) != len(axes_a) or len(set(axes_b)) != len(axes_b):
        raise ValueError("duplicate axes are not allowed in tensordot")
    # Pairs are checked one by one, as in NumPy, so that the same error is raised first.
    for i, (left, right) in enumerate(zip(axes_a, axes_b, strict=True)):
        if a.shape[left] != b.shape[right]:
            raise ValueError("shape-mismatch for sum")
        axes_a[i] = strict_axis(left, a.ndim)
        axes_b[i] = strict_axis(right, b.ndim)
    free_a = [axis for axis in range(a.ndim) if axis not in axes_a]
    free_b = [axis for axis in range(b.ndim) if axis not in axes_b]
    k = _product(a.shape[axis] for axis in axes_a)
    left = reshaped(transposed(a, free_a + axes_a), (_product(a.shape[axis] for axis in free_a), k))
    right = reshaped(transposed(b, axes_b + free_b), (k, _product(b.shape[axis] for axis in free_b)))
    return reshaped(dot(left, right), [a.shape[axis] for axis in free_a] + [b.shape[axis] for axis in free_b])


def _listed(axes):
    """The axes of one operand as a list; axes in a device array are copied to the host."""
    axes = joined(axes)
    if isinstance(axes, ndarray):
        return numpy.atleast_1d(asnumpy(axes)).tolist()
    return list(axes) if hasattr(axes, "__len__") else [axes]


@implements(numpy.linalg.matmul, kernels=_KERNELS)
def linalg_matmul(x1, x2, /):
    """Matrix product; see `numpy.linalg.matmul`."""
    return matmul(x1, x2)


@implements(numpy.linalg.vecdot, kernels=_KERNELS)
def linalg_vecdot(x1, x2, /, *, axis=-1):
    """Vector dot product along an axis; see `numpy.linalg.vecdot`."""
    if axis == -1 and isinstance(x1, ndarray) and isinstance(x2, ndarray):
        # A call of NumPy's ufunc is short for few elements.
        return numpy.vecdot(x1, x2)
    return vecdot(x1, x2, axis=axis)


@implements(numpy.linalg.tensordot, kernels=_KERNELS)
def linalg_tensordot(x1, x2, /, *, axes=2):
    """Sum product over chosen axes; see `numpy.linalg.tensordot`.

    Parameters
    ----------
    x1, x2 : array_like
        The arrays to multiply.
    """
    return tensordot(x1, x2, axes)


@implements(numpy.linalg.outer)
def linalg_outer(x1, x2, /):
    """Products of all pairs of elements of two vectors; see `numpy.linalg.outer`."""
    x1, x2 = _operands(x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}."
        )
    return outer(x1, x2)
