"""Minimal residuals of symmetric systems; the numbers of a step are computed as in SciPy's code."""

import math
import types

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.sparse.linalg.conjugate import as_public
from gpunp_scipy.sparse.linalg.operators import SOLVERS, converted, twins
from gpunp_scipy.sparse.linalg.solvers import twin
from gpunp_scipy.sparse.linalg.step_blocks import block_size, combined, divided, in_blocks


class _Lanczos:
    """The process of Lanczos with a preconditioner; ``y / beta`` is the next vector."""

    def __init__(self, multiply, precondition, shift, residual, y, beta):
        self.multiply, self.precondition, self.shift = multiply, precondition, shift
        self.before, self.r, self.y, self.beta, self.beta_before = None, residual, y, beta, None

    def extend(self, count, ahead):
        """Do some steps, and wait once.

        Returns
        -------
        numbers : numpy.ndarray, shape (steps, 2)
            ``alpha`` and the square of the next ``beta`` of each step. There are fewer steps if one is not
            positive or not finite.
        rows : ndarray, shape (ahead + steps, n)
            The vectors of the steps, after some rows that are free.
        """
        rows, found = gpunp.empty((ahead + count, len(self.y)), self.y.dtype), []
        for v in rows[ahead:]:
            divided(self.y, self.beta, out=v)
            y = self.multiply(v)
            if self.shift != 0:
                y = y - self.shift * v
            if self.before is not None:
                y = y - (self.beta / self.beta_before) * self.before
            alpha = numpy.inner(v, y)
            y = y - (alpha / self.beta) * self.r
            self.before, self.r, self.y = self.r, y, self.precondition(y)
            square = numpy.inner(y, self.y)
            self.beta, self.beta_before = numpy.sqrt(numpy.maximum(square, 0)), self.beta
            found += [alpha, square]
        numbers = asnumpy(numpy.stack(found)).reshape(-1, 2)
        good = (numbers[:, 1] > 0) & numpy.isfinite(numbers).all(axis=1)
        if good.all():
            return numbers, rows
        steps = int(numpy.argmin(good)) + 1
        # What SciPy's code divides by zero, if it goes on.
        self.y = gpunp.full_like(self.y, numpy.nan)
        return numbers[:steps], rows[: ahead + steps]


def _require_symmetric(multiply, precondition, r, y):
    """SciPy's check of two products each."""
    twice = multiply(y)
    again = precondition(y)
    products = (twice, twice), (y, multiply(twice)), (y, y), (r, again)
    numbers = asnumpy(numpy.stack([numpy.inner(*pair) for pair in products]))
    eps = numpy.finfo(y.dtype).eps
    for name, (s, t) in zip(("matrix", "preconditioner"), numbers.reshape(2, 2), strict=True):
        if abs(s - t) > (s + eps) * eps ** (1 / 3):
            raise ValueError(f"non-symmetric {name}")


def _rotated(s, alpha, beta):
    """What a step computes from the numbers of its vectors."""
    s.itn += 1
    s.tnorm2 += alpha**2 + s.beta**2 + beta**2
    s.is_eigenvector = s.itn == 1 and beta / s.beta1 <= 10 * s.eps
    s.factors = [s.epsln]
    delta, gbar = s.cs * s.dbar + s.sn * alpha, s.sn * s.dbar - s.cs * alpha
    s.epsln, s.dbar, s.beta = s.sn * beta, -s.cs * beta, beta
    s.root = numpy.sqrt(gbar**2 + s.dbar**2)
    gamma = max(numpy.sqrt(gbar**2 + beta**2), s.eps)
    s.cs, s.sn = gbar / gamma, beta / gamma
    s.factors += [delta, 1 / gamma, s.cs * s.phibar]
    s.phibar = s.sn * s.phibar
    s.gmax, s.gmin = max(s.gmax, gamma), min(s.gmin, gamma)
    return types.SimpleNamespace(**vars(s))


