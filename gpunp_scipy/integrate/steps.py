"""Steps of solvers of ordinary differential equations, with one wait each.

SciPy's solvers run as twins (see `gpunp_scipy.twins`): the choice of steps and orders is theirs. What they
call to compute with states is here: sums of stages are elementwise, so that one kernel reads each stage once,
and a norm is the only number that the host asks for.
"""

import threading

import numpy
from scipy.integrate._ivp import bdf, common, radau

import gpunp
from gpunp.array.convert import asnumpy

# The norms of errors that came with a Newton iteration of this thread.
_known = threading.local()


def weighted(coefficients, arrays):
    """The sum of arrays, each times a number."""
    terms = [float(c) * a for c, a in zip(coefficients, arrays, strict=True) if c]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def norm(x):
    """The root mean square as a number; waits for the device."""
    return numpy.float64(numpy.linalg.norm(x)) / x.size**0.5


def norms(*arrays):
    """The norms of arrays in one copy."""
    squares = [numpy.sum(abs(x) ** 2) for x in arrays]
    return [square**0.5 / arrays[0].size ** 0.5 for square in asnumpy(numpy.stack(squares))]


def check_arguments(fun, y0, support_complex):
    """The derivative as a function that returns device arrays, and the first state, or SciPy's errors."""
    y0 = gpunp.asarray(y0)
    if y0.dtype.kind == "c" and not support_complex:
        raise ValueError(
            "`y0` is complex, but the chosen solver does not support integration in a complex domain."
        )
    dtype = complex if y0.dtype.kind == "c" else float
    y0 = y0.astype(dtype, copy=False)
    if y0.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if not numpy.isfinite(y0).all():
        raise ValueError("All components of the initial state `y0` must be finite.")

    def derivative(t, y):
        return gpunp.asarray(fun(t, y), dtype=dtype)

    return derivative, y0


def runge_kutta_step(fun, t, y, f, h, A, B, C, K):
    """Compute the stages of an explicit method into the rows of K; return the new state and derivative."""
    K[0] = f
    rows = [K[i] for i in range(len(K))]
    for s in range(1, len(C)):
        K[s] = fun(t + C[s] * h, y + weighted(A[s, :s] * h, rows[:s]))
    y_new = y + weighted(B * h, rows[:-1])
    f_new = fun(t + h, y_new)
    K[-1] = f_new
    return y_new, f_new


def estimate_error(self, K, h):
    """``RungeKutta._estimate_error``."""
    return weighted(self.E * h, list(K))


def estimate_error_norm_of_order_8(self, K, h, scale):
    """``DOP853._estimate_error_norm``: one error estimate is scaled by its ratio to another."""
    rows = list(K)
    squares = [numpy.sum(abs(weighted(E, rows) / scale) ** 2) for E in (self.E5, self.E3)]
    fifth, third = numpy.stack(squares).tolist()
    if fifth == 0 and third == 0:
        return 0.0
    return abs(h) * fifth / ((fifth + 0.01 * third) * scale.size) ** 0.5


def newton(correct, apply, tol, limit):
    """Iterate a simplified Newton method until the corrections are small, as SciPy's solvers judge that.

    Parameters
    ----------
    correct : callable
        Gets the number of the iteration, computes the next correction and returns its norm, a number: NaN if
        the derivative is not finite.
    apply : callable
        Applies the correction.
    tol : float
    limit : int
        The most iterations.

    Returns
    -------
    converged : bool
    count : int
        The iterations.
    rate : float or None
        The ratio of the last two norms.
    """
    before = rate = None
    for k in range(limit):
        size = correct(k)
        if not numpy.isfinite(size):
            return False, k + 1, rate
        rate = None if before is None else size / before
        if rate is not None and (rate >= 1 or rate ** (limit - k) / (1 - rate) * size > tol):
            return False, k + 1, rate
        apply()
        if size == 0 or (rate is not None and rate / (1 - rate) * size < tol):
            return True, k + 1, rate
        before = size
    return False, limit, rate


def solve_bdf_system(fun, t_new, y_predict, c, psi, LU, solve_lu, scale, tol):
    """The new state of a backward differentiation formula; returns also its distance from the prediction."""
    y, d, step = y_predict, gpunp.zeros_like(y_predict), None
    _known.norms = []

    def correct(k):
        nonlocal step
        step = solve_lu(LU, c * fun(t_new, y) - psi - d)
        # The first iteration cannot be the last one: there is no rate yet.
        errors = solve_lu.errors(y + step, d + step) if k else []
        size, *_known.norms = norms(step / scale, *errors)
        return size

    def apply():
        nonlocal y, d
        y, d = y + step, d + step

    converged, count, _ = newton(correct, apply, tol, bdf.NEWTON_MAXITER)
    return converged, count, y, d


