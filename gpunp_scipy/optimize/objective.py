"""The function that a solver minimizes, with its derivatives; values and gradients stay on the device."""

import numpy

import gpunp
from gpunp_scipy.optimize import differences
from gpunp_scipy.optimize.evaluation import Together


class Objective:
    """A function of a vector and its gradient.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)`` returns a scalar of the device or of the host.
    x0 : ndarray, shape (n,)
    args : tuple
    jac : callable, {"2-point", "3-point", "cs"} or None
        None stands for forward differences with the step ``eps``.
    eps : float or array_like
    rel_step : float or array_like, optional
    bounds : tuple of ndarray, optional
        Where differences stay within bounds.

    Attributes
    ----------
    nfev, ngev : int
        Evaluations, counted as SciPy does: those of differences are evaluations of the function.
    """

    def __init__(self, fun, x0, args, jac, eps=None, rel_step=None, bounds=None):
        self._fun, self._args, self._jac = fun, args, jac
        self._method = "2-point" if not callable(jac) and jac not in differences.METHODS else jac
        self._rel_step = rel_step
        self._eps = eps if self._method != jac else None
        self._bounds = bounds
        self._dtype = x0.dtype
        self._point = self._copy = None
        self.nfev = self.ngev = 0

    def _own(self, x):
        """A copy of a point, as the user's function may write to it; one for a value and its gradient."""
        if self._point is not x or not isinstance(self._fun, Together):
            self._point, self._copy = x, x.copy()
        return self._copy

    def _value(self, x):
        found = self._fun(self._own(x), *self._args)
        if not isinstance(found, gpunp.ndarray):
            found = gpunp.asarray(found)
        if found.size != 1:
            raise ValueError("The user-provided objective function must return a scalar value.")
        return found.reshape(())

    def value(self, x):
        """The function's value, not counted."""
        return self._value(x)

    def gradient(self, x, f):
        """The gradient, not counted."""
        if callable(self._method):
            found = gpunp.asarray(self._method(self._own(x), *self._args))
            return found.reshape(1) if found.ndim == 0 else found
        step = self._eps if self._method != self._jac else None
        return differences.derivative(self._value, x, f, self._method, self._rel_step, step, self._bounds)[0]

    def count_value(self):
        """Count an evaluation of the function."""
        self.nfev += 1

    def count_gradient(self, size):
        """Count an evaluation of the gradient."""
        self.ngev += 1
        if not callable(self._method):
            self.nfev += size * (2 if self._method == "3-point" else 1)

    def evaluate(self, x):
        """The value and the gradient, counted."""
        f = self._value(x)
        self.count_value()
        g = self.gradient(x, f)
        self.count_gradient(x.size)
        return f, g


def norm(x, ord=2):
    """SciPy's norm of vectors: the largest or smallest size, or a sum of powers."""
    if ord == numpy.inf:
        return abs(x).max()
    if ord == -numpy.inf:
        return abs(x).min()
    if ord == 0:
        return (x != 0).sum()
    if ord == 1:
        return abs(x).sum()
    if ord == 2:
        return numpy.sqrt((x * x).sum())
    return (abs(x) ** ord).sum() ** (1.0 / ord)
