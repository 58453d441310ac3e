"""Generalized minimal residuals, whose steps are SciPy's; several of them are done between two waits."""

import warnings

import numpy
import scipy.linalg

import gpunp
from gpunp_scipy.sparse.linalg.arnoldi import Arnoldi, columns_of
from gpunp_scipy.sparse.linalg.conjugate import as_public, prepared

_TYPES = ("x", "pr_norm", "legacy")


class _System:
    """The system for the coefficients of the vectors, on the host.

    Parameters
    ----------
    length : float
        The length of the first vector before it was divided by it.
    count : int
        The number of steps.
    dtype : numpy.dtype
    """

    def __init__(self, length, count, dtype):
        self.triangle = numpy.zeros((count, count), dtype)
        self.right = numpy.zeros(count + 1, dtype)
        self.right[0] = length
        self._rotations = []
        self._rotation = scipy.linalg.get_lapack_funcs("lartg", dtype=dtype)

    def add(self, parts, before, rest):
        """Take the numbers of the next step.

        Returns
        -------
        residual : float
            The length of the preconditioned residual that is left.
        is_exact : bool
            Whether the vector depends on those before, so that the solution is exact.
        """
        k = len(self._rotations)
        is_exact = bool(rest <= numpy.finfo(self.right.dtype).eps * before)
        column = [*parts, parts[0] * 0 if is_exact else rest]
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

    def solution(self):
        """The coefficients with the least residual; directions without information are left out."""
        count = len(self._rotations)
        y = self.right[:count].copy()
        if self.triangle[count - 1, count - 1] == 0:
            y[-1] = 0
        for k in reversed(range(count)):
            if y[k] != 0:
                y[k] /= self.triangle[k, k]
                y[:k] -= y[k] * self.triangle[:k, k]
        return y


def _called_back(callback, callback_type):
    """The kind of calls, or None; as in SciPy."""
    if callback is not None and callback_type is None:
        warnings.warn(
            "scipy.sparse.linalg.gmres called without specifying `callback_type`. The default value will be "
            "changed in a future release. For compatibility, specify a value for `callback_type` explicitly, "
            "e.g., ``gmres(..., callback_type='pr_norm')``, or to retain the old behavior "
            "``gmres(..., callback_type='legacy')``",
            category=DeprecationWarning,
            stacklevel=5,
        )
    callback_type = "legacy" if callback_type is None else callback_type
    if callback_type not in _TYPES:
        raise ValueError(f"Unknown callback_type: {callback_type!r}")
    return None if callback is None else callback_type


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
    kind = _called_back(callback, callback_type)
    multiply, precondition, x, r, atol, maxiter, norm = prepared("gmres", A, b, x0, rtol, atol, maxiter, M)
    if r is None or float(numpy.linalg.norm(r)) < atol:
        return x, 0
    count = min(20 if restart is None else restart, len(x))
    eps, factor, length = float(numpy.finfo(x.dtype).eps), 1.0, numpy.inf
    # The limit of the preconditioned residual, which ends a cycle.
    limit = float(numpy.linalg.norm(precondition(b))) * min(1.0, atol / norm)
    steps = 0
    for _ in range(maxiter):
        basis = Arnoldi(lambda j, last: precondition(multiply(last)), (), precondition(r), count)
        system = None
        for column in columns_of(basis, steps):
            system = system or _System(basis.length, count, x.dtype)
            left, is_exact = system.add(*column)
            steps += 1
            if kind in ("legacy", "pr_norm"):
                callback(left / norm)
            is_last = kind == "legacy" and steps == maxiter
            if is_last or left <= limit or is_exact:
                break
        y = system.solution()
        x = x + gpunp.asarray(y) @ basis.vectors[: len(y)]
        r = b - multiply(x)
        length = float(numpy.linalg.norm(r))
        if is_last:
            break
        if kind == "x":
            callback(x)
        if length <= atol or is_exact:
            break
        factor = max(eps, 0.25 * factor) if left <= limit else min(1.0, 1.5 * factor)
        limit = left * min(factor, atol / length)
    return x, 0 if length <= atol else maxiter


gmres = as_public("gmres", _gmres, __name__, "Waits for the device once in several steps.")
