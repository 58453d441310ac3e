"""Sparse triangular systems on a GPU, by cuSPARSE."""

import warnings

import numpy
import scipy.linalg
from scipy.sparse import SparseEfficiencyWarning, issparse

import gpunp
from gpunp_scipy.sparse import classes


def solve(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    """Solve ``A @ x = b`` for a triangular matrix; see `scipy.sparse.linalg.spsolve_triangular`.

    Waits for the device once, to look for zeros on the diagonal.
    """
    if not (issparse(A) and A.format in ("csc", "csr")):
        warnings.warn(
            "CSC or CSR matrix format is required. Converting to CSC matrix.",
            SparseEfficiencyWarning,
            stacklevel=5,
        )
        A = classes.device_class("csc_array")(A)
    elif not overwrite_A and not A.has_canonical_format:
        A = A.copy()
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be a square matrix but its shape is {A.shape}.")
    if b.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {b.shape}.")
    if A.shape[0] != b.shape[0]:
        raise ValueError(
            "The size of the dimensions of A must be equal to the size of the first dimension of b but the "
            f"shape of A is {A.shape} and the shape of b is {b.shape}."
        )
    if not unit_diagonal and bool((A.diagonal() == 0).any()):
        raise scipy.linalg.LinAlgError("A is singular: zero entry on diagonal.")
    A.sum_duplicates()
    dtype = numpy.promote_types(numpy.promote_types(A.dtype, numpy.float32), b.dtype)
    columns = b.astype(dtype, copy=False)
    columns = gpunp.ascontiguousarray((columns[:, None] if b.ndim == 1 else columns).T)
    x = _solved(A, columns, dtype, lower, unit_diagonal)
    return x[0] if b.ndim == 1 else x.T


def _solved(A, b, dtype, lower, unit):
    from gpunp.cuda.cusparse import TriangularPlan

    if b.size == 0 or not len(A.indices):
        # Without entries it is a diagonal of ones.
        return b.copy()
    parts = A.indptr, A.indices, A.data.astype(dtype, copy=False)
    parts = tuple(map(gpunp.ascontiguousarray, parts))
    x = gpunp.empty_like(b)
    by_rows = A.format == "csr"
    plan = TriangularPlan(
        b.device,
        A.shape[0],
        len(parts[1]),
        tuple(part.data_address for part in parts),
        parts,
        len(b),
        wide=parts[1].dtype.itemsize == 8,
        dtype=dtype.char,
        lower=bool(lower) == by_rows,
        unit=bool(unit),
        trans="N" if by_rows else "T",
    )
    plan.solve(b.data_address, x.data_address)
    return x
