"""Biconjugate gradients, and their squared form: their steps do not wait for the device.

The steps are SciPy's. As in `conjugate`, a solution that has converged is not changed any more, and the host
looks once in several steps.
"""

import numpy

import gpunp
from gpunp_scipy.sparse import step_kernels
from gpunp_scipy.sparse.linalg.conjugate import NOTE, as_public, due, operator_of, prepared
from gpunp_scipy.sparse.linalg.solvers import twin
from gpunp_scipy.sparse.step_kernels import Steps


def _bicg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    if callback is not None:
        return twin("bicg")(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback)
    multiply, precondition, x, r, atol, maxiter, _ = prepared("bicg", A, b, x0, rtol, atol, maxiter, M)
    if r is None:
        return x, 0
    # Products with the matrix and its adjoint, and with those of the preconditioner.
    calls = multiply, multiply.__self__.rmatvec, precondition, precondition.__self__.rmatvec
    multiply, adjoint, precondition, of_shadow = (operator_of(call, x) for call in calls)
    multiply, adjoint = multiply or gpunp.copy, adjoint or gpunp.copy
    steps, last = Steps(x, atol, float(numpy.finfo(x.dtype).eps) ** 2), -1
    shadow, p, p_shadow = r.copy(), gpunp.zeros_like(r), gpunp.zeros_like(r)
    steps.dot(r, r, step_kernels.CG_NORM)
    for iteration in range(maxiter):
        if due(iteration, last):
            last = iteration
            state = steps.state()
            if state != 1:
                return x, state
        z = r if precondition is None else precondition(r)
        steps.dot(shadow, z, step_kernels.BICG_RHO)
        steps.directions(p, z, p_shadow, shadow if of_shadow is None else of_shadow(shadow))
        q = multiply(p)
        q_shadow = adjoint(p_shadow)
        steps.dot(p_shadow, q, step_kernels.BICG_ALPHA)
        steps.end((x, p), (r, q), (shadow, q_shadow), decide=iteration + 1 < maxiter)
    state = steps.state()
    return x, maxiter if state == 1 else state


def _cgs(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    if callback is not None:
        return twin("cgs")(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback)
    multiply, precondition, x, r, atol, maxiter, _ = prepared("cgs", A, b, x0, rtol, atol, maxiter, M)
    if r is None:
        return x, 0
    # The system's right side as the vectors are: the residual is computed anew in each step.
    right = gpunp.ascontiguousarray(gpunp.asarray(b).reshape(-1).astype(x.dtype, copy=False))
    multiply, precondition = operator_of(multiply, x) or gpunp.copy, operator_of(precondition, x)
    steps, last = Steps(x, atol, float(numpy.finfo(x.dtype).eps) ** 2), -1
    first, u, both = r.copy(), gpunp.empty_like(r), gpunp.empty_like(r)
    p, q = gpunp.zeros_like(r), gpunp.zeros_like(r)
    steps.dot(first, r, step_kernels.BICG_START)
    for iteration in range(maxiter):
        if due(iteration, last):
            last = iteration
            state = steps.state()
            if state != 1:
                return x, state
        steps.squared(u, p, r, q)
        v = multiply(p if precondition is None else precondition(p))
        steps.dot(first, v, step_kernels.BICG_ALPHA)
        steps.half(q, both, u, v)
        steps.advance(x, both if precondition is None else precondition(both))
        steps.rest(r, right, multiply(x), first, decide=iteration + 1 < maxiter)
    state = steps.state()
    return x, maxiter if state == 1 else state


bicg = as_public("bicg", _bicg, __name__, NOTE)
cgs = as_public("cgs", _cgs, __name__, NOTE)
