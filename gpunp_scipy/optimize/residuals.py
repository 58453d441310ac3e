"""Nonlinear least squares: residuals and Jacobians on the device, steps of a few parameters on the host.

SciPy's solvers and MINPACK depend on residuals f and their Jacobian J only through lengths and products,
which a rotation does not change. At a point, the triangular factor of the columns f, J is such a rotation. It
has one row more than there are parameters, and f becomes its length, followed by zeros. It goes to the host
in one copy, and SciPy's solvers run there on this small problem. At trial points only the length of f is
needed.
"""

import inspect

import numpy
from gpunp.device import get_device
from scipy.optimize import OptimizeResult

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import device_of
from gpunp.dispatch.function_protocol import unhandled
from gpunp_scipy.optimize import differences
from gpunp_scipy.optimize.evaluation import to_device
from gpunp_scipy.optimize.minimization import host_bounds
from gpunp_scipy.twins import Twins

_LSQ = "scipy.optimize._lsq"
_EPS = float(numpy.finfo(float).eps)
_SPARSE = "sparse Jacobians and linear operators run on the host"


def _loss_terms(loss, z):
    """A loss function and its first two derivatives at squared residuals."""
    if callable(loss):
        rho = loss(z)
        if rho.shape != (3, z.size):
            raise ValueError("The return value of `loss` callable has wrong shape.")
        return rho[0], rho[1], rho[2]
    if loss == "huber":
        inside, root = z <= 1, numpy.sqrt(z)
        return (
            numpy.where(inside, z, 2 * root - 1),
            numpy.where(inside, 1.0, 1 / root),
            numpy.where(inside, 0.0, -0.5 / (z * root)),
        )
    t = 1 + z
    if loss == "soft_l1":
        return 2 * (numpy.sqrt(t) - 1), t**-0.5, -0.5 * t**-1.5
    if loss == "cauchy":
        return numpy.log1p(z), 1 / t, -1 / t**2
    t = 1 + z * z
    return numpy.arctan(z), 1 / t, -2 * z / t**2


class Residuals:
    """Residuals and their Jacobian for a solver on the host.

    Parameters
    ----------
    fun : callable
        Returns device arrays of shape (m,) for points, which are on the host.
    jac : callable or {"2-point", "3-point", "cs"}
        Returns device arrays of shape (m, n).
    rel_step, bounds
        Of differences.
    loss : str or callable, optional
    scale : float, optional
        Residuals of this size are where the loss begins to matter.

    Attributes
    ----------
    f, J : ndarray
        The residuals and the Jacobian at the last point where the solver asked for the Jacobian.
    rotated_residuals : ndarray
        The residuals there, rotated; with the factors of a loss function.
    """

    def __init__(self, fun, jac, rel_step=None, bounds=None, loss="linear", scale=1.0):
        self._fun, self._jac, self._rel_step, self._bounds = fun, jac, rel_step, bounds
        self._loss, self._scale = loss, scale
        # The last point and the one before: a solver asks for the Jacobian at the last point or returns.
        self._last = (None, None, None)
        self._at_jacobian = self.f = self.J = self._rotated = self.rotated_residuals = None
        self.abs_step = None

    def values(self, x):
        """The residuals at a point as a device array."""
        found = gpunp.asarray(self._fun(x))
        found = found.reshape(1) if found.ndim == 0 else found
        if found.ndim > 1:
            raise ValueError(f"`fun` must return at most 1-d array_like. f0.shape: {found.shape}")
        return found

    def _robust(self, f):
        """The cost, and factors of residuals and of the rows of the Jacobian."""
        rho, slope, curvature = _loss_terms(self._loss, (f / self._scale) ** 2)
        rows = numpy.maximum(slope + 2 * curvature / self._scale**2 * f**2, _EPS) ** 0.5
        return 0.5 * self._scale**2 * rho.sum(), slope / rows, rows

    def _evaluated(self, x):
        """The residuals at a point, their squared length and the cost; waits once for a new point."""
        if self._last[0] is None or not numpy.array_equal(x, self._last[0]):
            f = self.values(x)
            square = (f * f).sum()
            with numpy.errstate(all="ignore"):
                cost = 0.5 * square if self._loss == "linear" else self._robust(f)[0]
            self._last = x.copy(), f, asnumpy(numpy.stack([square, cost]).astype(float)).tolist()
        return self._last

    def fun(self, x):
        """The rotated residuals: their length, and zeros."""
        _, f, (square, _) = self._evaluated(x)
        found = numpy.zeros(min(f.size, x.size + 1))
        found[:1] = square**0.5
        return found

    def cost(self):
        """The cost at the last point."""
        return self._last[2][1]

    def _jacobian(self, x, f):
        if callable(self._jac):
            J = self._jac(x)
            if hasattr(J, "tocsc") or hasattr(J, "rmatvec"):
                raise unhandled("scipy.optimize.least_squares with such a `jac`", _SPARSE)
            J = gpunp.asarray(J)
            J = J.reshape(1, -1) if J.ndim < 2 else J
        else:
            step = self.abs_step(x) if self.abs_step else None
            J = differences.derivative(self.values, x, f, self._jac, self._rel_step, step, self._bounds)[0]
        if J.shape != (f.size, x.size):
            raise ValueError(
                f"The return value of `jac` has wrong shape: expected {(f.size, x.size)}, actual {J.shape}."
            )
        return J

    def jac(self, x, *_):
        """The rotated Jacobian; waits once."""
        if self._at_jacobian is None or not numpy.array_equal(x, self._at_jacobian):
            _, f, _ = self._evaluated(x)
            self._at_jacobian, self.f, self.J = x.copy(), f, self._jacobian(x, f)
            J = self.J.astype(numpy.float64, copy=False)
            if self._loss != "linear":
                _, of_residuals, of_rows = self._robust(f)
                # As SciPy's, the Jacobian in the result is the one whose product is near the Hessian matrix.
                self.J = J = J * of_rows[:, None]
                f = f * of_residuals
            both = numpy.concatenate([f[:, None], J], axis=1)
            factor = asnumpy(numpy.linalg.qr(both, mode="r"))
            # Only the length of the residuals is known at trial points: their sign is positive.
            factor = factor * numpy.copysign(1.0, factor[0, 0])
            self._rotated = numpy.ascontiguousarray(factor[:, 1:])
            self.rotated_residuals = numpy.zeros(len(factor))
            self.rotated_residuals[0] = factor[0, 0]
        return self._rotated


