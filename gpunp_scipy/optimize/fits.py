"""MINPACK's least squares and fits of curves, on the rotated problems of `residuals`."""

import functools
import warnings

import numpy
from scipy.optimize import _minpack_py

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.optimize.evaluation import to_device
from gpunp_scipy.optimize.minimization import host_bounds
from gpunp_scipy.optimize.residuals import Residuals, solve
from gpunp_scipy.rebinding import public
from gpunp_scipy.twins import Twins

_LEASTSQ = _minpack_py.leastsq
_EPS = float(numpy.finfo(float).eps)


def _leastsq(
    func, x0, args=(), Dfun=None, full_output=False, col_deriv=False, epsfcn=None, maxfev=0, **options
):
    """`leastsq` for functions that take points on the host and return device arrays."""
    x0 = numpy.asarray(fetched(x0), dtype=float).ravel()
    args = args if isinstance(args, tuple) else (args,)

    def jac(x):
        found = gpunp.asarray(Dfun(x, *args))
        return found.T if col_deriv else found

    residuals = Residuals(lambda x: func(x, *args), "2-point" if Dfun is None else jac)
    f0 = residuals.values(x0)
    if x0.size > f0.size:
        raise TypeError(
            f"Improper input: func input vector length N={x0.size} must not exceed func output vector length "
            f"M={f0.size}"
        )
    if Dfun is None:
        step = max(numpy.finfo(f0.dtype).eps if epsfcn is None else epsfcn, _EPS) ** 0.5
        residuals.abs_step = lambda x: numpy.where(x == 0, step, step * abs(x))
        maxfev = 200 * (x0.size + 1) if maxfev == 0 else maxfev
    else:
        J = jac(x0)
        if J.shape != (f0.size, x0.size):
            raise TypeError(
                "leastsq: there is a mismatch between the input and output shape of the 'Dfun' argument"
                f" '{getattr(Dfun, '__name__', Dfun)}'."
                f"Shape should be {(f0.size, x0.size)} but it is {J.shape}."
            )
    found = list(_LEASTSQ(residuals.fun, x0, (), residuals.jac, full_output=True, maxfev=maxfev, **options))
    info = found[2]
    info["fvec"] = residuals._evaluated(found[0])[1]
    if Dfun is None:
        info["nfev"] += x0.size * info.pop("njev")
    if full_output:
        return tuple(found)
    status = found[-1]
    if status in _minpack_py.LEASTSQ_FAILURE:
        warnings.warn(found[-2], RuntimeWarning, stacklevel=4)
    elif status == 0:
        raise TypeError(found[-2])
    return found[0], status


def leastsq(
    func,
    x0,
    args=(),
    Dfun=None,
    full_output=False,
    col_deriv=False,
    ftol=1.49012e-8,
    xtol=1.49012e-8,
    gtol=0.0,
    maxfev=0,
    epsfcn=None,
    factor=100,
    diag=None,
):
    """Minimize the sum of squares of a set of equations; see `scipy.optimize.leastsq`.

    MINPACK steps on the host as described for `least_squares`. ``maxfev`` does not count evaluations of
    differences, and ``fjac`` has one column more than there are variables.
    """
    with device_of(x0, nested=True):
        found = _leastsq(
            lambda x, *rest: func(gpunp.asarray(x), *rest),
            x0,
            args,
            None if Dfun is None else lambda x, *rest: Dfun(gpunp.asarray(x), *rest),
            full_output,
            col_deriv,
            epsfcn,
            maxfev,
            ftol=ftol,
            xtol=xtol,
            gtol=gtol,
            factor=factor,
            diag=None if diag is None else fetched(diag),
        )
        return tuple(to_device(list(found)))


@functools.cache
def _fits():
    """The twin of the module that has `curve_fit`."""
    name = "scipy.optimize._minpack_py"
    return Twins({name: Numpy()}, {name: {"leastsq": _leastsq, "least_squares": _solve_fit}})[name]


def _solve_fit(func, p0, jac="2-point", bounds=None, method="trf", **options):
    return solve(func, numpy.asarray(p0, dtype=float), jac, bounds=bounds, method=method, **options)


def _curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None, bounds=None, **rest
):
    if bounds is not None:
        rest["bounds"] = host_bounds(bounds)
    p0 = None if p0 is None else fetched(p0)
    ydata = gpunp.asarray(ydata)
    sigma = None if sigma is None else gpunp.asarray(sigma)
    if isinstance(xdata, list | tuple | numpy.ndarray):
        # Anything else is for the model only.
        xdata = gpunp.asarray(xdata)
    found = _fits().curve_fit(f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, **rest)
    return tuple(to_device(list(found)))


curve_fit = public(
    _curve_fit,
    _minpack_py.curve_fit,
    __name__,
    "The parameters are numbers for ``f``, and the data device arrays. Steps are as described for\n"
    "`least_squares`; the result is on the device.",
)
