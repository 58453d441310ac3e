"""Least squares by Golub and Kahan's bidiagonalization: `lsqr` and `lsmr`.

The numbers of a step are computed as in SciPy's code, for several steps at once.
"""

import math
import types

import numpy

import gpunp
from gpunp_scipy.sparse.linalg.conjugate import as_public
from gpunp_scipy.sparse.linalg.operators import SOLVERS, converted, operator, twins
from gpunp_scipy.sparse.linalg.solvers import twin
from gpunp_scipy.sparse.linalg.step_blocks import (
    Bidiagonalization,
    block_size,
    combined,
    in_blocks,
    length_of,
)

_EPS = numpy.finfo(float).eps


def _rotation(a, b):
    return twins()[f"{SOLVERS}.lsqr"]._sym_ortho(a, b)


def _begun(A, b, x0):
    """The right side's length, the first solution, and the first vectors with their lengths."""
    u, norm = b, length_of(b)
    x, beta = None, norm
    if x0 is not None:
        x = numpy.atleast_1d(x0.copy())
        u = u - A.matvec(x)
        beta = length_of(u)
    v, alpha = gpunp.zeros(A.shape[1], u.dtype), numpy.float64(0)
    if beta > 0:
        u = (1 / beta) * u
        v = A.rmatvec(u)
        alpha = length_of(v)
    if alpha > 0:
        v = (1 / alpha) * v
    return norm, x, u, beta, v, alpha


def _stopped(s, tests, atol, btol, ctol, limit):
    """Why the solver stops after a step, as a number, or 0.

    Parameters
    ----------
    s : SimpleNamespace
        The numbers of the step.
    tests : tuple
        The relative residual, that of the normal equations, the inverse of the condition number, and the
        product of the norms of the matrix and of the solution, divided by that of the right side.
    """
    test1, test2, test3, size = tests
    conditions = (
        (1, test1 <= btol + atol * size),
        (2, test2 <= atol),
        (3, test3 <= ctol),
        (4, 1 + test1 / (1 + size) <= 1),
        (5, 1 + test2 <= 1),
        (6, 1 + test3 <= 1),
        (7, s.itn >= limit),
    )
    return next((number for number, holds in conditions if holds), 0)


def _rotated(s, beta, alpha, damp):
    """What a step of lsqr computes from the lengths of its vectors."""
    s.itn += 1
    if beta > 0:
        s.anorm = math.sqrt(s.anorm**2 + s.alpha**2 + beta**2 + damp**2)
    s.alpha = alpha
    first, psi = s.rhobar, 0.0
    if damp > 0:
        first = math.sqrt(s.rhobar**2 + damp**2)
        psi, s.phibar = damp / first * s.phibar, s.rhobar / first * s.phibar
    cs, sn, s.rho = _rotation(first, beta)
    theta, s.rhobar = sn * alpha, -cs * alpha
    phi, s.phibar = cs * s.phibar, sn * s.phibar
    s.t1, s.t2 = phi / s.rho, -theta / s.rho
    # Another rotation, to estimate the norm of x.
    gambar, rhs = -s.cs2 * s.rho, phi - s.sn2 * s.rho * s.z
    s.xnorm = math.sqrt(s.xxnorm + (rhs / gambar) ** 2)
    gamma = math.sqrt(gambar**2 + theta**2)
    s.cs2, s.sn2, s.z = gambar / gamma, theta / gamma, rhs / gamma
    s.xxnorm += s.z**2
    s.res2 += psi**2
    s.r1norm = s.r2norm = math.sqrt(s.phibar**2 + s.res2)
    s.arnorm = alpha * abs(sn * phi)
    if damp > 0:
        square = s.r2norm**2 - damp**2 * s.xxnorm
        s.r1norm = math.copysign(math.sqrt(abs(square)), square)
    return types.SimpleNamespace(**vars(s))


