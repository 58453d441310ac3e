"""Linear systems, inverses, determinants and least squares.

On a GPU a singular matrix is reported by the next call that waits, as by `numpy.linalg`; structure is not
searched for, and condition numbers are not estimated.
"""

import numpy

import gpunp
from gpunp.array import layout
from gpunp.linalg import engine, factorizations, triangular
from gpunp.linalg.lapack import to_dtype
from gpunp.linalg.solving import det as numpy_det
from gpunp.linalg.solving import inv as numpy_inv
from gpunp_scipy.linalg import substitution
from gpunp_scipy.linalg.bands import solve_bands
from gpunp_scipy.linalg.calls import (
    adjoint,
    arrays_of,
    common_dtype,
    contiguous,
    in_lapack_dtype,
    linalg,
    side_by_side,
)
from gpunp_scipy.linalg.singular_values import cut_values

_STRUCTURES = {
    None: "general",
    "general": "general",
    "gen": "general",
    "diagonal": "diagonal",
    "tridiagonal": "tridiagonal",
    "banded": "general",
    "upper triangular": "upper",
    "lower triangular": "lower",
    "positive definite": "positive",
    "pos": "positive",
    "symmetric": "symmetric",
    "sym": "symmetric",
    "hermitian": "hermitian",
    "her": "hermitian",
}
_OF_INVERSES = (
    None,
    "general",
    "gen",
    "diagonal",
    "upper triangular",
    "lower triangular",
    "pos",
    "sym",
    "her",
)


def report_zeros(values, call):
    """Report a singular matrix if one of the values is zero."""
    engine.report_info(layout.converted(values == 0, triangular.I4, order="C"), engine.SINGULAR, call)


def mirrored(a, lower, conjugate):
    """Symmetric matrices (Hermitian if ``conjugate``) from one triangle of each."""
    half = numpy.tril(a) if lower else numpy.triu(a)
    rest = numpy.tril(a, -1) if lower else numpy.triu(a, 1)
    if not conjugate or a.dtype.kind != "c":
        return half + rest.mT
    diagonal = numpy.linalg.diagonal(a)
    whole = rest + adjoint(rest)
    return whole + numpy.eye(a.shape[-1], dtype=a.dtype, like=a) * diagonal.real[..., None, :]


@linalg
def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
):
    """Solve ``a @ x == b`` for a square matrix; see `scipy.linalg.solve`.

    On a GPU, by Cholesky factors for positive definite matrices, by substitution for triangular ones, by band
    LU for tridiagonal ones, and otherwise by LU with partial pivoting; `None` looks for no structure. No
    warning is given for a matrix of large condition. With ``check_finite`` the call waits for the device
    once.
    """
    if assume_a not in _STRUCTURES:
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    a, b = arrays_of(a, b, finite=check_finite)
    dtype = common_dtype(a, b)
    a, b = to_dtype(numpy.atleast_2d(a), dtype), to_dtype(numpy.atleast_1d(b), dtype)
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Expected square matrix, got a1.shape={a.shape!r}")
    if a.dtype.kind == "c" and transposed:
        raise NotImplementedError(
            "scipy.linalg.solve can currently not solve a^T x = b or a^H x = b for complex matrices."
        )
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if rows != a.shape[-1] and a.size != 1:
        raise ValueError(f"incompatible shapes: a1.shape={a.shape!r} and b1.shape={b.shape!r}")
    vector = b.ndim == 1
    columns = b[:, None] if vector else b
    if a.size == 1 or a.size == 0 or b.size == 0:
        batch = numpy.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
        columns = numpy.broadcast_to(columns, (*batch, *columns.shape[-2:]))
        if a.size == 1:
            report_zeros(a, "solve")
            columns = columns / a
        else:
            columns = layout.empty(columns.shape, columns.dtype, device=b.device)
        return columns[..., 0] if vector else columns
    a, b, shape = side_by_side("solve", a, b)
    found = solve_stack(_STRUCTURES[assume_a], contiguous(a), contiguous(b), lower, transposed)
    return found.reshape(shape)


def solve_stack(structure, a, b, lower=False, transposed=False):
    """Solve the systems of stacks whose matrices have a structure."""
    if structure == "positive":
        return cholesky_solve(factorizations.cholesky(a, upper=not lower), b, lower)
    if structure in ("upper", "lower"):
        return substituted(a, b, structure == "upper", int(transposed), report="solve")
    if structure == "diagonal":
        diagonal = numpy.linalg.diagonal(a)
        report_zeros(diagonal, "solve")
        return b / diagonal[..., None]
    if structure == "tridiagonal":
        return solve_bands(_diagonals(a.mT if transposed else a), b, 1, 1, "solve")
    if structure in ("symmetric", "hermitian"):
        a = mirrored(a, lower, structure == "hermitian")
    elif transposed:
        a = layout.converted(a.mT, order="C")
    return factorizations.solve(a, b)


def _diagonals(a):
    """The three middle diagonals of each matrix, as `scipy.linalg.solve_banded` has them."""
    n = a.shape[-1]
    found = layout.zeros((len(a), 3, n), a.dtype, device=a.device)
    found[:, 1] = numpy.linalg.diagonal(a)
    if n > 1:
        found[:, 0, 1:] = numpy.linalg.diagonal(a, offset=1)
        found[:, 2, :-1] = numpy.linalg.diagonal(a, offset=-1)
    return found


