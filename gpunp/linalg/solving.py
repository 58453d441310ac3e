"""Linear systems, inverses and determinants."""

import numpy
from numpy.linalg import LinAlgError

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.numpy_internals import SlogdetResult
from gpunp.dispatch.registry import implements
from gpunp.linalg import factorizations
from gpunp.linalg.branches import Branch
from gpunp.linalg.factorizations import stacked
from gpunp.linalg.lapack import (
    F4,
    F8,
    check_matrices,
    check_square,
    common_dtype,
    lapack,
    real_dtype,
    same_device,
    to_dtype,
)

_KERNELS = (
    "include/gpunp/linalg/lu.h",
    "include/gpunp/linalg/lu_warp.h",
    "include/gpunp/linalg/panel_lu.h",
    "codegen/linalg.py",
)


@implements(numpy.linalg.solve, kernels=_KERNELS)
@lapack(arrays=2)
def solve(a, b):
    """Solve ``a @ x == b`` for x; see `numpy.linalg.solve`."""
    check_square(a)
    dtype = common_dtype(a, b)
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    elif b.ndim == 0:
        raise ValueError(
            "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature "
            "(m,m),(m,n)->(m,n) requires 2)"
        )
    n = a.shape[-1]
    if b.shape[-2] != n:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"{'(m,m),(m)->(m)' if vector else '(m,m),(m,n)->(m,n)'} (size {b.shape[-2]} is different "
            f"from {n})"
        )
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = numpy.broadcast_to(to_dtype(a, dtype), (*batch, n, n))
    b = numpy.broadcast_to(to_dtype(b, dtype), (*batch, *b.shape[-2:]))
    x = factorizations.solve(stacked(a), stacked(b)).reshape(b.shape)
    return x[..., 0] if vector else x


@implements(numpy.linalg.inv, kernels=_KERNELS)
@lapack()
def inv(a):
    """Inverse of a matrix, or of each matrix of a stack; see `numpy.linalg.inv`."""
    check_square(a)
    return _inverse(a, report=True)


def _inverse(a, report):
    a = to_dtype(a, common_dtype(a))
    return factorizations.solve(stacked(a), None, report).reshape(a.shape)


def inverse_or_nan(a):
    """Like `inv`, but the inverse of a singular matrix is not finite instead of an error."""
    return _inverse(a, report=False)


@implements(numpy.linalg.slogdet, kernels=_KERNELS)
@lapack()
def slogdet(a):
    """Sign and logarithm of the absolute value of the determinant; see `numpy.linalg.slogdet`."""
    check_square(a)
    a = to_dtype(a, common_dtype(a))
    found = factorizations.sign_and_logarithm(stacked(a))
    return SlogdetResult(*(part.reshape(a.shape[:-2])._mark_scalar() for part in found))


@implements(numpy.linalg.det, kernels=_KERNELS)
@lapack()
def det(a):
    """Determinant; see `numpy.linalg.det`."""
    check_square(a)
    a = to_dtype(a, common_dtype(a))
    sign, logarithm = factorizations.sign_and_logarithm(stacked(a))
    return (sign * numpy.exp(logarithm)).reshape(a.shape[:-2])._mark_scalar()


@implements(numpy.linalg.lstsq, kernels=("include/gpunp/linalg/jacobi.h", "codegen/linalg.py"))
@lapack(arrays=2)
def lstsq(a, b, rcond=None):
    """Least squares by singular values; see `numpy.linalg.lstsq`. Waits for the rank."""
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    for x in (a, b):
        if x.ndim != 2:
            raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be two-dimensional")
    m, n = a.shape
    if b.shape[0] != m:
        raise LinAlgError("Incompatible dimensions")
    dtype = common_dtype(a, b)
    real = real_dtype(dtype)
    a, b = to_dtype(a, dtype), to_dtype(b, dtype)
    if rcond is None:
        # NumPy computes in double precision; here single precision stays single.
        rcond = float(numpy.finfo(real).eps) * max(m, n)
    elif rcond <= 0 or rcond >= 1:
        # LAPACK replaces such values by the machine epsilon.
        rcond = float(numpy.finfo(real).eps)
    if min(m, n) == 0:
        x = layout.zeros((n, b.shape[1]), dtype, device=a.device)
        s, rank, residuals = layout.empty((0,), real, device=a.device), 0, None
    else:
        x, s, rank, residuals = _least_squares(a, b, rcond)
    if rank != n or m <= n:
        residuals = layout.empty((0,), real, device=a.device)
    elif residuals is None:
        residuals = _residuals(a, b, x)
    count = asarray(numpy.int32(rank), device=a.device)._mark_scalar()
    return x[:, 0] if vector else x, residuals, count, s