def _lsqr(
    A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, iter_lim=None, show=False, calc_var=False, x0=None
):
    A, b = operator(converted(A)), numpy.atleast_1d(gpunp.asarray(b)).squeeze()
    b = b.reshape(-1) if b.ndim == 0 else b
    if show or A.ndim > 2 or not in_blocks(A, x0, b):
        return twin("lsqr")(A, b, damp, atol, btol, conlim, iter_lim, show, calc_var, x0)
    n = A.shape[1]
    iter_lim = 2 * n if iter_lim is None else iter_lim
    var, ctol = gpunp.zeros(n), 1 / conlim if conlim > 0 else 0
    norm, x, u, beta, v, alpha = _begun(A, b, x0)
    x = gpunp.zeros(n) if x is None else x
    s = types.SimpleNamespace(itn=0, anorm=0, acond=0, xnorm=0, r1norm=beta, r2norm=beta)
    vars(s).update(alpha=alpha, rhobar=alpha, phibar=beta, arnorm=alpha * beta)
    vars(s).update(xxnorm=0, res2=0, z=0, cs2=-1, sn2=0)
    istop, ddnorm = 0, 0
    if s.arnorm:
        process, w = Bidiagonalization(A, u, v, float(alpha), 0), v
    while s.arnorm and not istop and s.itn < iter_lim:
        numbers, rows = process.extend(block_size(s.itn, iter_lim, v))
        steps, rows[0] = [], w
        weights = [numpy.eye(1, len(numbers))[0]]
        for beta, alpha in numbers:
            steps.append(_rotated(s, beta, alpha, damp))
            weights.append(numpy.eye(1, len(numbers), len(weights))[0] + s.t2 * weights[-1])
        ws = combined(weights[:-1], rows[:-1])
        lengths = numpy.linalg.norm(ws, axis=1).tolist()
        for s, length in zip(steps, lengths, strict=True):
            ddnorm += (length / s.rho) ** 2
            s.acond = s.anorm * math.sqrt(ddnorm)
            ratio = s.arnorm / (s.anorm * s.r2norm + _EPS)
            tests = s.r2norm / norm, ratio, 1 / (s.acond + _EPS), s.anorm * s.xnorm / norm
            istop = _stopped(s, tests, atol, btol, ctol, iter_lim)
            if istop:
                break
        count = s.itn - steps[0].itn + 1
        x = x + combined([each.t1 for each in steps[:count]], ws[:count])
        if calc_var:
            inverse = gpunp.asarray([1 / each.rho for each in steps[:count]])
            var = var + ((inverse[:, None] * ws[:count]) ** 2).sum(axis=0)
        w = rows[-1] + s.t2 * ws[-1]
    return x, istop, s.itn, s.r1norm, s.r2norm, s.anorm, s.acond, s.arnorm, s.xnorm, var


def _advanced(s, beta, alpha, damp):
    """What a step of lsmr computes from the lengths of its vectors."""
    s.itn += 1
    chat, shat, alphahat = _rotation(s.alphabar, damp)
    rho_before, rhobar_before, zeta_before = s.rho, s.rhobar, s.zeta
    c, sn, s.rho = _rotation(alphahat, beta)
    thetanew, s.alphabar = sn * alpha, c * alpha
    thetabar, s.rhotemp = s.sbar * s.rho, s.cbar * s.rho
    s.cbar, s.sbar, s.rhobar = _rotation(s.rhotemp, thetanew)
    s.zeta, s.zetabar = s.cbar * s.zetabar, -s.sbar * s.zetabar
    # The factors of hbar, x and h.
    s.factors = (
        -(thetabar * s.rho / (rho_before * rhobar_before)),
        s.zeta / (s.rho * s.rhobar),
        -(thetanew / s.rho),
    )
    acute, check = chat * s.betadd, -shat * s.betadd
    betahat, s.betadd = c * acute, -sn * acute
    theta_before = s.thetatilde
    ctilde, stilde, rhotilde = _rotation(s.rhodold, thetabar)
    s.thetatilde, s.rhodold = stilde * s.rhobar, ctilde * s.rhobar
    s.betad = -stilde * s.betad + ctilde * betahat
    s.tautilde = (zeta_before - theta_before * s.tautilde) / rhotilde
    taud = (s.zeta - s.thetatilde * s.tautilde) / s.rhodold
    s.d += check * check
    s.normr = math.sqrt(s.d + (s.betad - taud) ** 2 + s.betadd * s.betadd)
    s.normA2 += beta * beta
    s.normA = math.sqrt(s.normA2)
    s.normA2 += alpha * alpha
    s.maxrbar = max(s.maxrbar, rhobar_before)
    if s.itn > 1:
        s.minrbar = min(s.minrbar, rhobar_before)
    s.condA = max(s.maxrbar, s.rhotemp) / min(s.minrbar, s.rhotemp)
    s.normar = abs(s.zetabar)
    return types.SimpleNamespace(**vars(s))


