"""Steps of solvers of ordinary differential equations, with one wait each.

SciPy's solvers run as twins (see `gpunp_scipy.twins`): the choice of steps and orders is theirs. What they
call to compute with states is here: sums of stages are elementwise, so that one kernel reads each stage once,
and a norm is the only number that the host asks for.
"""

import itertools
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


def norms(groups):
    """The norms of groups of arrays, as lists of numbers, in one copy."""
    squares = [numpy.sum(abs(x) ** 2) / x.size for group in groups for x in group]
    # Numbers of NumPy, whose arithmetic does not raise.
    found = iter(asnumpy(numpy.stack(squares)) ** 0.5)
    return [[next(found) for _ in group] for group in groups]


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


def newton(iterations, tol, limit, ahead):
    """Iterate a simplified Newton method until the corrections are small, as SciPy's solvers judge that.

    Iterations are computed ahead of the decision whether they are needed, so that the norms of several come
    in one copy.

    Parameters
    ----------
    iterations : iterator
        Each iteration gives what it leads to, and arrays whose norms are needed, the correction first. The
        norm of the correction is NaN if the derivative is not finite.
    tol : float
    limit : int
        The most iterations.
    ahead : int
        How many iterations are expected.

    Returns
    -------
    converged : bool
    count : int
        The iterations that were needed.
    computed : int
        The iterations that were computed.
    rate : float or None
        The ratio of the last two norms of corrections.
    found : object or None
        What the last iteration that was not refused leads to.
    norms : list of float
        Of its arrays but the correction.
    """
    found, known, others, before, rate = None, [], [], None, None
    for k in range(limit):
        if k == len(known):
            batch = [*itertools.islice(iterations, max(min(ahead, limit) - k, 1))]
            known += zip((each for each, _ in batch), norms([arrays for _, arrays in batch]), strict=True)
        new, (size, *more) = known[k]
        if not numpy.isfinite(size):
            break
        rate = None if before is None else size / before
        if rate is not None and (rate >= 1 or rate ** (limit - k) / (1 - rate) * size > tol):
            break
        found, others, before = new, more, size
        if size == 0 or (rate is not None and rate / (1 - rate) * size < tol):
            return True, k + 1, len(known), rate, found, others
    return False, k + 1, len(known), rate, found, others


class Systems:
    """Solutions of the systems of a solver's steps.

    Parameters
    ----------
    solver : BDF or Radau
    solve : callable
        Solves a system, given its factors.

    Attributes
    ----------
    ahead : int
        How many Newton iterations the next step is expected to need: as many as the last one did.
    next : ndarray or None
        The solution of the system that the solver asks for next, if it is known.
    """

    def __init__(self, solver, solve):
        self.solver, self.solve, self.ahead, self.next = solver, solve, 2, None

    def __call__(self, factors, b):
        if self.next is not None:
            found, self.next = self.next, None
            return found
        # The right side is of a function of the user, which may have run another solver.
        _known.norms = []
        return self.solve(factors, b)

    def iterate(self, iterations, tol, limit, evaluations):
        """Run `newton`; each iteration takes a number of evaluations of the derivative.

        Evaluations that were not needed are not counted: the solver's count is SciPy's.
        """
        converged, count, computed, *found = newton(iterations, tol, limit, self.ahead)
        self.solver.nfev -= (computed - count) * evaluations
        if converged:
            self.ahead = count
        return converged, count, *found


class BdfSystems(Systems):
    """Systems of backward differentiation formulas, and the errors of a step."""

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


def solve_bdf_system(fun, t_new, y_predict, c, psi, LU, solve_lu, scale, tol):
    """The new state of a backward differentiation formula; returns also its distance from the prediction."""

    def iterations():
        y, d = y_predict, gpunp.zeros_like(y_predict)
        for k in itertools.count(1):
            step = solve_lu(LU, c * fun(t_new, y) - psi - d)
            y, d = y + step, d + step
            # Fewer iterations than expected are rare.
            yield (y, d), [step / scale, *(solve_lu.errors(y, d) if k > 1 or solve_lu.ahead == 1 else ())]

    converged, count, _, found, known = solve_lu.iterate(iterations(), tol, bdf.NEWTON_MAXITER, 1)
    y, d = found or (y_predict, gpunp.zeros_like(y_predict))
    _known.norms = known or (norms([solve_lu.errors(y, d)])[0] if converged else [])
    return converged, count, y, d


def known_norm(x):
    """`norm`, or the number that came with the last Newton iteration of the solver."""
    return _known.norms.pop(0) if getattr(_known, "norms", None) else norm(x)


def solve_collocation_system(fun, t, y, h, Z0, scale, tol, LU_real, LU_complex, solve_lu):
    """The stages of the Radau method: three values of the state, minus the one that the step starts from."""
    solver = solve_lu.solver
    rate_real, rate_complex = radau.MU_REAL / h, radau.MU_COMPLEX / h
    times = t + h * radau.C

    def error(stages):
        """The error of the step, which the solver asks for next, and it in units of the tolerances."""
        found = solve_lu.solve(LU_real, solver.f + weighted(radau.E / h, stages))
        largest = numpy.maximum(abs(y), abs(y + stages[-1]))
        return found, found / (solver.atol + solver.rtol * largest)

    def iterations():
        stages = [Z0[i] for i in range(3)]
        # In the basis where the matrix of the method is block diagonal.
        W = [weighted(row, stages) for row in radau.TI]
        for k in itertools.count(1):
            F = [fun(times[i], y + stages[i]) for i in range(3)]
            real = weighted(radau.TI_REAL, F) - rate_real * W[0]
            joined = weighted(radau.TI_COMPLEX.real, F) + 1j * weighted(radau.TI_COMPLEX.imag, F)
            pair = solve_lu.solve(LU_complex, joined - rate_complex * (W[1] + 1j * W[2]))
            steps = [solve_lu.solve(LU_real, real), pair.real, pair.imag]
            W = [w + step for w, step in zip(W, steps, strict=True)]
            stages = [weighted(row, W) for row in radau.T]
            of_step, scaled = error(stages) if k > 1 or solve_lu.ahead == 1 else (None, None)
            arrays = [numpy.stack(steps) / scale] + ([scaled] if scaled is not None else [])
            yield (stages, of_step), arrays

    converged, count, rate, found, _known.norms = solve_lu.iterate(iterations(), tol, radau.NEWTON_MAXITER, 3)
    stages, solve_lu.next = found or ([*Z0], None)
    if not converged:
        solve_lu.next, _known.norms = None, []
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
    diff, largest, scale = _differences(fun, t, y, f, h)
    small = largest < common.NUM_JAC_DIFF_REJECT * scale
    no_step, drowned = numpy.stack([(h == 0).any(), small.any()]).tolist()
    if no_step:
        while bool((h == 0).any()):
            factor = numpy.where(h == 0, 10 * factor, factor)
            h = (y + factor * towards) - y
        diff, largest, scale = _differences(fun, t, y, f, h)
        small = largest < common.NUM_JAC_DIFF_REJECT * scale
        drowned = bool(small.any())
    if drowned:
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
