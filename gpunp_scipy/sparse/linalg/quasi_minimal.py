"""Quasi-minimal residuals: `qmr` and `tfqmr`. The numbers of a step are computed as in SciPy's code.

The device makes the vectors of some steps; the host computes the numbers of all of them, finds the last one,
and adds up the solution.
"""

import math
import types

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.sparse.linalg.conjugate import as_public, prepared
from gpunp_scipy.sparse.linalg.operators import SOLVERS, converted, twins
from gpunp_scipy.sparse.linalg.solvers import twin
from gpunp_scipy.sparse.linalg.step_blocks import block_size, combined, in_blocks


def _conjugated(number):
    return numpy.conj(number) if number.dtype.kind == "c" else number


class _Lanczos:
    """The process of Lanczos on both sides, with preconditioners.

    Parameters
    ----------
    A, M1, M2 : LinearOperator
    residual : ndarray
    """

    def __init__(self, A, M1, M2, residual):
        self.A, self.M1, self.M2 = A, M1, M2
        self.of_v = self.of_w = residual
        self.y, self.z = M1.matvec(residual), M2.rmatvec(residual)
        self.rho, self.xi = numpy.linalg.norm(self.y), numpy.linalg.norm(self.z)
        self.p = self.q = self.epsilon = None

    def extend(self, rows, images):
        """Do as many steps as there are rows, and wait once.

        Parameters
        ----------
        rows, images : ndarray, shape (steps, n)
            Get the directions, and their products with the matrix.

        Returns
        -------
        numpy.ndarray, shape (steps, 5)
            ``rho``, ``xi``, ``delta``, ``epsilon`` and the next ``rho`` of each step.
        """
        found, dtype = [], rows.dtype
        for p, image in zip(rows, images, strict=True):
            v, w = self.of_v / self.rho, self.of_w / self.xi
            y = v if self.y is self.of_v else self.y / self.rho
            z = w if self.z is self.of_w else self.z / self.xi
            delta = numpy.vdot(z, y)
            ahead, of_shadow = self.M2.matvec(y), self.M1.rmatvec(z)
            if self.p is None:
                p[...], q = ahead, of_shadow.copy()
            else:
                ratio = delta / self.epsilon
                numpy.subtract(ahead, (self.xi * ratio) * self.p, out=p)
                q = of_shadow - (self.rho * _conjugated(ratio)) * self.q
            image[...] = self.A.matvec(p)
            epsilon = numpy.vdot(q, image)
            beta = epsilon / delta
            found += [self.rho, self.xi, delta, epsilon]
            self.of_v = image - beta * v
            self.y = self.M1.matvec(self.of_v)
            self.rho = numpy.linalg.norm(self.y)
            self.of_w = self.A.rmatvec(q) - _conjugated(beta) * w
            self.z = self.M2.rmatvec(self.of_w)
            self.xi = numpy.linalg.norm(self.z)
            self.p, self.q, self.epsilon = p, q, epsilon
            found.append(self.rho)
        return asnumpy(numpy.stack([each.astype(dtype) for each in found])).reshape(-1, 5)


def _advanced(s, numbers, eps):
    """What a step computes from the numbers of its vectors; the code of a breakdown, or 0."""
    rho, xi, delta, epsilon, rho_next = numbers
    rho, xi, rho_next = rho.real, xi.real, rho_next.real
    if abs(rho) < eps:
        return -10
    if abs(xi) < eps:
        return -15
    if abs(delta) < eps:
        return -13
    if abs(epsilon) < eps:
        return -14
    beta = epsilon / delta
    if abs(beta) < eps:
        return -11
    theta_before, gamma_before = s.theta, s.gamma
    s.theta = rho_next / (gamma_before * abs(beta))
    s.gamma = 1 / math.sqrt(1 + s.theta**2)
    if abs(s.gamma) < eps:
        return -12
    s.eta = s.eta * -(rho / beta) * (s.gamma / gamma_before) ** 2
    s.factor = (theta_before * s.gamma) ** 2
    return 0


def _call_back(callback, solutions):
    for solution in solutions:
        callback(solution)


