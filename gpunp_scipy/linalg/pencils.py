"""Generalised eigenvalues of pairs of matrices, by a shift to an ordinary problem.

With M = (A - s B)^-1 B, an eigenvalue m of M belongs to the eigenvalue s + 1 / m of the pair, also to an
infinite one, and the vectors are the same. Any regular pair has a shift s for which A - s B is well
conditioned.
"""

import cmath
import math

import numpy

from gpunp.array import layout
from gpunp.linalg.solving import inverse_or_nan
from gpunp_scipy.linalg.calls import adjoint, complex_of, eps_of

# Shifts that are tried, on a circle around zero whose radius is the ratio of the norms. None is real or
# conjugate to another, as eigenvalues of real pairs often are.
_ANGLES = (0.71, 1.83, 2.54, -0.37, -1.29, -2.92)


def _shift(a, b):
    """The best conditioned A - s B: s, the matrix, and whether it is regular; waits for the device."""
    scale = numpy.linalg.norm(a) / numpy.linalg.norm(b)
    scale = scale.item()
    if not (math.isfinite(scale) and scale > 0):
        scale = 1.0
    shifts = [cmath.rect(scale, angle) for angle in _ANGLES]
    stack = numpy.stack([a - shift * b for shift in shifts])
    inverses = inverse_or_nan(stack)
    condition = numpy.linalg.norm(stack, 1, axis=(-2, -1)) * numpy.linalg.norm(inverses, 1, axis=(-2, -1))
    condition = numpy.where(numpy.isfinite(condition), condition, condition.dtype.type(numpy.inf)).tolist()
    best = condition.index(min(condition))
    return shifts[best], stack[best], condition[best] * eps_of(a) < 1


def pencil(a, b, vectors, left):
    """Generalised eigenvalues and vectors of stacks of pairs.

    Parameters
    ----------
    a, b : ndarray, shape (..., n, n)
    vectors, left : bool
        Whether right and left vectors are wanted.

    Returns
    -------
    alpha, beta : ndarray, shape (..., n)
        Numerators and denominators of the eigenvalues, both zero for all eigenvalues of a singular pair.
    v, u : ndarray, shape (..., n, n), or None
        Right and left vectors of norm one, as columns.
    """
    dtype = complex_of(a.dtype)
    real = a.dtype.kind != "c"
    batch, n = a.shape[:-2], a.shape[-1]
    alpha, beta = (layout.zeros((*batch, n), dtype, device=a.device) for _ in range(2))
    v, u = (layout.zeros((*batch, n, n), dtype, device=a.device) for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    for place in numpy.ndindex(batch) if n else ():
        shift, shifted, regular = _shift(a[place], b[place])
        if not regular:
            v[place] = u[place] = numpy.eye(n, dtype=dtype, like=a)
            continue
        m, found = numpy.linalg.eig(numpy.linalg.solve(shifted, b[place]))
        # Rounding leaves something of eigenvalues that are zero.
        limit = n * eps_of(a) * numpy.max(numpy.abs(m))
        beta[place] = numpy.where(numpy.abs(m) <= limit, m.dtype.type(0), m)
        numerator = 1 + shift * beta[place]
        alpha[place] = numpy.where(numpy.abs(numerator) <= limit * abs(shift), m.dtype.type(0), numerator)
        if real:
            _make_real(alpha[place], beta[place], found, eps_of(a))
        v[place] = found
        if left:
            u[place] = left_vectors(shifted @ found)
    return alpha, beta, v if vectors else None, u if left else None


def _make_real(alpha, beta, v, eps):
    """Give real eigenvalues of a real pair a real form, in place, with real vectors."""
    n = len(v)
    ratio = alpha * numpy.conjugate(beta)
    is_real = numpy.abs(ratio.imag) <= 64 * n * eps * numpy.abs(ratio)
    largest = numpy.argmax(numpy.abs(v), axis=0)[None]
    first = numpy.take_along_axis(v, largest, axis=0)[0]
    turned = v * (numpy.conjugate(first) / numpy.abs(first))
    turned = turned.real / numpy.linalg.norm(turned.real, axis=0)
    v[...] = numpy.where(is_real, turned.astype(v.dtype), v)
    size = numpy.abs(beta)
    one = size.dtype.type(1)
    finite = numpy.where(size > 0, ratio.real / numpy.where(size > 0, size, one), alpha.real)
    numerator = numpy.where(size > 0, finite, numpy.abs(alpha))
    alpha[...] = numpy.where(is_real, numerator.astype(alpha.dtype), alpha)
    beta[...] = numpy.where(is_real, size.astype(beta.dtype), beta)


def left_vectors(v):
    """Left eigenvectors of norm one: the rows of the inverse of the right ones.

    Parameters
    ----------
    v : ndarray
        The right vectors, for a pair multiplied by A - s B.
    """
    found = adjoint(inverse_or_nan(v))
    return found / numpy.linalg.norm(found, axis=-2, keepdims=True)
