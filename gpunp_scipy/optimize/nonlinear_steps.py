"""The steps of SciPy's solvers of large nonlinear systems, which wait once for each value of the function.

All numbers that a trial point decides by travel in one copy: the lengths of the function's value and of the
step, the norms of the test of convergence, and whether the step is finite.
"""

import math
import sys

import numpy
import scipy.linalg
from scipy.optimize._linesearch import scalar_search_armijo, scalar_search_wolfe1

from gpunp.array.convert import asnumpy
from gpunp_scipy.optimize.evaluation import numbers

_MESSAGES = {
    1: "A solution was found at the specified tolerance.",
    2: "The maximum number of iterations allowed has been reached.",
}
_INVALID = "array must not contain infs or NaNs"
_NOT_FINITE = "Function returned non-finite results"
_NO_STEP = "Jacobian inversion yielded zero vector. This indicates a bug in the Jacobian approximation."


def _floats(*values):
    """Scalars of the device as Python's numbers, in one copy."""
    return [float(each) for each in numbers(*values)]


class _Point:
    """A point, the function's value there, its length, and both norms of the test of convergence."""

    def __init__(self, s, x, value, size, f_norm, x_norm):
        self.s, self.x, self.value, self.f_norm, self.x_norm = s, x, value, f_norm, x_norm
        self.is_finite = math.isfinite(size)
        self.size = size if self.is_finite else math.inf


class _Trials:
    """Points along a step, and the numbers that are fetched with the function's values there.

    Parameters
    ----------
    func : callable
    start : _Point
        Where the step begins.
    dx : ndarray
        The step.
    norm : callable
        That of the test of convergence.
    jacobian : Jacobian
    """

    def __init__(self, func, start, dx, norm, jacobian):
        self.func, self.start, self.dx, self.norm, self.jacobian = func, start, dx, norm, jacobian
        # SciPy, too, keeps the last point only, and evaluates others again.
        self.last = start
        self.dx_norm = None

    def at(self, s):
        """The point ``x + s * dx``."""
        x = self.start.x + s * self.dx
        value = self.func(x)
        sound, self.jacobian.sound = getattr(self.jacobian, "sound", True), True
        length, of_step, sound, self.dx_norm, *norms = _floats(
            numpy.linalg.norm(value),
            numpy.linalg.norm(self.dx),
            sound,
            *map(self.norm, (self.dx, value, x)),
        )
        self._accept(of_step)
        if not sound:
            # The step is that of the Jacobian at the start, to which it returns.
            self.jacobian.setup(self.jacobian.last_x, self.jacobian.last_f, self.jacobian.func)
        return _Point(s, x, value, length, *norms)

    def _accept(self, of_step):
        if not math.isfinite(of_step):
            raise ValueError(_INVALID)
        if of_step == 0:
            raise ValueError(_NO_STEP)

    def _phi(self, s, keep=True):
        if s == self.last.s:
            return self.last.size**2
        found = self.at(s)
        if keep:
            self.last = found
        return found.size**2

    def search(self, kind, rdiff=1e-8, smin=1e-2):
        """The point of a line search, or of the full step for None."""
        start, s = self._phi(0.0), 1.0
        if kind == "wolfe":
            of_x, of_step = _floats(numpy.linalg.norm(self.start.x), numpy.linalg.norm(self.dx))
            self._accept(of_step)

            def derphi(s):
                step = (abs(s) + of_x / of_step + 1) * rdiff
                return (self._phi(s + step, keep=False) - self._phi(s)) / step

            s = scalar_search_wolfe1(self._phi, derphi, start, xtol=1e-2, amin=smin)[0]
        elif kind == "armijo":
            s = scalar_search_armijo(self._phi, start, -start, amin=smin)[0]
        # Without a suitable step the full one is taken.
        s = 1.0 if s is None else s
        found = self.last if s == self.last.s else self.at(s)
        if not found.is_finite:
            raise ValueError(_INVALID)
        found.s = 0.0
        return s, found


