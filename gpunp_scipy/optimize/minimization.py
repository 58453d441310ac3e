"""``minimize``: solvers of this package, and SciPy's, which step on the host and evaluate on the device."""

import functools
import inspect

import numpy
import scipy.optimize
from gpunp.device import get_device
from scipy.optimize import Bounds, HessianUpdateStrategy, LinearConstraint, NonlinearConstraint

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.optimize import limited_memory, newton_cg, quasi_newton
from gpunp_scipy.optimize.evaluation import OnDevice, Together, host_options, to_device, wrapped
from gpunp_scipy.twins import Twins

_MINIMIZE = scipy.optimize.minimize
_MODULE = "scipy.optimize._minimize"
_OURS = ("bfgs", "cg", "l-bfgs-b", "newton-cg")


@functools.cache
def _twin():
    """SciPy's `minimize` itself, which checks arguments and options, with our solvers."""
    ours = {
        "MemoizeJac": Together,
        "_Remove_From_Func": Free,
        "_minimize_bfgs": quasi_newton.bfgs,
        "_minimize_cg": quasi_newton.conjugate_gradients,
        "_minimize_lbfgsb": limited_memory.lbfgsb,
        "_minimize_newtoncg": newton_cg.newton_cg,
        "_optimize_result_for_equal_bounds": _of_equal_bounds,
        "new_bounds_to_old": limited_memory.BoundPairs,
        # Our solvers take no constraints. SciPy warns and evaluates them once all the same.
        "standardize_constraints": lambda constraints, x0, method: constraints,
    }
    return Twins({_MODULE: Numpy("zeros_like zeros")}, {_MODULE: ours})[_MODULE]


def _of_equal_bounds(fun, bounds, method, args=(), constraints=()):
    """SciPy's result where bounds fix all variables; the function gets them on the device."""
    module = scipy.optimize._minimize
    fun, constraints = OnDevice(fun, first=True), host_constraints(constraints)
    return to_device(module._optimize_result_for_equal_bounds(fun, bounds, method, args, constraints))


def host_bounds(bounds):
    """Bounds on the host, in the form that they have."""
    if isinstance(bounds, Bounds):
        return Bounds(fetched(bounds.lb), fetched(bounds.ub), bounds.keep_feasible)
    if isinstance(bounds, tuple | list) and any(isinstance(a, gpunp.ndarray) and a.ndim for a in bounds):
        # Arrays, maybe next to a number for all variables.
        return [asnumpy(a) if isinstance(a, gpunp.ndarray) else a for a in bounds]
    return fetched(bounds).tolist() if device_of(bounds, nested=True) is not None else bounds


def _host_constraint(constraint):
    """A constraint for a solver on the host, whose functions get device arrays."""
    if isinstance(constraint, dict):
        return {key: OnDevice(v, first=True) if callable(v) else v for key, v in constraint.items()}
    if isinstance(constraint, LinearConstraint):
        return LinearConstraint(
            fetched(constraint.A), fetched(constraint.lb), fetched(constraint.ub), constraint.keep_feasible
        )
    if isinstance(constraint, NonlinearConstraint):
        return NonlinearConstraint(
            wrapped(constraint.fun),
            fetched(constraint.lb),
            fetched(constraint.ub),
            _derivative(constraint.jac),
            _derivative(constraint.hess),
            constraint.keep_feasible,
            constraint.finite_diff_rel_step,
            constraint.finite_diff_jac_sparsity,
        )
    return constraint


def _derivative(value):
    """A derivative for a solver on the host: a function of the user, or what SciPy takes instead."""
    return OnDevice(value) if inspect.isroutine(value) or isinstance(value, functools.partial) else value


def host_constraints(constraints):
    """Constraints for a solver on the host."""
    if isinstance(constraints, list | tuple):
        return type(constraints)(map(_host_constraint, constraints))
    return _host_constraint(constraints)


class _Callback:
    """A callback of the user, which gets points on the device."""

    def __init__(self, function):
        self.function = function
        self.__signature__ = inspect.signature(function)

    def __call__(self, *args, **kwargs):
        args = [to_device(each.copy()) if isinstance(each, dict) else to_device(each) for each in args]
        kwargs = {
            key: to_device(scipy.optimize.OptimizeResult(each)) if isinstance(each, dict) else each
            for key, each in kwargs.items()
        }
        return self.function(*args, **kwargs)


def callback_on_device(callback):
    """The user's callback for a solver on the host."""
    return _Callback(callback) if callable(callback) else callback


def minimize(
    fun,
    x0,
    args=(),
    method=None,
    jac=None,
    hess=None,
    hessp=None,
    bounds=None,
    constraints=(),
    tol=None,
    callback=None,
    options=None,
):
    """Minimization of scalar function of one or more variables; see `scipy.optimize.minimize`.

    ``fun``, ``jac``, ``hess`` and the callback get points on the device, and may return scalars that stay
    there. BFGS, CG, L-BFGS-B and Newton-CG keep everything on the device, and wait once for each evaluation
    of the function and its gradient. The other methods are SciPy's, on the host: they wait once for each
    value, gradient and Hessian matrix.
    """
    # Other arguments, such as an initial simplex, may be what brought the call here.
    device = device_of(x0, bounds, nested=True) or get_device()
    if method is None:
        known = "SLSQP" if constraints else "BFGS" if bounds is None else "L-BFGS-B"
    else:
        known = method
    with device:
        bounds = host_bounds(bounds)
        if callable(known) or known.lower() in _OURS:
            x0 = gpunp.asarray(x0)
            return _twin().minimize(
                fun, x0, args, method, jac, hess, hessp, bounds, constraints, tol, callback, options
            )
        found = hooks.original(_MINIMIZE)(
            OnDevice(fun, first=True),
            fetched(x0),
            args,
            known,
            OnDevice(jac, first=True) if callable(jac) else jac,
            OnDevice(hess, first=True)
            if callable(hess) and not isinstance(hess, HessianUpdateStrategy)
            else hess,
            None if hessp is None else _Product(hessp),
            bounds,
            host_constraints(constraints),
            tol,
            callback_on_device(callback),
            host_options(options),
        )
        return to_device(found)


class Free:
    """A function of the variables that bounds do not fix; replaces ``_Remove_From_Func``."""

    def __init__(self, fun, i_fixed, x_fixed, min_dim=1, remove=0):
        self.fun, self.remove = fun, remove
        self.free = gpunp.asarray(numpy.flatnonzero(~i_fixed))
        whole = numpy.zeros(i_fixed.size)
        whole[i_fixed] = fetched(x_fixed)
        self.whole = gpunp.asarray(whole)

    def __call__(self, x, *args, **kwargs):
        whole = self.whole.astype(x.dtype)
        whole[self.free] = x
        found = self.fun(whole, *args, **kwargs)
        return gpunp.asarray(found)[..., self.free] if self.remove == 1 else found


class _Product(OnDevice):
    """``hessp``, whose first two arguments are the solver's."""

    def __init__(self, function):
        super().__init__(function)

    def __call__(self, x, p, *args):
        return fetched(self.function(gpunp.asarray(x), gpunp.asarray(p), *args))
