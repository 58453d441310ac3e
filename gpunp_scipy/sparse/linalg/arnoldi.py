"""Arnoldi's process, some steps ahead of the host: gmres, and what lgmres and gcrotmk call.

Vectors are made orthogonal by the classical Gram-Schmidt process, whose products with all vectors before are
one product of a matrix; the modified one would wait for each in turn. It is done again where a vector loses
most of its length, as rounding errors would be large otherwise: the criterion of J. W. Daniel, W. B. Gragg,
L. Kaufman and G. W. Stewart, "Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR
factorization", Mathematics of Computation 30 (1976), 772-795.
"""

import numpy
import scipy.linalg

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.sparse.linalg import step_blocks
from gpunp_scipy.sparse.linalg.step_blocks import block_size, divided

# A vector is made orthogonal again if no more than this part of its length is left.
_LOSS = 0.1


class Arnoldi:
    """Orthonormal vectors, and the products of an operator with them.

    Parameters
    ----------
    step : callable
        Makes the next vector from the number of the step and the last vector.
    fixed : list of ndarray
        Orthonormal vectors, to which all others are orthogonal.
    first : ndarray
        The first vector, of any length.
    count : int
        How many steps there are.

    Attributes
    ----------
    vectors : ndarray
        The vectors after the fixed ones.
    length : float
        The length of the first vector, once steps were done.
    """

    def __init__(self, step, fixed, first, count):
        self.step, self.ahead, self.count = step, len(fixed), count
        self.rows = gpunp.empty((self.ahead + count + 1, len(first)), first.dtype)
        for i, vector in enumerate(fixed):
            self.rows[i] = vector
        self.vectors = self.rows[self.ahead :]
        length = numpy.linalg.norm(first)
        divided(first, length, out=self.vectors[0])
        self.length, self._first_length, self.done = None, length, 0
        # Whether vectors lost so much of their length before that all are made orthogonal twice.
        self._twice = False

    def _projections(self, w, j):
        rows = self.rows[: self.ahead + j + 1]
        return (rows.conj() if rows.dtype.kind == "c" else rows) @ w

    def _add(self, j, *, twice):
        """Make the vector of a step; return its parts along those before, and its lengths, on the device."""
        w = self.step(j, self.vectors[j]).astype(self.rows.dtype, copy=False)
        before, parts = numpy.linalg.norm(w), 0
        for _ in range(1 + twice):
            each = self._projections(w, j)
            w, parts = w - each @ self.rows[: self.ahead + j + 1], parts + each
        rest = numpy.linalg.norm(w)
        divided(w, rest, out=self.vectors[j + 1])
        return [parts, numpy.stack([before, rest]).astype(parts.dtype)]

    def _improve(self, j, parts, rest):
        """Make the vector of a step orthogonal again; waits for the device once."""
        w = self.vectors[j + 1]
        again = self._projections(w, j)
        w = w - again @ self.rows[: self.ahead + j + 1]
        length = numpy.linalg.norm(w)
        divided(w, length, out=self.vectors[j + 1])
        *again, length = asnumpy(numpy.concatenate([again, length.astype(again.dtype)[None]]))
        return parts + rest * numpy.asarray(again), rest * length.real

    def extend(self, total):
        """Do some steps, and wait once, or twice where a vector is made orthogonal again.

        Parameters
        ----------
        total : int
            How many steps of the solver were done before, by which more are done ahead.

        Returns
        -------
        list of tuple
            For each step the parts of its product along the vectors before, the length of the product, and
            the length of what is left.
        """
        left, count = self.count - self.done, 1
        if step_blocks.saves_time(self.rows.device):
            count = block_size(total, total + left, self.vectors[0])
        twice = self._twice and count > 1
        found = [self._first_length.astype(self.rows.dtype)[None]]
        for j in range(self.done, self.done + count):
            found += self._add(j, twice=twice)
        numbers = asnumpy(numpy.concatenate(found))
        self.length, place, columns = numbers[0].real, 1, []
        for j in range(self.done, self.done + count):
            size = self.ahead + j + 1
            *parts, before, rest = numbers[place : place + size + 2]
            parts, place = numpy.asarray(parts), place + size + 2
            is_lost = not twice and rest.real < _LOSS * before.real
            rest = rest.real
            if is_lost:
                parts, rest = self._improve(j, parts, rest)
            columns.append((parts, before.real, rest))
            if is_lost:
                # Steps after this one began with a vector that has changed.
                self._twice = True
                break
        self.done += len(columns)
        return columns


def columns_of(arnoldi, total):
    """The steps one after another, of a solver that did some before; see `Arnoldi.extend`."""
    while arnoldi.done < arnoldi.count:
        yield from arnoldi.extend(total + arnoldi.done)


def fgmres(matvec, v0, m, atol, lpsolve=None, rpsolve=None, cs=(), outer_v=(), prepend_outer_v=False):
    """The cycle of lgmres and gcrotmk: SciPy's ``_fgmres``, with its parameters and results.

    The decomposition of the small matrix is SciPy's, column by column on the host.
    """
    # Each of the cycles before, of which later ones do more steps ahead, has left a vector.
    extra, begin, total = len(outer_v), 0 if prepend_outer_v else m, m * max(len(cs), len(outer_v))
    m, zs = m + extra, []

    def step(j, last):
        del zs[j:]
        z, w = last, None
        if begin <= j < begin + extra:
            z, w = outer_v[j - begin]
        else:
            z = v0 if prepend_outer_v and j == extra else last
            z = z if rpsolve is None else rpsolve(z)
        zs.append(z)
        if w is not None:
            return w
        return matvec(z) if lpsolve is None else lpsolve(matvec(z))

    arnoldi = Arnoldi(step, cs, v0, m)
    B, Q = numpy.zeros((len(cs), m), v0.dtype), numpy.ones((1, 1), v0.dtype)
    R, eps, res = numpy.zeros((1, 0), v0.dtype), numpy.finfo(v0.dtype).eps, numpy.nan
    for j, (parts, before, rest) in enumerate(columns_of(arnoldi, total)):
        B[:, j] = parts[: len(cs)]
        column = numpy.concatenate([parts[len(cs) :], [rest]]).astype(Q.dtype)
        Q2, R2 = numpy.zeros((j + 2, j + 2), Q.dtype, "F"), numpy.zeros((j + 2, j), R.dtype, "F")
        Q2[: j + 1, : j + 1], Q2[j + 1, j + 1], R2[: j + 1] = Q, 1, R
        Q, R = scipy.linalg.qr_insert(Q2, R2, column, j, which="col", overwrite_qru=True, check_finite=False)
        res = abs(Q[0, -1])
        if res < atol or not rest > eps * before:
            break
    if not numpy.isfinite(R[j, j]):
        raise numpy.linalg.LinAlgError
    y = scipy.linalg.lstsq(R[: j + 1, : j + 1], Q[0, : j + 1].conj())[0]
    return Q, R, B[:, : j + 1], list(arnoldi.vectors[: j + 2]), zs[: j + 1], y, res