def _forcing(eta, gained):
    """The relative tolerance of the next linear system, from the last one and the squared gain of a step."""
    gamma, largest, threshold = 0.9, 0.9999, 0.1
    new = gamma * gained
    return min(largest, new if gamma * eta**2 < threshold else max(new, gamma * eta**2))


def solver(module):
    """Return ``nonlin_solve`` for a twin of SciPy's module."""

    def nonlin_solve(
        F,
        x0,
        jacobian="krylov",
        iter=None,
        verbose=False,
        maxiter=None,
        f_tol=None,
        f_rtol=None,
        x_tol=None,
        x_rtol=None,
        tol_norm=None,
        line_search="armijo",
        callback=None,
        full_output=False,
        raise_exception=True,
    ):
        """Find a root of a function; see ``scipy.optimize._nonlin.nonlin_solve``."""
        norm = module.maxnorm if tol_norm is None else tol_norm
        condition = module.TerminationCondition(f_tol, f_rtol, x_tol, x_rtol, iter, norm)
        x0 = module._as_inexact(x0)

        def func(z):
            return module._as_inexact(F(module._array_like(z, x0))).flatten()

        x = x0.flatten()
        Fx, dx = func(x), numpy.full_like(x, numpy.inf)
        size, dx_norm, *norms = _floats(numpy.linalg.norm(Fx), *map(norm, (dx, Fx, x)))
        point = _Point(0.0, x, Fx, size, *norms)
        if not point.is_finite:
            raise ValueError(_INVALID)
        jacobian = module.asjacobian(jacobian)
        jacobian.setup(x.copy(), Fx, func)
        if maxiter is None:
            maxiter = 100 * (x.size + 1) if iter is None else iter + 1
        line_search = {True: "armijo", False: None}.get(line_search, line_search)
        if line_search not in (None, "armijo", "wolfe"):
            raise ValueError("Invalid line search")
        eta = 1e-3
        for n in range(maxiter):
            status = condition.check(point.f_norm, point.x_norm, dx_norm)
            if status:
                break
            last = point.size
            dx = -jacobian.solve(point.value, tol=min(eta, eta * last))
            trials = _Trials(func, point, dx, norm, jacobian)
            s, point = trials.search(line_search)
            dx_norm = trials.dx_norm
            jacobian.update(point.x.copy(), point.value)
            if callback:
                callback(point.x, point.value)
            eta = _forcing(eta, point.size**2 / last**2)
            if verbose:
                sys.stdout.write(f"{n}:  |F(x)| = {point.f_norm:g}; step {s:g}\n")
                sys.stdout.flush()
        else:
            if raise_exception:
                raise module.NoConvergence(module._array_like(point.x, x0))
            status = 2
        x, Fx = point.x, point.value
        x = module._array_like(x, x0)
        if not full_output:
            return x
        result = {"nit": condition.iteration, "fun": Fx, "status": status, "success": status == 1}
        return x, result | {"message": _MESSAGES[status]}

    return nonlin_solve


def check(self, f_norm, x_norm, dx_norm):
    """``TerminationCondition.check``, for norms that are known."""
    self.iteration += 1
    if self.f0_norm is None:
        self.f0_norm = f_norm
    if f_norm == 0:
        return 1
    if self.iter is not None:
        return 2 * (self.iteration > self.iter)
    small = f_norm <= self.f_tol and f_norm / self.f_rtol <= self.f0_norm
    return int(small and dx_norm <= self.x_tol and dx_norm / self.x_rtol <= x_norm)


def update(self, x, f):
    """``GenericBroyden.update``, whose norms stay on the device."""
    df, dx = f - self.last_f, x - self.last_x
    self._update(x, f, dx, df, numpy.linalg.norm(dx), numpy.linalg.norm(df))
    self.last_f, self.last_x = f, x


def collapse(self):
    """``LowRankMatrix.collapse``: the matrix itself takes the place of its terms."""
    self.collapsed = self.__array__()
    self.cs = self.ds = self.alpha = None