def _lsmr_start(alpha, beta):
    s = types.SimpleNamespace(itn=0, zetabar=alpha * beta, alphabar=alpha, rho=1, rhobar=1, cbar=1, sbar=0)
    vars(s).update(betadd=beta, betad=0, rhodold=1, tautilde=0, thetatilde=0, zeta=0, d=0)
    vars(s).update(normA2=alpha * alpha, maxrbar=0, minrbar=1e100, normA=math.sqrt(alpha * alpha), condA=1)
    vars(s).update(normr=beta, normar=alpha * beta)
    return s


def _lsmr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False, x0=None):
    A, b = operator(converted(A)), numpy.atleast_1d(gpunp.asarray(b))
    b = b.squeeze() if b.ndim > 1 else b
    if show or A.ndim > 2 or not in_blocks(A, x0, b):
        return twin("lsmr")(A, b, damp, atol, btol, conlim, maxiter, show, x0)
    n = A.shape[1]
    maxiter = min(A.shape) if maxiter is None else maxiter
    ctol = 1 / conlim if conlim > 0 else 0
    norm, x, u, beta, v, alpha = _begun(A, b, x0)
    dtype = numpy.result_type(*(each.dtype for each in (A, b, x) if each is not None), float)
    x = gpunp.zeros(n, dtype) if x is None else x
    s, istop, normx = _lsmr_start(alpha, beta), 0, 0
    if norm == 0 and s.normar:
        x[()] = 0
    if norm == 0 or s.normar == 0:
        return x, istop, s.itn, s.normr, s.normar, s.normA, s.condA, normx
    # As in SciPy, what is added up is in double precision, and a first solution keeps its dtype.
    kept, x = numpy.result_type(x.dtype, v.dtype), x.astype(dtype, copy=False)
    # In front of the vectors of a block there are x and hbar; h takes the place of its first one.
    process, hbar, h = Bidiagonalization(A, u, v, float(alpha), 2), gpunp.zeros(n, dtype), v
    while not istop and s.itn < maxiter:
        numbers, rows = process.extend(block_size(s.itn, maxiter, v))
        rows = rows.astype(dtype, copy=False)
        rows[0], rows[1], rows[2] = x, hbar, h
        unit = numpy.eye(len(rows))
        of_x, of_hbar, of_h = unit[:3]
        steps, weights = [], []
        for j, (beta, alpha) in enumerate(numbers):
            steps.append(_advanced(s, beta, alpha, damp))
            of_hbar = s.factors[0] * of_hbar + of_h
            of_x = of_x + s.factors[1] * of_hbar
            weights.append(of_x)
            last, of_h = of_h, s.factors[2] * of_h + unit[3 + j]
        found = combined([*weights, of_hbar, last], rows[:-1])
        lengths = numpy.linalg.norm(found[: len(steps)], axis=1).tolist()
        for s, normx in zip(steps, lengths, strict=True):
            product = s.normA * s.normr
            test2 = s.normar / product if product != 0 else numpy.inf
            tests = s.normr / norm, test2, 1 / s.condA, s.normA * normx / norm
            istop = _stopped(s, tests, atol, btol, ctol, maxiter)
            if istop:
                break
        x = found[s.itn - steps[0].itn].copy()
        hbar, h = found[-2], s.factors[2] * found[-1] + rows[-1]
    x = x.astype(kept, copy=False)
    return x, istop, s.itn, s.normr, s.normar, s.normA, s.condA, numpy.float64(normx)


_NOTE = (
    "Waits for the device twice in several steps, but in each step if precisions differ or if it shows them."
)
lsmr = as_public("lsmr", _lsmr, __name__, _NOTE)
lsqr = as_public("lsqr", _lsqr, __name__, _NOTE)
