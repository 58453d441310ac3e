"""LU factors and systems with them."""

import math

import numpy

from gpunp.array import layout
from gpunp.linalg import triangular
from gpunp_scipy.linalg.calls import (
    arrays_of,
    contiguous,
    in_lapack_dtype,
    linalg,
    no_empty_batch,
    real_of,
    side_by_side,
)


@linalg
def lu_factor(a, overwrite_a=False, check_finite=True):
    """LU factors for `lu_solve`; see `scipy.linalg.lu_factor`.

    On a GPU no warning is given for a singular matrix. With ``check_finite`` waits for the device once.
    """
    a = arrays_of(a, finite=check_finite)
    if a.ndim < 2:
        raise ValueError(f"expected a matrix, got shape {a.shape}")
    no_empty_batch("lu_factor", a.shape[:-2])
    if a.size == 0:
        return layout.empty_like(a), layout.empty((*a.shape[:-2], 0), triangular.I4, device=a.device)
    a = in_lapack_dtype(a)
    packed, swaps = triangular.lu(contiguous(a))
    return packed.reshape(a.shape), swaps.reshape((*a.shape[:-2], min(a.shape[-2:])))


@linalg
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """Solve with LU factors; see `scipy.linalg.lu_solve`."""
    lu, piv = lu_and_piv
    lu, piv, b = arrays_of(lu, piv, b)
    arrays_of(b, finite=check_finite)
    if lu.shape[-1] != (b.shape[-2] if b.ndim > 1 else b.shape[0]):
        raise ValueError(f"Shapes of lu {lu.shape} and b {b.shape} are incompatible")
    if trans not in (0, 1, 2):
        raise ValueError(f"trans must be 0, 1 or 2, not {trans!r}")
    lu, b = in_lapack_dtype(lu, b)
    lu, b, shape = side_by_side("_lu_solve", lu, b)
    n = lu.shape[-1]
    swaps = numpy.broadcast_to(piv, (*lu.shape[:-2], n)).reshape((math.prod(lu.shape[:-2]), n))
    swaps = layout.converted(swaps, triangular.I4, order="C")
    return triangular.lu_solve(contiguous(lu), swaps, contiguous(b), int(trans)).reshape(shape)


@linalg
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """LU factors with the permutation; see `scipy.linalg.lu`."""
    a = arrays_of(a, finite=check_finite)
    if a.ndim < 2:
        raise ValueError("The input array must be at least two-dimensional.")
    a = in_lapack_dtype(a)
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    packed, swaps = triangular.lu(contiguous(a))
    lower = numpy.tril(packed[:, :, :k], -1) + numpy.eye(m, k, dtype=a.dtype, like=a)
    upper = numpy.triu(packed[:, :k]).reshape((*batch, k, n))
    # SciPy has no rows to permute in a matrix without columns.
    rows = m if k and a.size else 0
    places = numpy.argsort(triangular.row_order(swaps, m), axis=1).astype(triangular.I4)
    if permute_l:
        lower = numpy.take_along_axis(lower, places[:, :, None], axis=1)
        return lower.reshape((*batch, m, k)), upper
    lower = lower.reshape((*batch, m, k))
    if p_indices:
        found = places[:, :rows].reshape((*batch, rows))
        return found.astype(int) if (m, n) == (1, 1) and a.size else found, lower, upper
    ones = places[:, :rows, None] == numpy.arange(rows, dtype=triangular.I4, like=a)
    # SciPy's of one element are those of `ones_like`.
    dtype = a.dtype if (m, n) == (1, 1) and a.size else real_of(a.dtype)
    return ones.astype(dtype).reshape((*batch, rows, rows)), lower, upper
