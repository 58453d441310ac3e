"""Newton's method with conjugate gradients: one wait for each product with the Hessian and each point."""

import numpy
from scipy.optimize import _optimize as scipys
from scipy.sparse.linalg import LinearOperator

import gpunp
from gpunp_scipy.optimize import differences
from gpunp_scipy.optimize.evaluation import numbers
from gpunp_scipy.optimize.line_searches import Line, search
from gpunp_scipy.optimize.objective import Objective
from gpunp_scipy.optimize.quasi_newton import finish, halts

_EPS = float(numpy.finfo(float).eps)
_STEP = _EPS**0.5
_SUCCESS, _LIMIT, _PRECISION, _NAN, _HALTED = 0, 1, 2, 3, 5


class Hessian:
    """Products with the Hessian matrix at a point, from what the user gives.

    Attributes
    ----------
    count : int
        Calls of the user's functions.
    """

    def __init__(self, objective, hess, hessp, args, eps):
        self.objective, self.hess, self.hessp, self.args, self.eps = objective, hess, hessp, args, eps
        self.count = 0

    def at(self, x, f, g):
        """Return the function that multiplies by the Hessian matrix at a point."""
        if callable(self.hess):
            matrix = self.hess(x.copy(), *self.args)
            self.count += 1
            if isinstance(matrix, LinearOperator) or hasattr(matrix, "tocsc"):
                return matrix.dot
            matrix = gpunp.asarray(matrix)
            return lambda p: matrix @ p
        if self.hess in differences.METHODS:
            # Along the vector, with a step of that relative size.
            return lambda p: self._along(x, f, g, p, self._relative_step(x) / numpy.sqrt((p * p).sum()))
        if self.hessp is not None:
            return lambda p: self._product(x, p)
        return lambda p: self._along(x, f, g, p, self.eps)

    def _relative_step(self, x):
        return differences._eps_for_method(x.dtype, x.dtype, self.hess)

    def _product(self, x, p):
        self.count += 1
        return gpunp.asarray(self.hessp(x, p, *self.args)).reshape(-1)

    def _along(self, x, f, g, p, step):
        """The change of the gradient along a vector."""
        self.objective.count_gradient(x.size)
        if self.hess == "cs":
            return self.objective.gradient(x + 1j * step * p, f).imag / step
        if self.hess == "3-point":
            self.objective.count_gradient(x.size)
            ahead, behind = (self.objective.gradient(x + sign * step * p, f) for sign in (1, -1))
            return (ahead - behind) / (2 * step)
        return (self.objective.gradient(x + step * p, f) - g) / step


def _direction(multiply, b, size, square, limit):
    """Solve ``H p = b`` by conjugate gradients, so exactly as the size of ``b`` requires.

    Parameters
    ----------
    multiply : callable
    b : ndarray
    size, square : float
        The sum of the sizes of its elements, and of their squares.
    limit : int
        The most iterations.

    Returns
    -------
    ndarray or None
        None if the iterations do not converge.
    """
    least = min(0.5, size**0.5) * size
    x, r, p = gpunp.zeros_like(b), -b, b
    for i in range(limit):
        if size <= least:
            return x
        Ap = multiply(p)
        curvature = (p * Ap).sum()
        step = square / curvature
        r_new = r + step * Ap
        curvature, new_square, size = numbers(curvature, (r_new * r_new).sum(), abs(r_new).sum())
        if 0 <= curvature <= 3 * _EPS:
            return x
        if curvature < 0:
            return x if i else float(square / -curvature) * b
        x, r = x + float(square / curvature) * p, r_new
        p = float(new_square / square) * p - r
        square = new_square
    return None


def newton_cg(
    fun,
    x0,
    args=(),
    jac=None,
    hess=None,
    hessp=None,
    callback=None,
    xtol=1e-5,
    eps=_STEP,
    maxiter=None,
    disp=False,
    return_all=False,
    c1=1e-4,
    c2=0.9,
    workers=None,
    **unknown_options,
):
    """Minimize by a line-search Newton method, as SciPy's ``_minimize_newtoncg``."""
    scipys._check_unknown_options(unknown_options)
    if jac is None:
        raise ValueError("Jacobian is required for Newton-CG method")
    x = x0.reshape(-1)
    objective = Objective(fun, x, args, jac, eps)
    matrix = Hessian(objective, hess, hessp, args, eps)
    maxiter = x.size * 200 if maxiter is None else maxiter
    f, g = objective.evaluate(x)
    f, size, square = numbers(f, abs(g).sum(), (g * g).sum())
    before, change, count = None, numpy.finfo(float).max, 0
    path = [x] if return_all else None

    def ended(status, message):
        return finish(objective, status, message, x, f, g, count, disp=disp, path=path, nhev=matrix.count)

    def extras(x_new, g_new, step):
        return abs(g_new).sum(), (g_new * g_new).sum(), abs(p).sum()

    while change > x.size * xtol:
        if count >= maxiter:
            return ended(_LIMIT, "Warning: " + scipys._status_message["maxiter"])
        with numpy.errstate(all="ignore"):
            p = _direction(matrix.at(x, f, g), -g, size, square, 20 * x.size)
        if p is None:
            return ended(
                _NAN,
                "Warning: CG iterations didn't converge. The Hessian is not positive definite.",
            )
        found = search(Line(objective, x, p, extras), f, before, (g * p).sum(), c1=c1, c2=c2)
        if found is None:
            return ended(_PRECISION, "Warning: " + scipys._status_message["pr_loss"])
        f, before = found.f, f
        x, g = found.x, found.g
        size, square, length = found.extras
        change = found.step * length
        if path is not None:
            path.append(x)
        count += 1
        if halts(callback, x, f):
            return ended(_HALTED, "")
    if numpy.isnan(f) or numpy.isnan(change):
        return ended(_NAN, scipys._status_message["nan"])
    return ended(_SUCCESS, scipys._status_message["success"])