class _Solver:
    """`least_squares` of SciPy for one call: `VectorFunction` becomes our residuals."""

    def __init__(self, loss, scale):
        self.loss, self.scale = loss, scale
        self.residuals = None

    def vector_function(self, fun, x0, jac, hess, finite_diff_rel_step=None, **options):
        if options.get("finite_diff_jac_sparsity") is not None:
            raise unhandled("jac_sparsity of scipy.optimize.least_squares", _SPARSE)
        bounds = tuple(numpy.broadcast_to(each, x0.shape) for each in options["finite_diff_bounds"])
        self.residuals = Residuals(fun, jac, finite_diff_rel_step, bounds, self.loss, self.scale)
        return self.residuals

    def loss_function(self, m, loss, f_scale):
        """SciPy's loss function, which takes its values from the residuals."""
        if loss == "linear":
            return None

        def function(f, cost_only=False):
            if cost_only:
                return self.residuals.cost()
            rho = numpy.zeros((3, f.size))
            rho[0, 0] = 2 * self.residuals.cost()
            return rho

        return function

    def scaled(self, J, f, rho):
        """SciPy's ``scale_for_robust_loss_function``: done before the rotation."""
        return J.copy(), self.residuals.rotated_residuals.copy()


def _module(solver):
    """The twin of `scipy.optimize._lsq.least_squares` for one call."""
    names = [f"{_LSQ}.{name}" for name in ("least_squares", "trf", "dogbox")]
    scale = {"scale_for_robust_loss_function": solver.scaled}
    ours = {"VectorFunction": solver.vector_function, "construct_loss_function": solver.loss_function}
    twins = Twins(dict.fromkeys(names, numpy), {names[0]: ours, names[1]: scale, names[2]: scale})
    return twins[names[0]]


class _Callback:
    """A callback that gets the point and the residuals on the device."""

    def __init__(self, function, solver):
        self.function, self.solver = function, solver
        self.__signature__ = inspect.signature(function)

    def __call__(self, *args, **kwargs):
        for key, value in kwargs.items():
            kwargs[key] = OptimizeResult(value)
            kwargs[key].update(x=gpunp.asarray(value.x), fun=self.solver.residuals.f)
        return self.function(*map(to_device, args), **kwargs)


def solve(fun, x0, jac="2-point", *, loss="linear", f_scale=1.0, callback=None, bounds=None, **options):
    """`least_squares` for functions that take points on the host and return device arrays."""
    solver = _Solver(loss, f_scale)
    bounds = (-numpy.inf, numpy.inf) if bounds is None else bounds
    callback = _Callback(callback, solver) if callable(callback) else callback
    found = _module(solver).least_squares(
        fun, x0, jac, bounds, loss=loss, f_scale=f_scale, callback=callback, **options
    )
    found = to_device(found)
    found.fun, found.jac = solver.residuals.f, solver.residuals.J
    return found


def least_squares(
    fun,
    x0,
    jac="2-point",
    bounds=(-numpy.inf, numpy.inf),
    method="trf",
    ftol=1e-8,
    xtol=1e-8,
    gtol=1e-8,
    x_scale=None,
    loss="linear",
    f_scale=1.0,
    diff_step=None,
    tr_solver=None,
    tr_options=None,
    jac_sparsity=None,
    max_nfev=None,
    verbose=0,
    args=(),
    kwargs=None,
    callback=None,
    workers=None,
):
    """Solve a nonlinear least-squares problem with bounds; see `scipy.optimize.least_squares`.

    ``fun`` and ``jac`` get points on the device. SciPy's solvers step on the host, on a rotated problem of
    one row more than there are variables: they wait once for each evaluation and once for each Jacobian. The
    Jacobian must be dense.
    """
    device = device_of(x0, bounds, x_scale, nested=True) or get_device()
    kwargs = {} if kwargs is None else kwargs

    def on_device(function):
        return lambda x, *rest, **named: function(gpunp.asarray(x), *rest, **named)

    with device:
        return solve(
            on_device(fun),
            fetched(x0),
            on_device(jac) if callable(jac) else jac,
            bounds=host_bounds(bounds),
            method=method,
            ftol=ftol,
            xtol=xtol,
            gtol=gtol,
            x_scale=fetched(x_scale) if isinstance(x_scale, gpunp.ndarray) else x_scale,
            loss=loss,
            f_scale=f_scale,
            diff_step=diff_step,
            tr_solver=tr_solver,
            tr_options=tr_options,
            jac_sparsity=jac_sparsity,
            max_nfev=max_nfev,
            verbose=verbose,
            args=args,
            kwargs=kwargs,
            callback=callback,
        )
