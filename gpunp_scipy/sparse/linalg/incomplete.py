"""Incomplete factors that have entries only where the matrix has: preconditioners on the device."""

import numpy
import scipy.sparse.linalg
from scipy.sparse import issparse

import gpunp
from gpunp_scipy.sparse import classes, functions
from gpunp_scipy.sparse.factor_kernels import Rows
from gpunp_scipy.sparse.segments import rows_of, sums

__all__ = ["ic0", "ilu0"]


class IncompleteFactors(scipy.sparse.linalg.LinearOperator):
    """A linear operator that solves systems with incomplete factors of a matrix, for solvers' ``M``.

    `ilu0` and `ic0` make it. ``L`` and ``U`` are the factors, in rows, on the device.
    """

    def __init__(self, L, U, sweeps, adjoint):
        self.L, self.U = L, U
        self._sweeps, self._adjoint = sweeps, adjoint
        super().__init__(L.dtype, L.shape)

    def solve(self, rhs, trans="N"):
        """Solve systems with the product of the factors; does not wait.

        Parameters
        ----------
        rhs : ndarray, shape (n,) or (n, k)
        trans : {"N", "T", "H"}, optional
            Whether the product, its transpose or its adjoint is meant.

        Returns
        -------
        ndarray
            Of the same shape, with the factors' dtype.
        """
        if trans not in ("N", "T", "H"):
            raise ValueError(f"IncompleteFactors.solve: trans must be 'N', 'T' or 'H', not {trans!r}")
        rhs = gpunp.asarray(rhs, device=self.L.device)
        if rhs.ndim not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise ValueError(
                f"IncompleteFactors.solve: rhs has shape {rhs.shape}; its first axis must be {self.shape[0]}"
            )
        if rhs.dtype.kind == "c" and self.dtype.kind != "c":
            return self.solve(rhs.real, trans) + 1j * self.solve(rhs.imag, trans)
        if trans == "T":
            return self.solve(rhs.conj(), "H").conj()
        sweeps = self._sweeps if trans == "N" else self._adjoint()
        columns = rhs.T if rhs.ndim == 2 else (rhs,)
        x = gpunp.empty((len(columns), rhs.shape[0]), self.dtype)
        for b, solution in zip(columns, x, strict=True):
            self._solve_vector(b, solution, sweeps)
        return x[0] if rhs.ndim == 1 else x.T

    def _solve_vector(self, b, x, sweeps):
        """Solve one system by a lower and then an upper triangle, into ``x``."""
        between = gpunp.empty(len(x), self.dtype)
        b = gpunp.ascontiguousarray(b.astype(self.dtype, copy=False))
        for (rows, upper, unit), right, solution in zip(sweeps, (b, between), (between, x), strict=True):
            rows.solve(right, solution, upper=upper, unit=unit)

    def _matvec(self, x):
        return self.solve(x).reshape(-1)

    def _rmatvec(self, x):
        return self.solve(x, "H").reshape(-1)

    def _matmat(self, X):
        return self.solve(X)

    def _rmatmat(self, X):
        return self.solve(X, "H")


def _sorted_rows(name, A):
    """A copy of a square matrix in sorted rows, of floating-point numbers."""
    if not issparse(A):
        raise TypeError(f"{name}: A must be a sparse array or matrix, not {type(A).__name__}")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"{name}: can only factor square matrices, but A has shape {A.shape}")
    with classes.device_of_parts(A):
        A = classes.device_class("csr_array")(A.tocsr(copy=True))
        if A.dtype.char not in "fdFD":
            A = A.astype(numpy.promote_types(A.dtype, numpy.float32))
        A.sum_duplicates()
    return A


def _diagonal_places(name, A):
    """Where the entries on the diagonal are; waits for the device."""
    row = rows_of(A.indptr, len(A.indices))
    before = sums((A.indices < row).astype("i8"), A.indptr)
    places = A.indptr[:-1] + before
    found = places < A.indptr[1:]
    if len(A.indices):
        found = found & (A.indices[numpy.where(found, places, 0)] == gpunp.arange(A.shape[0]))
    if not bool(found.all()):
        first = int(numpy.argmin(found))
        raise RuntimeError(f"{name}: Factor is exactly singular: row {first} has no entry on the diagonal")
    return places.astype("i8", copy=False)


def _rows(name, A):
    parts = map(gpunp.ascontiguousarray, (A.indptr, A.indices, A.data))
    return Rows(*parts, gpunp.ascontiguousarray(_diagonal_places(name, A)))