def broyden_solve(self, f, tol=0):
    """``BroydenFirst.solve``: whether the step is finite is fetched with the next value of the function."""
    step = self.Gm.matvec(f)
    self.sound = numpy.isfinite(step).all()
    return numpy.where(self.sound, step, -self.alpha * f)


def anderson_solve(self, f, tol=0):
    """``Anderson.solve``, with all products of vectors in one copy."""
    step, count = -self.alpha * f, len(self.dx)
    if count == 0:
        return step
    changes = numpy.stack(self.df)
    products = asnumpy(changes.conj() @ numpy.concatenate([changes, f[None]]).T)
    matrix = numpy.triu(products[:, :count])
    matrix[numpy.diag_indices(count)] *= 1 + self.w0**2
    matrix += numpy.triu(matrix, 1).T.conj()
    try:
        gamma = scipy.linalg.solve(matrix, products[:, count])
    except scipy.linalg.LinAlgError:
        del self.dx[:], self.df[:]
        return step
    for weight, dx, df in zip(gamma.tolist(), self.dx, self.df, strict=True):
        step = step + weight * (dx + self.alpha * df)
    return step


def anderson_update(self, x, f, dx, df, dx_norm, df_norm):
    """``Anderson._update``, which keeps the last changes."""
    if self.M:
        self.dx, self.df = [*self.dx, dx][-self.M :], [*self.df, df][-self.M :]


def exciting_update(self, x, f, dx, df, dx_norm, df_norm):
    """``ExcitingMixing._update``, without selections by masks."""
    beta = numpy.where(f * self.last_f > 0, self.beta + self.alpha, self.alpha)
    self.beta = numpy.clip(beta, 0, self.alphamax)


def difference_step(self):
    """``KrylovJacobian._update_diff_step``, on the device."""
    largest = [numpy.maximum(1, abs(each).max()) for each in (self.x0, self.f0)]
    self.omega = self.rdiff * largest[0] / largest[1]


def difference_product(self, v):
    """``KrylovJacobian.matvec``: a product with the Jacobian as a difference.

    Whether the product before was finite is fetched with the length of the vector, before the next call of
    the function.
    """
    size, self.failed = _floats(numpy.linalg.norm(v), self.failed)
    if self.failed:
        raise ValueError(_NOT_FINITE)
    if size == 0:
        return 0 * v
    scale = self.omega / size
    product = (self.func(self.x0 + scale * v) - self.f0) / scale
    self.failed = numpy.isfinite(v).all() & ~numpy.isfinite(product).all()
    return product


def _krylov_solver(scipys):
    """``KrylovJacobian.solve``, which also says that the last product was not finite."""

    def solve(self, rhs, tol=0):
        self.failed = False
        try:
            found = scipys(self, rhs, tol)
        except ValueError:
            # Factors of a matrix that has no numbers.
            if _floats(self.failed)[0]:
                raise ValueError(_NOT_FINITE) from None
            raise
        if _floats(self.failed)[0]:
            raise ValueError(_NOT_FINITE)
        return found

    return solve


def replace(module):
    """Let the classes of a twin of SciPy's module take these steps."""
    module.TerminationCondition.check = check
    module.GenericBroyden.update = update
    module.LowRankMatrix.collapse = collapse
    module.BroydenFirst.solve = broyden_solve
    module.Anderson.solve, module.Anderson._update = anderson_solve, anderson_update
    module.ExcitingMixing._update = exciting_update
    module.KrylovJacobian._update_diff_step = difference_step
    module.KrylovJacobian.matvec, module.KrylovJacobian.failed = difference_product, False
    module.KrylovJacobian.solve = _krylov_solver(module.KrylovJacobian.solve)
    module.nonlin_solve = solver(module)
    for value in vars(module).values():
        # Functions such as `broyden1`, which SciPy makes with copies of the module's variables.
        variables = getattr(value, "__globals__", {})
        if variables is not vars(module) and "_nonlin_wrapper" in variables:
            variables["nonlin_solve"] = module.nonlin_solve