class BdfFactors:
    """Solutions of a solver's systems, and the errors of its step.

    Parameters
    ----------
    solver : BDF
    solve : callable
        Solves a system, given its factors.
    """

    def __init__(self, solver, solve):
        self.solver, self.solve = solver, solve

    def __call__(self, factors, b):
        return self.solve(factors, b)

    def errors(self, y, d):
        """The scaled errors of a step, in the order in which the solver asks for their norms.

        These are the error of its order, and those of one order less and one more, where there are such.

        Parameters
        ----------
        y, d : ndarray
            The new state, and its distance from the prediction.
        """
        order, D, constants = self.solver.order, self.solver.D, self.solver.error_const
        scale = self.solver.atol + self.solver.rtol * abs(y)
        found = [constants[order] * d / scale]
        if order > 1:
            found.append(constants[order - 1] * (D[order] + d) / scale)
        if order < bdf.MAX_ORDER:
            found.append(constants[order + 1] * (d - D[order + 1]) / scale)
        return found


def known_norm(x):
    """`norm`, or the number that came with the last Newton iteration of the backward formulas."""
    return _known.norms.pop(0) if getattr(_known, "norms", None) else norm(x)


def solve_collocation_system(fun, t, y, h, Z0, scale, tol, LU_real, LU_complex, solve_lu):
    """The stages of the Radau method: three values of the state, minus the one that the step starts from."""
    rate_real, rate_complex = radau.MU_REAL / h, radau.MU_COMPLEX / h
    times = t + h * radau.C
    stages = [Z0[i] for i in range(3)]
    # In the basis where the matrix of the method is block diagonal.
    W = [weighted(row, stages) for row in radau.TI]
    steps = None

    def correct(_):
        nonlocal steps
        F = [fun(times[i], y + stages[i]) for i in range(3)]
        real = weighted(radau.TI_REAL, F) - rate_real * W[0]
        joined = weighted(radau.TI_COMPLEX.real, F) + 1j * weighted(radau.TI_COMPLEX.imag, F)
        pair = solve_lu(LU_complex, joined - rate_complex * (W[1] + 1j * W[2]))
        steps = [solve_lu(LU_real, real), pair.real, pair.imag]
        return norm(numpy.stack(steps) / scale)

    def apply():
        nonlocal stages
        W[:] = [w + step for w, step in zip(W, steps, strict=True)]
        stages = [weighted(row, W) for row in radau.T]

    converged, count, rate = newton(correct, apply, tol, radau.NEWTON_MAXITER)
    return converged, count, numpy.stack(stages), rate


def num_jac(fun, t, y, f, threshold, factor, sparsity=None):
    """A Jacobian by forward differences, and the factors of steps to begin with at the next one.

    Steps are adapted as SciPy does: where a difference drowns in rounding errors, a ten times larger step is
    tried.
    """
    n = y.size
    if n == 0:
        return gpunp.zeros((0, 0), y.dtype), factor
    factor = gpunp.full(n, common.EPS**0.5) if factor is None else factor
    towards = numpy.where(f.real >= 0, 1.0, -1.0) * numpy.maximum(threshold, abs(y))
    h = (y + factor * towards) - y
    while bool((h == 0).any()):
        factor = numpy.where(h == 0, 10 * factor, factor)
        h = (y + factor * towards) - y
    diff, largest, scale = _differences(fun, t, y, f, h)
    small = largest < common.NUM_JAC_DIFF_REJECT * scale
    if bool(small.any()):
        wider = common.NUM_JAC_FACTOR_INCREASE * factor
        h_wider = (y + wider * towards) - y
        diff_wider, largest_wider, scale_wider = _differences(fun, t, y, f, numpy.where(small, h_wider, h))
        better = small & (largest * scale_wider < largest_wider * scale)
        factor = numpy.where(better, wider, factor)
        h = numpy.where(better, h_wider, h)
        diff = numpy.where(better, diff_wider, diff)
        scale = numpy.where(better, scale_wider, scale)
        largest = numpy.where(better, largest_wider, largest)
    factor = numpy.where(
        largest < common.NUM_JAC_DIFF_SMALL * scale, common.NUM_JAC_FACTOR_INCREASE * factor, factor
    )
    factor = numpy.where(
        largest > common.NUM_JAC_DIFF_BIG * scale, common.NUM_JAC_FACTOR_DECREASE * factor, factor
    )
    return diff / h, numpy.maximum(factor, common.NUM_JAC_MIN_FACTOR)


def _differences(fun, t, y, f, h):
    """Differences of the derivative for steps of each variable, the largest of each and the values there."""
    values = fun(t, y[:, None] + numpy.diag(h))
    diff = values - f[:, None]
    size = abs(diff)
    place = numpy.argmax(size, axis=0)[None]
    at = numpy.maximum(abs(f)[place[0]], abs(numpy.take_along_axis(values, place, axis=0)[0]))
    return diff, numpy.take_along_axis(size, place, axis=0)[0], at
