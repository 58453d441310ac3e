"""Krylov subspaces with restarts; the basis is on the device, its projection is decomposed on the host.

The decompositions are Krylov and Schur's of Stewart, "A Krylov-Schur algorithm for large eigenproblems",
SIAM J. Matrix Anal. Appl. 23 (2002). For Hermitian operators this is the thick-restart Lanczos method of Wu
and Simon, SIAM J. Matrix Anal. Appl. 22 (2000), with full orthogonalisation.
"""

import numpy
import scipy.linalg

import gpunp


class Breakdown(Exception):
    """A vector is zero or not finite."""


def projected(rows, w):
    """The inner products of vectors with another one."""
    return (rows @ w.conj()).conj() if w.dtype.kind == "c" else rows @ w


class Krylov:
    """An orthonormal basis of a Krylov subspace, in the rows of an array.

    Parameters
    ----------
    step : callable
        Applies the operator to a vector ``v``; gets ``v`` and ``B @ v``.
    inner : callable or None
        Multiplies with the matrix ``B`` of the inner product; None is the identity.
    start : ndarray
        The first vector.
    size : int
        How many vectors the basis has.
    rng : numpy.random.Generator
        For the vectors that continue the basis of an invariant subspace.
    """

    def __init__(self, step, inner, start, size, rng):
        self.step, self.inner, self.size, self.rng = step, inner, size, rng
        self.dtype = start.dtype
        self.eps = float(numpy.finfo(self.dtype).eps)
        self.vectors = gpunp.empty((size + 1, len(start)), self.dtype)
        self.images = self.vectors if inner is None else gpunp.empty_like(self.vectors)
        # A row has the coefficients of the operator's product with a vector.
        self.coefficients = gpunp.zeros((size, size + 1), self.dtype)
        norm = float(self._append(start, 0))
        if not 0 < norm < numpy.inf:
            raise Breakdown

    def _append(self, w, count):
        """Store a vector, scaled to norm 1; return its norm, which stays on the device."""
        image = w if self.inner is None else self.inner(w)
        norm = numpy.linalg.norm(w) if image is w else numpy.sqrt(numpy.abs(numpy.vdot(w, image)))
        scale = numpy.maximum(norm, numpy.finfo(self.dtype).tiny)
        numpy.divide(w, scale, out=self.vectors[count])
        if self.inner is not None:
            numpy.divide(image, scale, out=self.images[count])
        return norm

    def _orthogonalized(self, w, count):
        """Subtract a vector's projections twice; also return them."""
        rows, images = self.vectors[:count], self.images[:count]
        found = projected(images, w)
        w = w - found @ rows
        again = projected(images, w)
        return w - again @ rows, found + again

    def _multiply(self, j):
        w = self.step(self.vectors[j], self.images[j])
        w, found = self._orthogonalized(w.astype(self.dtype, copy=False), j + 1)
        self.coefficients[j, : j + 1] = found
        self.coefficients[j, j + 1] = self._append(w, j + 1)

    def extend(self, count):
        """Complete the basis, which has ``count`` vectors and another one that starts the next product.

        Waits for the device once, and again for each invariant subspace that is found.

        Returns
        -------
        numpy.ndarray, shape (size + 1, size)
            The projected operator, in double precision, and below it what couples it with the next vector.
        """
        while True:
            for j in range(count, self.size):
                self._multiply(j)
            h = gpunp.asnumpy(self.coefficients).T.astype(numpy.result_type(self.dtype, numpy.float64))
            if not numpy.isfinite(h).all():
                raise Breakdown
            invariant = self._invariant(h, count)
            if invariant is None:
                return h
            if invariant == self.size - 1:
                h[self.size] = 0
                return h
            # Another direction continues the basis, which the product does not have.
            w = self.rng.uniform(-1, 1, self.vectors.shape[1]).astype(self.dtype)
            w, _ = self._orthogonalized(gpunp.asarray(w), invariant + 1)
            self._append(w, invariant + 1)
            self.coefficients[invariant, invariant + 1] = 0
            count = invariant + 1

    def _invariant(self, h, count):
        """The first product that added only rounding errors to the space, or None."""
        for j in range(count, self.size):
            if abs(h[j + 1, j]) <= 20 * self.eps * numpy.linalg.norm(h[: j + 1, j]):
                return j
        return None

    def restart(self, kept, coupling, block):
        """Keep some linear combinations of the basis, and the vector after it.

        Parameters
        ----------
        kept : numpy.ndarray, shape (size, count)
            The combinations, which are orthonormal.
        coupling : numpy.ndarray, shape (count,)
            What couples the operator's products with the vector after the basis.
        block : numpy.ndarray, shape (count, count)
            The projected operator.
        """
        count = kept.shape[1]
        rows = gpunp.asarray(kept.T.astype(self.dtype))
        for basis in (self.vectors,) if self.inner is None else (self.vectors, self.images):
            basis[:count] = rows @ basis[: self.size]
            basis[count] = basis[self.size]
        h = numpy.zeros(self.coefficients.shape, self.dtype)
        h[:count, :count] = block.T
        h[:count, count] = coupling
        self.coefficients = gpunp.asarray(h)

    def combined(self, weights, after=None):
        """Linear combinations of the basis, in columns.

        Parameters
        ----------
        weights : numpy.ndarray, shape (size, count)
            Of a real basis they can be complex.
        after : numpy.ndarray, shape (count,), optional
            The weights of the vector after the basis.
        """
        if after is not None:
            weights = numpy.vstack((weights, after))
        basis = self.vectors[: len(weights)]
        if weights.dtype.kind == "c" and self.dtype.kind != "c":
            count = weights.shape[1]
            parts = numpy.hstack((weights.real, weights.imag)).T.astype(self.dtype)
            parts = gpunp.asarray(parts) @ basis
            return (parts[:count] + 1j * parts[count:]).T
        return (gpunp.asarray(weights.T.astype(self.dtype)) @ basis).T


def reordered(h, wanted):
    """The Schur decomposition of a matrix with chosen eigenvalues first.

    Parameters
    ----------
    h : numpy.ndarray, shape (n, n)
    wanted : callable
        Maps eigenvalues to a boolean array; conjugate pairs of real matrices are kept together.

    Returns
    -------
    t, z : numpy.ndarray
    count : int
        How many eigenvalues were chosen.
    """
    real = h.dtype.kind != "c"
    t, z = scipy.linalg.schur(h, output="real" if real else "complex")
    values = numpy.diag(t).astype(complex)
    if real:
        below = numpy.diag(t, -1)
        for i in numpy.flatnonzero(below):
            step = numpy.sqrt(complex(t[i, i + 1] * below[i]))
            values[i], values[i + 1] = values[i] + step, values[i + 1] - step
    chosen = wanted(values)
    if real:
        for i in numpy.flatnonzero(numpy.diag(t, -1)):
            chosen[i] = chosen[i + 1] = chosen[i] or chosen[i + 1]
    (trsen,) = scipy.linalg.get_lapack_funcs(("trsen",), (t,))
    t, z = trsen(chosen.astype(numpy.int32), t, z, job="N")[:2]
    return t, z, int(chosen.sum())
