"""Factors of sparse matrices on a GPU, by cuDSS."""

import numpy

import gpunp
from gpunp.dispatch.function_protocol import unhandled
from gpunp_scipy.sparse import classes

# SuperLU's orders of columns, and cuDSS's that are nearest.
_ORDERS = {None: "default", "NATURAL": "none", "COLAMD": "colamd", "MMD_ATA": "amd", "MMD_AT_PLUS_A": "amd"}
# Steps of refinement of a solution.
_STEPS = {None: 1, "NOREFINE": 0, "SINGLE": 1, "DOUBLE": 1, "EXTRA": 2}
_SINGULAR = "Factor is exactly singular"


class Singular(RuntimeError):
    """A matrix has no inverse."""


def incomplete():
    """The error for incomplete factors."""
    return unhandled(
        "scipy.sparse.linalg.spilu",
        "SuperLU drops small entries on the host, column after column; splu runs on the device",
    )


def factorize(n, data, indices, indptr, options):
    """Factors of a matrix in columns."""
    return DeviceFactors((data, indices, indptr), options or {}, by_columns=True)


def solution(n, data, indices, indptr, b, flag, options):
    """Solve a system with a matrix in columns (flag 1) or rows (flag 0).

    Returns
    -------
    x : ndarray
    info : int
        Not 0 if the matrix is singular.
    """
    try:
        factors = DeviceFactors((data, indices, indptr), options or {}, by_columns=bool(flag))
    except Singular:
        return gpunp.empty_like(b), n
    return factors.solve(b), 0


class _Matrix:
    """A square matrix in sorted rows, and its factors."""

    def __init__(self, parts, **settings):
        from gpunp.cuda.cudss import Factorization

        data, indices, indptr = self.parts = tuple(map(gpunp.ascontiguousarray, parts))
        addresses = tuple(each.data_address for each in (indptr, indices, data))
        wide = indices.dtype.itemsize == 8
        self.n = len(indptr) - 1
        self.factors = Factorization(
            data.device, self.n, len(indices), addresses, wide, data.dtype.char, **settings
        )
        self.info, self.pivots = self.factors.factorize()

    def sparse(self):
        return classes.device_class("csr_array")(self.parts, shape=(self.n, self.n))

    def solve(self, b, op):
        """Solve for the rows of an array."""
        b = gpunp.ascontiguousarray(b)
        x = gpunp.empty_like(b)
        self.factors.solve(b.data_address, x.data_address, len(b), op)
        return x

    def reaches(self):
        """Whether a solution fulfils the equations; waits for the device."""
        b = gpunp.ones((1, self.n), self.parts[0].dtype)
        x = self.solve(b, "N")[0]
        residual = numpy.linalg.norm(self.sparse() @ x - b[0])
        # Rounding alone leaves more where the solution is large.
        rounding = numpy.finfo(x.dtype).eps * numpy.abs(self.parts[0]).max() * numpy.linalg.norm(x)
        # NaN does not.
        return bool(residual <= 1e-3 * numpy.sqrt(self.n) + 10 * rounding)


class DeviceFactors:
    """Factors of a square matrix on a GPU, with the interface of `scipy.sparse.linalg.SuperLU`.

    cuDSS exchanges rows within blocks only. Where a pivot was too small there, the factors are computed again
    with COLAMD's order and pivots from whole columns, which takes longer.

    Parameters
    ----------
    parts : tuple of ndarray
        Values, indices and pointers, sorted and without duplicates.
    options : dict
        As for `scipy.sparse.linalg.splu`; those that concern SuperLU's blocks have no effect.
    by_columns : bool
        Whether these are the matrix's columns rather than its rows.
    """

    def __init__(self, parts, options, *, by_columns):
        order = options.get("ColPerm")
        if order not in _ORDERS:
            raise ValueError("invalid value for 'ColPerm' parameter")
        refinement = options.get("IterRefine")
        if refinement not in _STEPS:
            raise ValueError("invalid value for 'IterRefine' parameter")
        self._by_columns, self._reflected = by_columns, None
        self._threshold, self._steps = options.get("DiagPivotThresh"), _STEPS[refinement]
        self.dtype, n = parts[0].dtype, len(parts[2]) - 1
        self.shape = n, n
        if n == 0 or bool((parts[2][1:] == parts[2][:-1]).any()):
            raise Singular(_SINGULAR)
        self._matrix = self._factorized(parts, _ORDERS[order])
        self.nnz = self._matrix.factors.nnz

    def _factorized(self, parts, order):
        if order != "colamd":
            try:
                found = _Matrix(parts, reordering=order, threshold=self._threshold, steps=self._steps)
            except ImportError:
                raise
            except RuntimeError:
                # Of a matrix whose places of entries make it singular, for example.
                found = None
            self._columns_only = False
            # A zero on the diagonal of a block of one row is not counted.
            if found is not None and found.info == 0 and found.pivots == 0 and found.reaches():
                return found
        return self._pivoted(parts)

    def _pivoted(self, parts):
        """Factors with pivots from whole columns."""
        self._columns_only = True
        found = _Matrix(
            parts, reordering="colamd", pivoting="columns", threshold=self._threshold, steps=self._steps + 1
        )
        if found.info != 0 or not found.reaches():
            raise Singular(_SINGULAR)
        return found

    def _transposed(self):
        """Factors of the transpose, as cuDSS does not solve transposed systems with COLAMD's order."""
        if self._reflected is None:
            rows = self._matrix.sparse().T.tocsr()
            rows.sort_indices()
            self._reflected = self._pivoted((rows.data, rows.indices, rows.indptr))
        return self._reflected

    def _unavailable(self):
        raise AttributeError("cuDSS keeps its factors: L, U, perm_r and perm_c are those of splu(A.get())")

    L = U = perm_r = perm_c = property(_unavailable)

    def solve(self, rhs, trans="N"):
        """Solve systems with the matrix; does not wait. See `scipy.sparse.linalg.SuperLU`.

        Parameters
        ----------
        rhs : ndarray, shape (n,) or (n, k)
        trans : {"N", "T", "H"}, optional
            Whether the matrix, its transpose or its adjoint is meant.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        if trans not in ("N", "T", "H"):
            raise ValueError("trans must be N, T, or H")
        rhs = gpunp.asarray(rhs)
        if rhs.ndim not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise ValueError(f"b is of incompatible size: {rhs.shape} for a matrix of shape {self.shape}")
        if not numpy.can_cast(rhs.dtype, self.dtype, "safe"):
            raise TypeError(
                f"Cannot cast array data from {rhs.dtype!r} to {self.dtype!r} according to the rule 'safe'"
            )
        b = rhs.astype(self.dtype, copy=False)
        x = self._solved((b[:, None] if b.ndim == 1 else b).T, trans)
        return x[0] if b.ndim == 1 else x.T

    def _solved(self, b, trans):
        conjugate = trans == "H" and self.dtype.kind == "c"
        # What is stored may be the transpose.
        op = "N" if (trans == "N") != self._by_columns else "T"
        if conjugate:
            b = b.conj()
        if op == "T" and self._columns_only:
            x = self._transposed().solve(b, "N")
        else:
            x = self._matrix.solve(b, op)
        return x.conj() if conjugate else x
