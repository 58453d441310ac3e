"""Golub and Kahan's bidiagonalisation with restarts, which takes the place of PROPACK in SciPy's code.

The method is that of Baglama and Reichel, "Augmented implicitly restarted Lanczos bidiagonalization
methods", SIAM J. Sci. Comput. 27 (2005), with Ritz vectors and full orthogonalisation. It does not square
singular values.
"""

import numpy

import gpunp
from gpunp_scipy.sparse.linalg.krylov import projected
from gpunp_scipy.sparse.linalg.operators import operator


class Bidiagonal:
    """Orthonormal bases of both sides, in the rows of arrays, and the projection between them.

    Parameters
    ----------
    multiply, adjoint : callable
        Products with the operator and with its adjoint.
    start : ndarray
        The first vector on the right side.
    rows : int
        The length of vectors on the left side.
    size : int
        How many vectors the bases have.
    rng : numpy.random.Generator
        For vectors that continue the bases of an invariant subspace.
    """

    def __init__(self, multiply, adjoint, start, rows, size, rng):
        self.products, self.size, self.rng = (multiply, adjoint), size, rng
        self.dtype = start.dtype
        self.eps = float(numpy.finfo(self.dtype).eps)
        self.left = gpunp.empty((size, rows), self.dtype)
        self.right = gpunp.empty((size + 1, len(start)), self.dtype)
        # The diagonal and what is beside it.
        self.norms = gpunp.zeros((2, size), self.dtype.char.lower())
        self.kept, self.coupling = numpy.zeros(0), numpy.zeros(0)
        self._store(self.right, start, 0)

    def _store(self, basis, w, count):
        """Store a vector, orthogonal to those before and scaled to norm 1; return what its norm was."""
        for _ in range(2):
            w = w - projected(basis[:count], w) @ basis[:count]
        norm = numpy.linalg.norm(w)
        numpy.divide(w, numpy.maximum(norm, numpy.finfo(self.dtype).tiny), out=basis[count])
        return norm

    def _vector(self, side, j):
        """Compute vector j on the left or the next one on the right."""
        w = self.products[side]((self.right, self.left)[side][j]).astype(self.dtype, copy=False)
        self.norms[side, j] = self._store((self.left, self.right)[side], w, j + side)

    def _replace(self, side, j):
        """Put a random vector in the place of one that was zero up to rounding."""
        basis = (self.left, self.right)[side]
        w = self.rng.uniform(-1, 1, basis.shape[1]).astype(self.dtype)
        self._store(basis, gpunp.asarray(w), j + side)
        self.norms[side, j] = 0

    def extend(self):
        """Complete the bases; waits for the device once, and again for each invariant subspace.

        Returns
        -------
        b : numpy.ndarray, shape (size, size)
            The projected operator, in double precision.
        beta : float
            The norm of what couples it with the next vector.
        """
        count, at = len(self.kept), 2 * len(self.kept)
        while True:
            for i in range(at, 2 * self.size):
                self._vector(i % 2, i // 2)
            norms = gpunp.asnumpy(self.norms).astype(float)
            if not numpy.isfinite(norms).all():
                raise numpy.linalg.LinAlgError("svds: products of A have values that are not finite")
            limit = 20 * self.eps * max(norms[:, count:].max(), self.kept.max(initial=0))
            small = [i for i in range(at, 2 * self.size) if norms[i % 2, i // 2] <= limit]
            if small and small[0] < 2 * self.size - 1:
                self._replace(small[0] % 2, small[0] // 2)
                at = small[0] + 1
                continue
            b = numpy.diag(norms[0]) + numpy.diag(norms[1, :-1], 1)
            b[:count, :count] = numpy.diag(self.kept)
            b[:count, count:] = 0
            b[:count, count] = self.coupling
            return b, 0.0 if small else norms[1, -1]

    def restart(self, x, s, y, beta):
        """Keep some singular triplets of the projection."""
        count = len(s)
        for basis, weights in ((self.left, x), (self.right, y)):
            basis[:count] = gpunp.asarray(weights.T.astype(self.dtype)) @ basis[: self.size]
        self.right[count] = self.right[self.size]
        self.kept, self.coupling = s, beta * x[-1]


def bidiagonalized(
    A,
    k,
    which="LM",
    irl_mode=True,
    kmax=None,
    compute_u=True,
    compute_v=True,
    v0=None,
    tol=0,
    maxiter=None,
    rng=None,
):
    """Singular triplets as SciPy's ``_svdp`` returns them, from the largest to the smallest.

    Parameters
    ----------
    A : LinearOperator
    k : int
    which : {"LM", "SM"}
    irl_mode : bool
        Whether the basis has ``kmax`` vectors, as it needs for small values. Otherwise it has few, and
        ``kmax`` limits the number of steps.
    kmax : int, optional
        By default 10 * k vectors, or 1000 restarts.
    compute_u, compute_v : bool
    v0 : ndarray, optional
        The first vector on the left side.
    tol : float
        Of residuals, relative to the singular value; 0 is the rounding error.
    maxiter : int, optional
        Without effect.
    rng : numpy.random.Generator

    Returns
    -------
    u, s, vh : ndarray
    bounds : numpy.ndarray
        The norms of residuals.
    """
    A = operator(A)
    rows, columns = A.shape
    dtype = numpy.result_type(A.dtype, numpy.float32 if A.dtype.itemsize < 4 else A.dtype)
    dtype = dtype if dtype.char in "fdFD" else numpy.dtype(float)
    swapped = rows < columns
    multiply, adjoint = (A.rmatvec, A.matvec) if swapped else (A.matvec, A.rmatvec)
    if v0 is None:
        # On the shorter side, so that null spaces are seen.
        start = gpunp.asarray(rng.uniform(-1, 1, min(rows, columns)).astype(dtype))
    else:
        start = gpunp.asarray(v0).astype(dtype)
        start = start if swapped else adjoint(start)
    if kmax is not None and kmax < k:
        raise ValueError(f"kmax must be greater than or equal to k, but kmax ({kmax}) < k ({k})")
    least = max(2 * k + 10, 20)
    if irl_mode:
        size, steps = max(10 * k, least) if kmax is None else kmax, None
    else:
        size, steps = least if kmax is None else min(least, kmax), kmax
    size = min(size, rows, columns)
    basis = Bidiagonal(multiply, adjoint, start, max(rows, columns), size, rng)
    s, x, y, bounds = _converged(basis, k, which, tol, 1000 * size if steps is None else steps)
    left = (gpunp.asarray(x.T.astype(dtype)) @ basis.left).T
    right = (gpunp.asarray(y.T.astype(dtype)) @ basis.right[:size]).T
    if swapped:
        left, right = right, left
    return left, gpunp.asarray(s.astype(dtype.char.lower())), right.T.conj(), bounds


def _converged(basis, k, which, tol, steps):
    """The wanted triplets of the projection, once they have converged."""
    tol = max(tol, basis.eps)
    while True:
        steps -= basis.size - len(basis.kept)
        b, beta = basis.extend()
        x, s, yh = numpy.linalg.svd(b)
        y = yh.T
        bounds = abs(beta * x[-1])
        order = numpy.arange(len(s)) if which == "LM" else numpy.arange(len(s))[::-1]
        good = bounds <= numpy.maximum(tol * s, 4 * basis.eps * s[0])
        converged = int(good[order[:k]].sum())
        if converged == k:
            order = numpy.sort(order[:k])
            return s[order], x[:, order], y[:, order], bounds[order]
        if steps <= 0:
            raise numpy.linalg.LinAlgError(
                f"k={k} singular triplets did not converge within maxiter steps, only {converged}"
            )
        count = min(k + (basis.size - k) // 2, basis.size - 1)
        order = order[:count]
        basis.restart(x[:, order], s[order], y[:, order], beta)
