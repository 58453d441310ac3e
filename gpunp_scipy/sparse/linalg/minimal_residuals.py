"""Generalized minimal residuals, with one wait for the device a step.

The steps are SciPy's. Vectors are made orthogonal by the classical Gram-Schmidt process, whose products with
all vectors before are one product of a matrix; the modified one would wait for each in turn. It is done again
where a vector loses most of its length, as rounding errors would be large otherwise: the criterion of J. W.
Daniel, W. B. Gragg, L. Kaufman and G. W. Stewart, "Reorthogonalization and stable algorithms for updating the
Gram-Schmidt QR factorization", Mathematics of Computation 30 (1976), 772-795.
"""

import numpy
import scipy.linalg

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.sparse.linalg.conjugate import as_public, prepared
from gpunp_scipy.sparse.linalg.solvers import twin

# A vector is made orthogonal again if no more than this part of its length is left.
_LOSS = 0.1


class _Basis:
    """Orthogonal vectors on the device, and the system for their coefficients on the host.

    Parameters
    ----------
    first : ndarray
        The first vector, which gets the length 1.
    count : int
        The number of steps.
    """

    def __init__(self, first, count):
        length = numpy.linalg.norm(first)
        self.vectors = gpunp.empty((count + 1, len(first)), first.dtype)
        self.vectors[0] = first / length
        self.triangle = numpy.zeros((count, count), first.dtype)
        self.right = numpy.zeros(count + 1, first.dtype)
        self.right[0] = float(length)
        self._rotations = []
        self._rotation = scipy.linalg.get_lapack_funcs("lartg", dtype=first.dtype)

    def _orthogonalized(self, w, count):
        """The rest of a vector; on the host its parts along the vectors before, and its lengths."""
        basis = self.vectors[:count]
        parts, before = 0, numpy.linalg.norm(w)
        for repetition in range(2):
            each = (basis.conj() if basis.dtype.kind == "c" else basis) @ w
            w, parts = w - each @ basis, parts + each
            lengths = numpy.stack([before, numpy.linalg.norm(w)]).astype(basis.dtype)
            *found, first, rest = asnumpy(numpy.concatenate([parts, lengths]))
            if repetition or rest.real >= _LOSS * first.real:
                break
        return w, found, first.real, rest.real

    def add(self, w):
        """Take the next vector.

        Returns
        -------
        residual : float
            The length of the preconditioned residual that is left.
        is_exact : bool
            Whether the vector depends on those before, so that the solution is exact.
        """
        k = len(self._rotations)
        w, column, before, rest = self._orthogonalized(w, k + 1)
        is_exact = bool(rest <= numpy.finfo(w.dtype).eps * before)
        if not is_exact:
            numpy.multiply(w, 1 / rest, out=self.vectors[k + 1])
        column.append(column[0] * 0 if is_exact else rest)
        for i, (c, s) in enumerate(self._rotations):
            column[i], column[i + 1] = (
                c * column[i] + s * column[i + 1],
                c * column[i + 1] - numpy.conj(s) * column[i],
            )
        c, s, column[k] = self._rotation(column[k], column[k + 1])
        self._rotations.append((c, s))
        self.triangle[: k + 1, k] = column[: k + 1]
        left = -numpy.conj(s) * self.right[k]
        self.right[k], self.right[k + 1] = c * self.right[k], left
        return abs(left), is_exact

    def change(self):
        """The change of the solution with the least residual; directions without information are left out."""
        count = len(self._rotations)
        y = self.right[:count].copy()
        if self.triangle[count - 1, count - 1] == 0:
            y[-1] = 0
        for k in reversed(range(count)):
            if y[k] != 0:
                y[k] /= self.triangle[k, k]
                y[:k] -= y[k] * self.triangle[:k, k]
        return gpunp.asarray(y) @ self.vectors[:count]


def _gmres(
    A,
    b,
    x0=None,
    *,
    rtol=1e-5,
    atol=0.0,
    restart=None,
    maxiter=None,
    M=None,
    callback=None,
    callback_type=None,
):
    if callback is not None or callback_type not in (None, "x", "pr_norm", "legacy"):
        more = {"restart": restart, "callback": callback, "callback_type": callback_type}
        return twin("gmres")(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, **more)
    multiply, precondition, x, r, atol, maxiter, norm = prepared("gmres", A, b, x0, rtol, atol, maxiter, M)
    if r is None or float(numpy.linalg.norm(r)) < atol:
        return x, 0
    count = min(20 if restart is None else restart, len(x))
    eps, factor, length = float(numpy.finfo(x.dtype).eps), 1.0, numpy.inf
    # The limit of the preconditioned residual, which ends a cycle.
    limit = float(numpy.linalg.norm(precondition(b))) * min(1.0, atol / norm)
    for _ in range(maxiter):
        basis = _Basis(precondition(r), count)
        for k in range(count):
            left, is_exact = basis.add(precondition(multiply(basis.vectors[k])))
            if left <= limit or is_exact:
                break
        x = x + basis.change()
        r = b - multiply(x)
        length = float(numpy.linalg.norm(r))
        if length <= atol or is_exact:
            break
        factor = max(eps, 0.25 * factor) if left <= limit else min(1.0, 1.5 * factor)
        limit = left * min(factor, atol / length)
    return x, 0 if length <= atol else maxiter


gmres = as_public("gmres", _gmres, __name__, "Waits for the device once or twice in each step.")
