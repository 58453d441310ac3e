"""Biconjugate gradients, and their squared form: their steps do not wait for the device.

The steps are SciPy's. As in `conjugate`, a solution that has converged is not changed any more, and the host
looks once in several steps.
"""

import gpunp
from gpunp_scipy.sparse import step_kernels
from gpunp_scipy.sparse.linalg.conjugate import least_product, operator_of, stepwise
from gpunp_scipy.sparse.step_kernels import Steps


def _bicg(multiply, precondition, x, r, atol, b):
    # Products with the matrix and its adjoint, and with those of the preconditioner.
    calls = multiply, multiply.__self__.rmatvec, precondition, precondition.__self__.rmatvec
    multiply, adjoint, precondition, of_shadow = (operator_of(call, x) for call in calls)
    multiply, adjoint = multiply or gpunp.copy, adjoint or gpunp.copy
    steps = Steps(x, atol, least_product(x))
    shadow, p, p_shadow = r.copy(), gpunp.zeros_like(r), gpunp.zeros_like(r)
    steps.dot(r, r, step_kernels.CG_NORM)

    def step(goes_on):
        z = r if precondition is None else precondition(r)
        steps.dot(shadow, z, step_kernels.BICG_RHO)
        steps.directions(p, z, p_shadow, shadow if of_shadow is None else of_shadow(shadow))
        q = multiply(p)
        q_shadow = adjoint(p_shadow)
        steps.dot(p_shadow, q, step_kernels.BICG_ALPHA)
        steps.end((x, p), (r, q), (shadow, q_shadow), decide=goes_on)

    return steps, step


def _cgs(multiply, precondition, x, r, atol, b):
    # The system's right side as the vectors are: the residual is computed anew in each step.
    right = gpunp.ascontiguousarray(gpunp.asarray(b).reshape(-1).astype(x.dtype, copy=False))
    multiply, precondition = operator_of(multiply, x) or gpunp.copy, operator_of(precondition, x)
    steps = Steps(x, atol, least_product(x))
    first, u, both = r.copy(), gpunp.empty_like(r), gpunp.empty_like(r)
    p, q = gpunp.zeros_like(r), gpunp.zeros_like(r)
    steps.dot(first, r, step_kernels.BICG_START)

    def step(goes_on):
        steps.squared(u, p, r, q)
        v = multiply(p if precondition is None else precondition(p))
        steps.dot(first, v, step_kernels.BICG_ALPHA)
        steps.half(q, both, u, v)
        steps.advance(x, both if precondition is None else precondition(both))
        steps.rest(r, right, multiply(x), first, decide=goes_on)

    return steps, step


bicg = stepwise("bicg", _bicg, __name__)
cgs = stepwise("cgs", _cgs, __name__)
