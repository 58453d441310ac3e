"""Ranks, condition numbers and pseudoinverses, from singular values."""

import numpy
from numpy.linalg import LinAlgError

from gpunp.array import layout, transfer
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import implements
from gpunp.linalg.decompositions import svd
from gpunp.linalg.lapack import check_matrices, check_square, common_dtype, real_dtype, to_dtype
from gpunp.linalg.norms import norm
from gpunp.linalg.solving import inverse_or_nan

_KERNELS = ("include/gpunp/linalg/jacobi.h", "codegen/linalg.py")
_GIVEN = numpy._NoValue


def _no_matrix(a):
    """Whether the matrices themselves, not just the stack, are empty."""
    return a.size == 0 and 0 in a.shape[-2:]


def _number(value, a):
    """A scalar unchanged; an array on the device of ``a``, with an axis added for the singular values."""
    if isinstance(value, int | float):
        return value
    return asarray(value, device=a.device)[..., None]


@implements(numpy.linalg.matrix_rank, kernels=_KERNELS)
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Number of singular values above a tolerance; see `numpy.linalg.matrix_rank`."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    a = asarray(A)
    if a.ndim < 2:
        return numpy.any(a != 0).astype(numpy.int64)
    values = svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        if rtol is None:
            rtol = max(a.shape[-2:]) * float(numpy.finfo(values.dtype).eps)
        tol = numpy.max(values, axis=-1, keepdims=True, initial=0) * _number(rtol, a)
    else:
        tol = _number(tol, a)
    return numpy.sum(values > tol, axis=-1, dtype=numpy.int64)


@implements(numpy.linalg.pinv, kernels=_KERNELS)
def pinv(a, rcond=None, hermitian=False, *, rtol=numpy._NoValue):
    """The Moore-Penrose inverse; see `numpy.linalg.pinv`."""
    a = asarray(a)
    if rcond is None:
        if rtol is _GIVEN:
            rcond = 1e-15
        elif rtol is None:
            rcond = max(a.shape[-2:]) * float(numpy.finfo(a.dtype).eps)
        else:
            rcond = rtol
    elif rtol is not _GIVEN:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if _no_matrix(a):
        check_matrices(a)
        return layout.empty((*a.shape[:-2], *a.shape[:-3:-1]), a.dtype, device=a.device)
    u, s, vh = svd(a, full_matrices=False, hermitian=hermitian)
    large = s > _number(rcond, a) * numpy.max(s, axis=-1, keepdims=True)
    if large.shape != s.shape:
        raise ValueError(
            f"pinv: limits of shape {numpy.shape(rcond)} do not belong to matrices of shape {a.shape}; "
            f"rcond must broadcast to {a.shape[:-2]}"
        )
    one = s.dtype.type(1)
    inverse = numpy.where(large, one / numpy.where(large, s, one), s.dtype.type(0))
    if vh.dtype.kind == "c":
        u, vh = numpy.conjugate(u), numpy.conjugate(vh)
    return numpy.matmul(vh.mT, inverse[..., None] * u.mT)


@implements(numpy.linalg.cond, kernels=_KERNELS)
def cond(x, p=None):
    """Condition number; see `numpy.linalg.cond`."""
    x = asarray(x)
    p = p.item() if isinstance(p, ndarray) else p
    if x.device.is_cpu:
        return transfer.on_host(numpy.linalg.cond, x.device, (x, p), {})
    return condition(x, p)


def condition(x, p):
    """The condition number, composed of other functions, without waiting for the device."""
    if _no_matrix(x):
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        check_matrices(x)
        values = svd(x, compute_uv=False)
        first, last = (-1, 0) if p == -2 else (0, -1)
        result = values[..., first] / values[..., last]
    else:
        check_square(x)
        x = to_dtype(x, common_dtype(x))
        result = norm(x, p, axis=(-2, -1)) * norm(inverse_or_nan(x), p, axis=(-2, -1))
        result = to_dtype(result, real_dtype(x.dtype))
    # The condition number of a singular matrix is infinite; that of a matrix with NaN stays NaN.
    missing = numpy.isnan(result) & ~numpy.any(numpy.isnan(x), axis=(-2, -1))
    return numpy.where(missing, result.dtype.type(numpy.inf), result)._mark_scalar()