def _lost(x, maxiter, steps, callback):
    """What solvers return after a number that is not finite: none of the later steps stops SciPy's code."""
    x = gpunp.full_like(x, numpy.nan)
    if callback is not None:
        _call_back(callback, (x for _ in range(steps)))
    return x, maxiter


def _qmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M1=None, M2=None, callback=None):
    given = converted(A), converted(M1), converted(M2)
    more = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "M1": given[1], "M2": given[2]}
    identity = types.SimpleNamespace(matvec=lambda v: v, rmatvec=lambda v: v)
    alone = M1 is None and M2 is None and not hasattr(A, "psolve")
    operators = (identity, identity) if alone else given[1:]
    if not (alone or (M1 is not None and M2 is not None)):
        return twin("qmr")(given[0], b, x0, callback=callback, **more)
    system = twins()[f"{SOLVERS}.utils"].make_system(given[0], None, x0, b)
    if not in_blocks(system[0], *system[2:]):
        return twin("qmr")(given[0], b, x0, callback=callback, **more)
    _, _, x, r, atol, maxiter, _ = prepared("qmr", given[0], b, x0, rtol, atol, maxiter, None)
    if r is None:
        return x, 0
    return _quasi_minimal(_Lanczos(system[0], *operators, r), x, r, atol, maxiter, callback)


def _quasi_minimal(process, x, r, atol, maxiter, callback):
    """The last solution and the code of SciPy's ``qmr``."""
    s = types.SimpleNamespace(gamma=1, eta=-1, theta=0, factor=0)
    eps, done = float(numpy.finfo(x.dtype).eps), 0
    if not maxiter:
        return x, maxiter
    if float(numpy.linalg.norm(r)) < atol:
        return x, 0
    d, image = gpunp.zeros_like(x), gpunp.zeros_like(x)
    while done < maxiter:
        count = block_size(done, maxiter, x)
        rows, images = gpunp.empty((2, count + 2, len(x)), x.dtype)
        # In front of the vectors of a block there are x and d, and the residual and the image of d.
        numbers = process.extend(rows[2:], images[2:])
        rows[0], rows[1], images[0], images[1] = x, d, r, image
        unit = numpy.eye(count + 2, dtype=x.dtype)
        of_x, of_d, weights, code = unit[0], unit[1], [], 0
        for j, each in enumerate(numbers):
            code = _advanced(s, each, eps)
            is_lost = not code and not numpy.isfinite(each).all()
            if code or is_lost:
                break
            of_d = s.factor * of_d + s.eta * unit[2 + j]
            of_x = of_x + of_d
            weights.append((of_x, of_d))
        steps = len(weights)
        if steps:
            # The residual loses what the solution gains.
            residuals = [2 * unit[0] - of_x for of_x, _ in weights]
            found = combined(residuals, images[: steps + 2])
            lengths = numpy.linalg.norm(found, axis=1).tolist()
            last = next((j for j, length in enumerate(lengths[: maxiter - done - 1]) if length < atol), None)
            at = steps - 1 if last is None else last
            if callback:
                solutions = combined([of_x for of_x, _ in weights[: at + 1]], rows[: steps + 2])
                _call_back(callback, solutions)
            x, d = combined(weights[at], rows[: steps + 2])
            if last is not None:
                return x.copy(), 0
            r, image = found[-1], combined([weights[-1][1]], images[: steps + 2])[0]
        if code:
            return x.copy(), code
        if is_lost:
            return _lost(x, maxiter, maxiter - done - steps, callback)
        done += count
    return x.copy(), maxiter


def _tfqmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, show=False):
    A, M = converted(A), converted(M)
    more = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "M": M}
    is_plain = not show and all(numpy.dtype(each.dtype).kind in "fc" for each in (A, b))
    system = twins()[f"{SOLVERS}.utils"].make_system(A, M, x0, b) if is_plain else None
    if not is_plain or not in_blocks(system[0], *system[2:]):
        return twin("tfqmr")(A, b, x0, callback=callback, show=show, **more)
    A, M, x, b = system
    r = b.copy() if x0 is None else b - A.matvec(x)
    lengths = asnumpy(numpy.stack([numpy.linalg.norm(b), numpy.linalg.norm(r)])).tolist()
    if lengths[0] == 0:
        return b.copy(), 0
    if lengths[1] == 0:
        return x, 0
    atol, _ = twins()[f"{SOLVERS}.iterative"]._get_atol_rtol("tfqmr", lengths[1], atol, rtol)
    maxiter = min(10000, 10 * len(b)) if maxiter is None else maxiter
    return _transpose_free(_Squares(A, M, r), x, lengths[1], atol, maxiter, callback)


