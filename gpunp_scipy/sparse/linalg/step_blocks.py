"""Several steps of a solver between two looks of the host.

A solver makes its vectors on the device, some steps ahead. The host then gets the numbers of these steps in
one download, computes what SciPy's code computes from them, and finds the step at which it stops. Solutions
are combinations of the vectors, which are one product of matrices.
"""

import numpy

import gpunp
from gpunp.array.convert import asnumpy

# Steps of a block, and bytes of its vectors: where a step takes long, a wait does not count.
_MOST_STEPS = 16
_MOST_BYTES = 1 << 28
_PRECISIONS = [set(map(numpy.dtype, pair)) for pair in (("f4", "c8"), ("f8", "c16"))]


def saves_time(device):
    """Whether waits cost more than a block's memory: on the CPU device there are none."""
    return not device.is_cpu


def in_blocks(*values):
    """Whether steps are done in blocks: on a GPU, if all values have one precision; None has any."""
    values = [each for each in values if each is not None]
    dtypes = {numpy.dtype(each.dtype) for each in values}
    is_one = any(dtypes <= precision for precision in _PRECISIONS)
    return is_one and saves_time(values[-1].device)


def length_of(vector):
    """The length of a vector, as a number of its precision; waits for the device."""
    return asnumpy(numpy.linalg.norm(vector))[()]


def block_size(done, limit, vector):
    """How many steps follow after some: a quarter more, as later steps are done in vain at the end."""
    most = max(1, min(_MOST_STEPS, _MOST_BYTES // max(1, vector.nbytes)))
    return min(max(done // 4, 2), most, limit - done)


def divided(vector, length, out=None):
    """A vector divided by its length, which is on the device; a zero vector stays one."""
    return numpy.divide(vector, numpy.maximum(length, numpy.finfo(vector.dtype).tiny), out=out)


def combined(weights, rows):
    """Linear combinations of vectors.

    Parameters
    ----------
    weights : list of numpy.ndarray
        The weights of each result; they may be longer than there are vectors.
    rows : ndarray, shape (count, n)
        The vectors.
    """
    weights = numpy.asarray(weights)[..., : len(rows)]
    return gpunp.asarray(weights.astype(rows.dtype)) @ rows


class Bidiagonalization:
    """A matrix as a lower bidiagonal one between orthonormal vectors, by the process of Golub and Kahan.

    Parameters
    ----------
    A : LinearOperator
    u, v : ndarray
        The first vectors, of length 1.
    alpha : float
        The length of ``v`` before it was divided by it.
    ahead : int
        How many rows there are before the vectors of a block.
    """

    def __init__(self, A, u, v, alpha, ahead):
        self.multiply, self.adjoint, self.ahead = A.matvec, A.rmatvec, ahead
        self.u, self.v, self.alpha = u, v, alpha

    def extend(self, count):
        """Do some steps, and wait once.

        Returns
        -------
        numbers : numpy.ndarray, shape (steps, 2)
            ``beta`` and ``alpha`` of each step. There are fewer steps if a number is zero or not finite.
        rows : ndarray, shape (ahead + steps + 1, n)
            The vectors ``v``, from the one before the first step, after some rows that are free.
        """
        rows = gpunp.empty((self.ahead + count + 1, len(self.v)), self.v.dtype)
        vectors = rows[self.ahead :]
        vectors[0] = self.v
        u, alpha, found = self.u, self.alpha, []
        for j in range(count):
            u = self.multiply(vectors[j]) - alpha * u
            beta = numpy.linalg.norm(u)
            u = divided(u, beta)
            v = self.adjoint(u) - beta * vectors[j]
            alpha = numpy.linalg.norm(v)
            divided(v, alpha, out=vectors[j + 1])
            found += [beta, alpha]
        numbers = asnumpy(numpy.stack(found)).reshape(-1, 2)
        good = (numbers > 0).all(axis=1) & numpy.isfinite(numbers).all(axis=1)
        steps = count if good.all() else int(numpy.argmin(good)) + 1
        numbers, rows = numbers[:steps], rows[: self.ahead + steps + 1]
        if not numbers[-1, 0] > 0:
            # SciPy's code leaves v as it was.
            numbers[-1, 1] = numbers[-2, 1] if steps > 1 else self.alpha
            vectors[steps] = vectors[steps - 1]
            u = gpunp.full(u.shape, numbers[-1, 0], u.dtype)
        elif steps < count:
            u = self._at(numbers, vectors)
        self.u, self.v, self.alpha = u, vectors[steps], float(numbers[-1, 1])
        return numbers, rows

    def _at(self, numbers, vectors):
        """The vector ``u`` after some of the steps, which are done again."""
        u, alpha = self.u, self.alpha
        for j, (beta, after) in enumerate(numbers.tolist()):
            u, alpha = (self.multiply(vectors[j]) - alpha * u) / beta, after
        return u