def _sweeps(*sweeps):
    """Systems that are solved one after another: rows, which triangle, whether its diagonal is of ones."""
    for rows, upper, unit in sweeps:
        rows.prepare(upper=upper, unit=unit)
    return sweeps


def _sorted_adjoint(A):
    found = A.conj().T.tocsr()
    found.sort_indices()
    return found


def ilu0(A):
    """Incomplete factors L and U of a sparse matrix that have entries only where the matrix has: ILU(0).

    Unlike `spilu`, which drops small entries on the host, it computes on the device. Rows are not exchanged.

    Parameters
    ----------
    A : sparse array or matrix
        Square, with an entry in each place of the diagonal. Duplicates are added up.

    Returns
    -------
    IncompleteFactors
        A linear operator for the parameter ``M`` of iterative solvers. It has `solve`, ``L`` with ones on the
        diagonal, and ``U``.

    Raises
    ------
    RuntimeError
        If a place of the diagonal has no entry, or a pivot is 0. Waits for the device to find out.

    Examples
    --------
    >>> import gpunp, gpunp_scipy
    >>> import scipy.sparse.linalg as splinalg
    >>> A = gpunp_scipy.sparse.diags_array([[-1.0] * 9, [4.0] * 10, [-2.0] * 9], offsets=[-1, 0, 1]).tocsr()
    >>> x, info = splinalg.bicgstab(A, gpunp.ones(10), M=gpunp_scipy.sparse.linalg.ilu0(A))
    >>> info
    0
    """
    A = _sorted_rows("ilu0", A)
    rows = _rows("ilu0", A)
    bad = rows.factorize("lu")
    if bad < A.shape[0]:
        raise RuntimeError(f"ilu0: Factor is exactly singular: the pivot of row {bad} is 0")
    factors = A._like(data=rows.data, indices=rows.indices, indptr=rows.indptr)
    with classes.device_of_parts(factors):
        U = functions.triu(factors, format="csr")
        ones = functions.eye_array(A.shape[0], dtype=A.dtype, format="csr")
        L = functions.tril(factors, -1, format="csr") + ones
    found = []

    def adjoint():
        if not found:
            other = _rows("ilu0", _sorted_adjoint(factors))
            found.append(_sweeps((other, False, False), (other, True, True)))
        return found[0]

    return IncompleteFactors(L, U, _sweeps((rows, False, True), (rows, True, False)), adjoint)


def ic0(A):
    """The incomplete Cholesky factor L of a sparse matrix that has entries only where the matrix has: IC(0).

    The product of L and its adjoint is near A. The factor takes half the memory of those of `ilu0`.

    Parameters
    ----------
    A : sparse array or matrix
        Hermitian and positive definite; only its lower triangle is read. It has an entry in each place of the
        diagonal. Duplicates are added up.

    Returns
    -------
    IncompleteFactors
        A linear operator for the parameter ``M`` of iterative solvers. It has `solve`, ``L``, and ``U``, the
        adjoint of ``L``.

    Raises
    ------
    RuntimeError
        If a place of the diagonal has no entry.
    numpy.linalg.LinAlgError
        If a pivot is not positive, which may be so for some positive definite matrices, too. Waits for the
        device to find out.

    Examples
    --------
    >>> import gpunp, gpunp_scipy
    >>> import scipy.sparse.linalg as splinalg
    >>> A = gpunp_scipy.sparse.diags_array([[-1.0] * 9, [2.0] * 10, [-1.0] * 9], offsets=[-1, 0, 1]).tocsr()
    >>> x, info = splinalg.cg(A, gpunp.ones(10), M=gpunp_scipy.sparse.linalg.ic0(A))
    >>> info
    0
    """
    A = _sorted_rows("ic0", A)
    with classes.device_of_parts(A):
        A = functions.tril(A, format="csr")
        A.sort_indices()
    rows = _rows("ic0", A)
    bad = rows.factorize("cholesky")
    if bad < A.shape[0]:
        raise numpy.linalg.LinAlgError(
            f"ic0: the pivot of row {bad} is not positive: A is not positive definite, or needs more entries"
        )
    L = A._like(data=rows.data, indices=rows.indices, indptr=rows.indptr)
    U = _sorted_adjoint(L)
    sweeps = _sweeps((rows, False, False), (_rows("ic0", U), True, False))
    return IncompleteFactors(L, U, sweeps, lambda: sweeps)