def substituted(a, b, upper, op=0, unit=False, report=None):
    """Solve triangular systems; see `gpunp.linalg.triangular.solve`.

    Large matrices with one right side have a kernel in which blocks wait for each other, instead of a launch
    for every few unknowns.
    """
    if engine.takes("triangular", a, b.shape[-1]) or not substitution.takes(a, b):
        return triangular.solve(a, b, upper, op, unit, report)
    if report is not None and not unit:
        report_zeros(numpy.linalg.diagonal(a), report)
    return substitution.solve(a, b, upper, bool(op), unit)


def cholesky_solve(c, b, lower):
    """Solve with the Cholesky factors of a stack; see `scipy.linalg.cho_solve`."""
    x = substituted(c, b, not lower, 0 if lower else 2)
    return substituted(c, x, not lower, 2 if lower else 0)


@linalg
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """Solve with a triangular matrix; see `scipy.linalg.solve_triangular`."""
    a, b = arrays_of(a, b, finite=check_finite)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("expected square matrix")
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != rows:
        raise ValueError(f"shapes of a {a.shape} and b {b.shape} are incompatible")
    op = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    if op not in (0, 1, 2):
        raise ValueError(f"trans must be 0, 1, 2, 'N', 'T' or 'C', not {trans!r}")
    a, b = in_lapack_dtype(a, b)
    a, b, shape = side_by_side("solve_triangular", a, b)
    x = substituted(contiguous(a), contiguous(b), not lower, int(op), bool(unit_diagonal), "solve_triangular")
    return x.reshape(shape)


def square_matrices(a, check_finite):
    """The argument of `inv` and `det`."""
    a = arrays_of(a, finite=check_finite)
    if a.ndim < 2:
        raise ValueError(f"Expected at least ndim=2, got a1.ndim={a.ndim!r}")
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Expected square matrix, got a1.shape={a.shape!r}")
    return in_lapack_dtype(a)


@linalg
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    """Inverse of a square matrix; see `scipy.linalg.inv`.

    On a GPU ``assume_a`` selects as in `solve`.
    """
    a = square_matrices(a, check_finite)
    if assume_a not in _OF_INVERSES:
        raise KeyError(assume_a)
    structure = _STRUCTURES[assume_a]
    if a.size == 0 or structure == "general":
        return numpy_inv(a)
    stack = contiguous(a)
    identity = numpy.eye(a.shape[-1], dtype=a.dtype, like=a)
    sides = contiguous(numpy.broadcast_to(identity, stack.shape))
    return solve_stack(structure, stack, sides, lower).reshape(a.shape)


@linalg
def det(a, overwrite_a=False, check_finite=True):
    """Determinant, in double precision; see `scipy.linalg.det`."""
    a = arrays_of(a, finite=check_finite)
    if a.ndim < 2:
        raise ValueError("The input array must be at least two-dimensional.")
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Last 2 dimensions of the array must be square but received shape {a.shape}.")
    found = numpy_det(in_lapack_dtype(a))
    return found.astype("D" if found.dtype.kind == "c" else "d")._mark_scalar()


@linalg
def lstsq(
    a,
    b,
    cond=None,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    lapack_driver=None,
):
    """Least squares; see `scipy.linalg.lstsq`.

    On a GPU by singular values, whichever driver is named; with ``lapack_driver='gelsy'`` they are not
    returned.
    """
    if lapack_driver not in (None, "gelsd", "gelsy", "gelss"):
        raise ValueError(f'LAPACK driver "{lapack_driver}" is not found')
    a, b = arrays_of(a, b, finite=check_finite)
    if a.ndim < 2:
        raise ValueError("Input array a should be at least 2D, got {a.shape = }")
    dtype = common_dtype(a, b)
    a, b = to_dtype(a, dtype), to_dtype(numpy.atleast_1d(b), dtype)
    m, n = a.shape[-2:]
    real = a.real.dtype
    if m == 0 or n == 0:
        x = layout.zeros((n, *b.shape[1:]), a.dtype, device=a.device)
        lost = numpy.linalg.norm(b, axis=0) ** 2 if n == 0 else gpunp.empty(0, device=a.device)
        return x, lost, 0, gpunp.empty(0, device=a.device)
    cond = float(numpy.finfo(real).eps) if cond is None else float(cond)
    vector = b.ndim == 1
    columns = b[:, None] if vector else b
    if m != columns.shape[-2]:
        raise ValueError(
            f"Shape mismatch: a and b should have the same number of rows ({m} != {columns.shape[-2]})."
        )
    if cond < 0:
        raise ValueError("Expected rcond >= 0.")
    batch = numpy.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    a = numpy.broadcast_to(a, (*batch, m, n))
    columns = numpy.broadcast_to(columns, (*batch, *columns.shape[-2:]))
    u, s, vh = numpy.linalg.svd(a, full_matrices=False)
    inverse, rank = cut_values(s, s[..., :1] * real.type(cond))
    x = adjoint(vh) @ (inverse[..., None] * (adjoint(u) @ columns))
    if m <= n or lapack_driver == "gelsy":
        lost = layout.zeros((*batch, 0), a.dtype, device=a.device)
    else:
        errors = columns - a @ x
        lost = (errors * numpy.conjugate(errors)).sum(axis=-2)
        lost = numpy.where(rank[..., None] < n, lost.dtype.type(numpy.nan), lost)
        lost = lost[..., 0] if vector else lost
    return x[..., 0] if vector else x, lost, rank, None if lapack_driver == "gelsy" else s
