"""Conjugate gradients and their stabilised form: their steps do not wait for the device.

What SciPy's code decides in a step is decided on the device: a solution that has converged is not changed any
more. The host looks once in a few steps whether it has, so that results are SciPy's.
"""

import numpy
import scipy.sparse.linalg

import gpunp
from gpunp_scipy.rebinding import public
from gpunp_scipy.sparse.classes import device_of_parts
from gpunp_scipy.sparse.linalg.operators import SOLVERS, twins
from gpunp_scipy.sparse.linalg.solvers import twin

# The host looks after a quarter more steps than before, or after so many.
_MOST_STEPS = 16


def _due(iteration, last):
    """Whether the host looks at this step; ``last`` is the step when it did so before."""
    return iteration - last >= min(max(iteration // 4, 1), _MOST_STEPS)


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


def _dot(x):
    return numpy.vdot if x.dtype.kind == "c" else numpy.dot


def _cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    if callback is not None:
        return twin("cg")(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback)
    multiply, precondition, x, r, atol, maxiter, _ = prepared("cg", A, b, x0, rtol, atol, maxiter, M)
    if r is None:
        return x, 0
    dot = _dot(x)
    norm, rho_before, p, last = numpy.inf, None, None, -1
    for iteration in range(maxiter):
        norm = numpy.linalg.norm(r)
        if _due(iteration, last):
            last = iteration
            if float(norm) < atol:
                return x, 0
        done = norm < atol
        z = precondition(r)
        rho = dot(r, z)
        if p is None:
            p = z.copy()
        else:
            p *= numpy.where(done, 0, rho / rho_before)
            p += z
        q = multiply(p)
        alpha = numpy.where(done, 0, rho / dot(p, q))
        x += alpha * p
        r -= alpha * q
        rho_before = rho
    return x, 0 if float(norm) < atol else maxiter


def _bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    if callback is not None:
        return twin("bicgstab")(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback)
    multiply, precondition, x, r, atol, maxiter, _ = prepared("bicgstab", A, b, x0, rtol, atol, maxiter, M)
    if r is None:
        return x, 0
    dot = _dot(x)
    least = float(numpy.finfo(x.dtype).eps) ** 2
    first, p, last = r.copy(), None, -1
    # What the solver would return: 1 while it goes on, else 0, -10 or -11.
    state = gpunp.asarray(1)
    omega = alpha = rho_before = v = None

    def stopped(condition, value):
        return numpy.where((state == 1) & condition, value, state)

    for iteration in range(maxiter):
        state = stopped(numpy.linalg.norm(r) < atol, 0)
        rho = dot(first, r)
        state = stopped(numpy.abs(rho) < least, -10)
        if p is None:
            p = r.copy()
        else:
            state = stopped(numpy.abs(omega) < least, -11)
            p -= omega * v
            p *= numpy.where(state == 1, rho / rho_before * (alpha / omega), 0)
            p += r
        if _due(iteration, last):
            last = iteration
            if int(state) != 1:
                return x, int(state)
        ahead = precondition(p)
        v = multiply(ahead)
        product = dot(first, v)
        state = stopped(product == 0, -11)
        alpha = numpy.where(state == 1, rho / product, 0)
        r -= alpha * v
        x += alpha * ahead
        state = stopped(numpy.linalg.norm(r) < atol, 0)
        ahead = precondition(r)
        t = multiply(ahead)
        omega = numpy.where(state == 1, dot(t, r) / dot(t, t), 0)
        x += omega * ahead
        r -= omega * t
        rho_before = rho
    found = int(state)
    return x, maxiter if found == 1 else found


def as_public(name, solve, module, note):
    """A solver with the name and the signature of SciPy's."""

    def call(A, b, *args, **kwargs):
        with device_of_parts(A, b, *args, *kwargs.values()):
            return solve(A, b, *args, **kwargs)

    return public(call, getattr(scipy.sparse.linalg, name), module, note)


_NOTE = "Waits for the device once in several steps, or in each step if there is a callback."
bicgstab = as_public("bicgstab", _bicgstab, __name__, _NOTE)
cg = as_public("cg", _cg, __name__, _NOTE)