class _Squares:
    """The vectors of ``tfqmr``, by pairs of steps: those of squared biconjugate gradients."""

    def __init__(self, A, M, residual):
        self.A, self.M, self.first = A, M, residual
        self.u, self.w = residual, residual
        self.v = self.image = M.matvec(A.matvec(residual))
        self.rho = numpy.vdot(residual, residual)

    def extend(self, rows):
        """Do as many steps as there are rows, an even number, which get the vectors ``u``; wait once.

        Returns
        -------
        numpy.ndarray, shape (steps / 2, 4)
            ``rho``, the product of ``v`` with the first residual, and the lengths of both vectors ``w``.
        """
        found = []
        for even, odd in zip(rows[::2], rows[1::2], strict=True):
            even[...] = self.u
            along = numpy.vdot(self.first, self.v)
            alpha = self.rho / along
            found += [self.rho, along]
            self.w = self.w - alpha * self.image
            found.append(numpy.linalg.norm(self.w))
            numpy.subtract(self.u, alpha * self.v, out=odd)
            image = self.M.matvec(self.A.matvec(odd))
            self.w = self.w - alpha * image
            found.append(numpy.linalg.norm(self.w))
            rho = numpy.vdot(self.first, self.w)
            beta, self.rho = rho / self.rho, rho
            self.u = self.w + beta * odd
            self.v = beta * image + (beta * beta) * self.v
            self.image = self.M.matvec(self.A.matvec(self.u))
            self.v = self.v + self.image
        dtype = rows.dtype
        return asnumpy(numpy.stack([each.astype(dtype) for each in found])).reshape(-1, 4)


def _transpose_free(process, x, tau, atol, maxiter, callback):
    """The last solution and the code of SciPy's ``tfqmr``."""
    done, theta, eta, d, alpha = 0, 0.0, 0.0, gpunp.zeros_like(x), None
    while done < maxiter:
        count = 2 * -(-block_size(done, maxiter, x) // 2)
        rows = gpunp.empty((count + 1, len(x)), x.dtype)
        numbers = process.extend(rows[1:])
        rows[0] = d
        unit, code, is_lost = numpy.eye(count + 1, dtype=x.dtype), 1, False
        of_d, of_x, weights = unit[0], numpy.zeros(count + 1, x.dtype), []
        for j in range(min(count, maxiter - done)):
            rho, along, *lengths = numbers[j // 2]
            if j % 2 == 0:
                if along == 0:
                    code = -1
                    break
                alpha = rho / along
            of_d = unit[1 + j] + (theta**2 / alpha) * eta * of_d
            theta = lengths[j % 2].real / tau
            c = math.sqrt(1 / (1 + theta**2))
            tau *= theta * c
            eta = c**2 * alpha
            is_lost = not numpy.isfinite(tau)
            if is_lost:
                break
            of_x = of_x + eta * of_d
            weights.append(of_x)
            if tau * math.sqrt(done + j + 1) < atol:
                code = 0
                break
        steps = len(weights)
        if steps and callback is not None:
            changes = combined(weights[:-1], rows[: steps + 1]) if steps > 1 else ()
            _call_back(callback, (x + process.M.matvec(change) for change in changes))
        if steps:
            change, d = combined([of_x, of_d], rows[: steps + 1])
            x = x + process.M.matvec(change)
            if callback is not None:
                callback(x)
        if is_lost:
            return _lost(x, maxiter, maxiter - done - steps, callback)
        if code < 1:
            return x, code
        done += steps
    return x, maxiter


_NOTE = "Waits once or twice in several steps, but in each step if precisions differ."
qmr = as_public("qmr", _qmr, __name__, _NOTE)
tfqmr = as_public("tfqmr", _tfqmr, __name__, _NOTE)
