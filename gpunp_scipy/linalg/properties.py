"""Norms, and questions about the structure of matrices."""

import numpy

from gpunp.array import layout
from gpunp.linalg.norms import norm as numpy_norm
from gpunp_scipy.linalg.calls import adjoint, arrays_of, linalg, over_batch


@linalg
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """Norm of a matrix or vector; see `scipy.linalg.norm`. With ``check_finite`` waits for the device."""
    return numpy_norm(arrays_of(a, finite=check_finite), ord=ord, axis=axis, keepdims=keepdims)


@linalg
def bandwidth(a):
    """Numbers of diagonals below and above the main one; see `scipy.linalg.bandwidth`. Waits for a matrix."""
    a = arrays_of(a)
    if a.ndim < 2:
        raise ValueError("Input array must be at least 2D.")
    if a.dtype.char == "e":
        raise TypeError(f"Input array with {a.dtype} dtype is not supported.")
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    if a.size == 0 and not batch:
        return numpy.int64(0), numpy.int64(0)
    if a.size == 0:
        below = above = layout.zeros(batch, numpy.dtype(numpy.int64), device=a.device)
    else:
        offsets = numpy.arange(n, like=a) - numpy.arange(m, like=a)[:, None]
        offsets = numpy.where(a != 0, offsets, 0)
        below, above = -offsets.min(axis=(-2, -1)), offsets.max(axis=(-2, -1))
    return (below, above) if batch else tuple(numpy.stack((below, above)).tolist())


def _square(a):
    a = arrays_of(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"Input array must be a square matrix, not of shape {a.shape}.")
    return a


def _equal(a, other, atol, rtol):
    if atol is None and rtol is None:
        if a.dtype.char == "e" and a.size:
            raise TypeError(f"Input array with {a.dtype} dtype is not supported.")
        same = a == other
        if a.dtype.kind == "f":
            # A NaN on the diagonal is equal to itself there, as in SciPy.
            same = same | numpy.eye(len(a), dtype=bool, like=a)
        return bool(same.all())
    atol = 0.0 if atol is None else atol
    rtol = 0.0 if rtol is None else rtol
    return bool(numpy.isclose(a, other, rtol=rtol, atol=atol).all())


@linalg
@over_batch(a=2)
def issymmetric(a, atol=None, rtol=None):
    """Whether a matrix is symmetric; see `scipy.linalg.issymmetric`. Waits for the device."""
    a = _square(a)
    return _equal(a, a.mT, atol, rtol)


@linalg
@over_batch(a=2)
def ishermitian(a, atol=None, rtol=None):
    """Whether a matrix is Hermitian; see `scipy.linalg.ishermitian`. Waits for the device."""
    a = _square(a)
    return _equal(a, adjoint(a), atol, rtol)