def _stopped(s, ynorm, rtol, maxiter):
    """Why the solver stops after a step, as a number, or 0."""
    if s.is_eigenvector:
        return -1
    anorm = math.sqrt(s.tnorm2)
    test1 = s.phibar / (anorm * ynorm) if ynorm != 0 and anorm != 0 else math.inf
    test2 = s.root / anorm if anorm != 0 else math.inf
    conditions = (
        (1, test1 <= rtol),
        (2, test2 <= rtol),
        (3, anorm * ynorm * s.eps >= s.beta1),
        (4, s.gmax / s.gmin >= 0.1 / s.eps),
        (6, s.itn >= maxiter),
        (1, 1 + test1 <= 1),
        (2, 1 + test2 <= 1),
    )
    return next((number for number, holds in conditions if holds), 0)


def _iterated(process, x, s, rtol, maxiter, callback):
    """The last solution, and what the solver returns beside it."""
    w = w_before = gpunp.zeros_like(x)
    istop = 0
    while not istop and s.itn < maxiter:
        numbers, rows = process.extend(block_size(s.itn, maxiter, x), 3)
        rows[0], rows[1], rows[2] = x, w_before, w
        unit = numpy.eye(len(rows))
        of_x, of_before, of_w = unit[:3]
        steps, weights = [], []
        for (alpha, square), of_v in zip(numbers, unit[3:], strict=True):
            if square < 0:
                break
            steps.append(_rotated(s, alpha, numpy.sqrt(square)))
            epsln, delta, inverse, phi = s.factors
            of_before, of_w = of_w, (of_v - epsln * of_before - delta * of_w) * inverse
            of_x = of_x + phi * of_w
            weights.append(of_x)
        rows = rows[: 3 + len(steps)]
        found = combined([*weights, of_before, of_w], rows)
        lengths = numpy.linalg.norm(found[: len(steps)], axis=1).tolist()
        for count, (s, ynorm) in enumerate(zip(steps, lengths, strict=True)):
            istop = _stopped(s, ynorm, rtol, maxiter)
            if callback is not None:
                callback(found[count])
            if istop:
                return found[count].copy(), maxiter if istop == 6 else 0
        if len(steps) < len(numbers):
            raise ValueError("non-symmetric matrix")
        x, w_before, w = found[len(steps) - 1], found[-2], found[-1]
    return x, 0


def _minres(
    A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, show=False, check=False
):
    A, M = converted(A), converted(M)
    more = {"rtol": rtol, "shift": shift, "maxiter": maxiter, "M": M, "callback": callback, "show": show}
    system = twins()[f"{SOLVERS}.utils"].make_system(A, M, x0, b)
    is_real = all(numpy.dtype(each.dtype).kind == "f" for each in system) and not numpy.iscomplexobj(shift)
    if show or not is_real or not in_blocks(*system):
        return twin("minres")(A, b, x0, check=check, **more)
    A, M, x, b = system
    r = b.copy() if x0 is None else b - A.matvec(x)
    y = M.matvec(r)
    square, norm = asnumpy(numpy.stack([numpy.inner(r, y), numpy.linalg.norm(b)]))
    if square < 0:
        raise ValueError("indefinite preconditioner")
    if square == 0:
        return x, 0
    if norm == 0:
        return b, 0
    if check:
        _require_symmetric(A.matvec, M.matvec, r, y)
    beta = numpy.sqrt(square)
    s = types.SimpleNamespace(itn=0, beta1=beta, beta=beta, dbar=0, epsln=0, phibar=beta, tnorm2=0)
    vars(s).update(cs=-1, sn=0, gmax=0, gmin=numpy.finfo(x.dtype).max, eps=numpy.finfo(x.dtype).eps)
    process = _Lanczos(A.matvec, M.matvec, shift, r, y, beta)
    return _iterated(process, x, s, rtol, 5 * len(x) if maxiter is None else maxiter, callback)


_NOTE = (
    "Waits for the device twice in several steps, but in each step if precisions differ or if it shows them."
)
minres = as_public("minres", _minres, __name__, _NOTE)
