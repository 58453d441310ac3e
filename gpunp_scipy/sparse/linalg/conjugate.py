"""Conjugate gradients and their stabilised form: their steps do not wait for the device.

What SciPy's code decides in a step is decided on the device: a solution that has converged is not changed any
more. The host looks once in a few steps whether it has, so that results are SciPy's.
"""

import numpy
import scipy.sparse.linalg

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.rebinding import public
from gpunp_scipy.sparse import step_kernels
from gpunp_scipy.sparse.classes import device_of_parts
from gpunp_scipy.sparse.linalg import step_blocks
from gpunp_scipy.sparse.linalg.operators import SOLVERS, twins
from gpunp_scipy.sparse.linalg.step_blocks import block_size
from gpunp_scipy.sparse.step_kernels import STATE, Steps

# The host looks after a quarter more steps than before, or after so many.
_MOST_STEPS = 16


def prepared(name, A, b, x0, rtol, atol, maxiter, M):
    """The operators, the first solution and residual, the limit of its norm, the steps, and the norm of b.

    The residual is None if the right side is 0.
    """
    A, M, x, b = twins()[f"{SOLVERS}.utils"].make_system(A, M, x0, b)
    norm = float(numpy.linalg.norm(b))
    atol, _ = twins()[f"{SOLVERS}.iterative"]._get_atol_rtol(name, norm, atol, rtol)
    if norm == 0:
        return A, M, b, None, atol, 0, norm
    r = b.copy() if x0 is None else b - A.matvec(x)
    return A.matvec, M.matvec, x, r, atol, 10 * len(b) if maxiter is None else maxiter, norm


def operator_of(call, like):
    """An operator whose vectors kernels take, or None if it returns what it gets."""
    if isinstance(getattr(call, "__self__", None), twins()[f"{SOLVERS}.utils"].IdentityOperator):
        return None
    return lambda v: gpunp.ascontiguousarray(call(v).astype(like.dtype, copy=False))


def _repeated(x, maxiter, steps, step):
    """Step until the host sees that the device has stopped, or ``maxiter`` times; return x and its info."""
    last = -1
    for iteration in range(maxiter):
        if iteration - last >= min(max(iteration // 4, 1), _MOST_STEPS):
            last = iteration
            state = steps.state()
            if state != 1:
                return x, state
        step(iteration + 1 < maxiter)
    state = steps.state()
    return x, maxiter if state == 1 else state


def _completed(name, numbers):
    """Whether a step was done to its end, from the numbers after it. What stops within a step is 0 then."""
    _, alpha, _, omega = (complex(*pair) for pair in numbers[:8].reshape(4, 2))
    if numbers[STATE] == 1:
        return True
    return alpha != 0 and not (name == "bicgstab" and numbers[STATE] == 0 and omega == 0)


def _reported(name, x, maxiter, steps, step, callback):
    """Step as `_repeated` does, and call a function with the solution of each step, after some of them."""
    done, state = 0, steps.state()
    while state == 1 and done < maxiter:
        count = block_size(done, maxiter, x) if step_blocks.saves_time(x.device) else 1
        solutions, numbers = [], []
        for iteration in range(done, done + count):
            step(iteration + 1 < maxiter)
            solutions.append(x.copy())
            numbers.append(steps.record())
        for solution, each in zip(solutions, asnumpy(numpy.stack(numbers)), strict=True):
            if not _completed(name, each):
                break
            callback(solution)
            if each[STATE] != 1:
                break
        state = int(each[STATE])
        done += count
    return x, maxiter if state == 1 else state


def _cg(multiply, precondition, x, r, atol, b):
    multiply, precondition = operator_of(multiply, x) or gpunp.copy, operator_of(precondition, x)
    steps = Steps(x, atol)
    first = r if precondition is None else precondition(r)
    # The products of r with its preconditioned form and with itself.
    steps.dot(r, first, step_kernels.CG_START)
    p = first.copy()

    def step(goes_on):
        q = multiply(p)
        steps.dot(p, q, step_kernels.CG_LENGTH)
        if precondition is None:
            z = r
            steps.residual(r, q, step_kernels.CG_PLAIN, decide=goes_on)
        else:
            steps.residual(r, q, step_kernels.CG_NORM, decide=goes_on)
            z = precondition(r)
            steps.dot(r, z, step_kernels.CG_RHO)
        steps.direction(x, p, z)

    return steps, step


def _bicgstab(multiply, precondition, x, r, atol, b):
    multiply, precondition = operator_of(multiply, x) or gpunp.copy, operator_of(precondition, x)
    steps = Steps(x, atol, least_product(x))
    first, p = r.copy(), r.copy()
    steps.dot(first, r, step_kernels.BICG_START)

    def step(goes_on):
        ahead = p if precondition is None else precondition(p)
        v = multiply(ahead)
        steps.dot(first, v, step_kernels.BICG_ALPHA)
        steps.residual(r, v, step_kernels.BICG_HALF)
        beyond = r if precondition is None else precondition(r)
        t = multiply(beyond)
        steps.dot(t, r, step_kernels.BICG_OMEGA)
        steps.solution(x, r, t, (ahead, beyond), first, decide=goes_on)
        if goes_on:
            steps.stable(p, r, v)

    return steps, step


def least_product(x):
    """The least product of vectors with which a solver goes on."""
    return float(numpy.finfo(x.dtype).eps) ** 2


def as_public(name, solve, module, note):
    """A solver with the name and the signature of SciPy's."""

    def call(A, b, *args, **kwargs):
        with device_of_parts(A, b, *args, *kwargs.values()):
            return solve(A, b, *args, **kwargs)

    return public(call, getattr(scipy.sparse.linalg, name), module, note)


def stepwise(name, begin, module):
    """A public solver whose steps do not wait for the device.

    ``begin(multiply, precondition, x, r, atol, b)`` returns the state of the steps and a function
    of one step, whose argument is whether another may follow.
    """

    def solve(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
        multiply, precondition, x, r, atol, maxiter, _ = prepared(name, A, b, x0, rtol, atol, maxiter, M)
        if r is None:
            return x, 0
        steps = begin(multiply, precondition, x, r, atol, b)
        return _reported(name, x, maxiter, *steps, callback) if callback else _repeated(x, maxiter, *steps)

    note = "Waits for the device once in several steps. A callback is called for all of them after the last."
    return as_public(name, solve, module, note)


bicgstab = stepwise("bicgstab", _bicgstab, __name__)
cg = stepwise("cg", _cg, __name__)
