"""Cholesky factors, and factors of symmetric indefinite matrices."""

import warnings

import numpy

from gpunp.array import layout
from gpunp.linalg import factorizations, triangular
from gpunp_scipy.linalg.calls import (
    arrays_of,
    contiguous,
    in_lapack_dtype,
    linalg,
    no_empty_batch,
    side_by_side,
)
from gpunp_scipy.linalg.systems import cholesky_solve


def _factor(a, lower, check_finite):
    a = numpy.atleast_2d(arrays_of(a, finite=check_finite))
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Expected a square matrix or batch thereof, got a1.shape={a.shape!r}")
    a = in_lapack_dtype(a)
    return factorizations.cholesky(contiguous(a), not lower).reshape(a.shape)


@linalg
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """Cholesky factor; see `scipy.linalg.cholesky`. With ``check_finite`` waits for the device once."""
    return _factor(a, lower, check_finite)


@linalg
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """Cholesky factor for `cho_solve`; see `scipy.linalg.cho_factor`.

    On a GPU the other triangle of the result is zero.
    """
    found = _factor(a, lower, check_finite)
    return found, numpy.tile(lower, reps=found.shape[:-2])


@linalg
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solve with a Cholesky factor; see `scipy.linalg.cho_solve`."""
    c, lower = c_and_lower
    c, b = arrays_of(c, b, finite=check_finite)
    if c.ndim < 2 or c.shape[-1] != c.shape[-2]:
        raise ValueError("The factored matrix c is not square.")
    if c.shape[-1] != (b.shape[-2] if b.ndim > 1 else b.shape[0]):
        raise ValueError(f"incompatible dimensions ({c.shape} and {b.shape})")
    c, b = in_lapack_dtype(c, b)
    c, b, shape = side_by_side("_cho_solve", c, b)
    # SciPy's own flag is an array for a batch, whose elements are equal.
    lower = bool(numpy.all(lower))
    return cholesky_solve(contiguous(c), contiguous(b), lower).reshape(shape)


@linalg
def ldl(A, lower=True, hermitian=True, overwrite_a=False, check_finite=True):
    """Factors of a symmetric indefinite matrix; see `scipy.linalg.ldl`.

    By Bunch and Kaufman's pivots, on a GPU by one block of threads for each matrix. Where several pivots are
    equal the upper form may choose another than LAPACK.
    """
    a = numpy.atleast_2d(arrays_of(A, finite=check_finite))
    if a.shape[-1] != a.shape[-2]:
        raise ValueError('The input array "a" should be square.')
    no_empty_batch("ldl", a.shape[:-2])
    n = a.shape[-1]
    if n == 0:
        return (
            layout.empty_like(a),
            layout.empty_like(a),
            layout.empty((*a.shape[:-2], 0), numpy.dtype(int), device=a.device),
        )
    a = in_lapack_dtype(a)
    conjugate = hermitian and a.dtype.kind == "c"
    if conjugate and bool(numpy.any(numpy.linalg.diagonal(a).imag)):
        warnings.warn(
            "scipy.linalg.ldl():\nThe imaginary parts of the diagonalare ignored. Use "
            '"hermitian=False" for factorization ofcomplex symmetric arrays.',
            numpy.exceptions.ComplexWarning,
            stacklevel=3,
        )
    # The upper factor of a matrix is the lower one of the matrix in reversed order.
    stack = contiguous(a) if lower else contiguous(a[..., ::-1, ::-1])
    factor, diagonal, below, order = triangular.ldl(stack, conjugate)
    d = layout.zeros(stack.shape, a.dtype, device=a.device)
    numpy.einsum("bii->bi", d)[...] = diagonal
    numpy.einsum("bii->bi", d[:, 1:, :-1])[...] = below[:, :-1]
    numpy.einsum("bii->bi", d[:, :-1, 1:])[...] = (
        numpy.conjugate(below[:, :-1]) if conjugate else below[:, :-1]
    )
    if not lower:
        factor, d = factor[:, ::-1, ::-1], d[:, ::-1, ::-1]
        order = n - 1 - order[:, ::-1]
    places = numpy.argsort(order, axis=1)
    outer = numpy.take_along_axis(layout.converted(factor, order="C"), places[:, :, None], axis=1)
    batch = a.shape[:-2]
    return (
        outer.reshape(a.shape),
        layout.converted(d, order="C").reshape(a.shape),
        order.astype(int).reshape((*batch, n)),
    )