def _residuals(a, b, x):
    errors = b - a @ x
    return numpy.square(numpy.linalg.norm(errors, axis=0)) if errors.size else errors.real.sum(axis=0)


def _least_squares(a, b, rcond):
    """The solution, the singular values, the rank, and the residuals (None if not computed)."""
    m, n = a.shape
    if m > n and a.dtype == F4 and b.size:
        found = _by_squares(a, b, rcond)
        if found is not None:
            return found
    if m > n:
        # R has the singular values of the whole matrix and is smaller.
        a, b = (part[0] for part in factorizations.triangle(stacked(a), stacked(b)))
    u, s, vh = (part[0] for part in factorizations.svd(stacked(a), full=False, vectors=True))
    large = s > rcond * s[0]
    rank = int(numpy.count_nonzero(large))
    inverse = numpy.where(large, 1 / numpy.where(large, s, s.dtype.type(1)), s.dtype.type(0))
    return _adjoint(vh) @ (inverse[:, None] * (_adjoint(u) @ b)), s, rank, None


# The smallest ratio of the least to the largest singular value for which the normal equations are used.
_EXACT = 1e-6


def _by_squares(a, b, rcond):
    """`_least_squares` by the normal equations in double precision; None unless the rank is full.

    With the condition number c, the error of the solution is about 2^-53 c^2. For c below 2^29 that is less
    than the error 2^-24 c of a stable solution in single precision. The singular values, which determine the
    rank, are computed on a second stream beside the solution; the host waits only after queuing everything.
    """
    squares, right = _squares(a, b)
    with Branch(a.device) as branch:
        s = factorizations.roots_of_squares(squares[None])[0]
        large = numpy.count_nonzero(s > max(rcond, _EXACT) * s[0])
        branch.leave()
        x = factorizations.solve(squares[None], right[None], report=False)[0].astype(F4)
        residuals = _residuals(a, b, x)
        branch.join()
        s, rank = s.copy(), int(large)
    return (x, s, rank, residuals) if rank == a.shape[1] else None


# Elements converted to float64 at a time: 64 MiB.
_CONVERTED = 1 << 23


def _squares(a, b):
    """A^T A and A^T B of single precision matrices, in double precision."""
    n = a.shape[1]
    step = max(_CONVERTED // (n + b.shape[1]), 1)
    found = None
    for start in range(0, len(a), step):
        wide, sides = (layout.converted(x[start : start + step], F8, order="C") for x in (a, b))
        part = numpy.matmul(wide.mT, wide), numpy.matmul(wide.mT, sides)
        found = part if found is None else (found[0] + part[0], found[1] + part[1])
    return found


def _adjoint(a):
    return numpy.conjugate(a).mT if a.dtype.kind == "c" else a.mT


@implements(numpy.linalg.tensorsolve, kernels=_KERNELS)
def tensorsolve(a, b, axes=None):
    """Solve ``tensordot(a, x, x.ndim) == b`` for x; see `numpy.linalg.tensorsolve`."""
    a, b = same_device("tensorsolve", (a, b))
    ndim = a.ndim
    if axes is not None:
        order = list(range(ndim))
        for axis in axes:
            order.remove(axis)
            order.insert(ndim, axis)
        a = a.transpose(order)
    shape = a.shape[-(ndim - b.ndim) :]
    extent = int(numpy.prod(shape, dtype=numpy.intp))
    if a.size != extent**2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return solve(a.reshape(extent, extent), b.reshape(-1)).reshape(shape)


@implements(numpy.linalg.tensorinv, kernels=_KERNELS)
def tensorinv(a, ind=2):
    """Inverse of an array as a linear map between tensors; see `numpy.linalg.tensorinv`."""
    a = asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    extent = int(numpy.prod(a.shape[ind:], dtype=numpy.intp))
    if extent * extent != a.size:
        check_square(a.reshape(extent, -1))
    return inv(a.reshape(extent, -1)).reshape(a.shape[ind:] + a.shape[:ind])


@implements(numpy.linalg.matrix_power, kernels=_KERNELS)
def matrix_power(a, n):
    """A square matrix to an integer power, by repeated squaring; see `numpy.linalg.matrix_power`."""
    from operator import index

    a = asarray(a)
    check_matrices(a)
    check_square(a)
    try:
        n = index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        result = layout.empty_like(a)
        result[...] = numpy.eye(a.shape[-1], dtype=a.dtype, like=a)
        return result
    if n < 0:
        a, n = inv(a), -n
    square = result = None
    while n:
        square = a if square is None else numpy.matmul(square, square)
        n, odd = divmod(n, 2)
        if odd:
            result = square if result is None else numpy.matmul(result, square)
    return result
