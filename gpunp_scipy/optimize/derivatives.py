"""Derivatives by differences, their check, and the line search."""

import functools
import warnings

import numpy
import scipy.optimize
from scipy.optimize._linesearch import LineSearchWarning, scalar_search_wolfe2

import gpunp
from gpunp.array.operands import device_of
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.optimize import differences
from gpunp_scipy.optimize.evaluation import numbers
from gpunp_scipy.rebinding import public
from gpunp_scipy.twins import Twins

_EPS = numpy.finfo(float).eps ** 0.5


def approx_fprime(xk, f, epsilon=_EPS, *args):
    """Finite difference approximation of the derivatives of a function; see `scipy.optimize.approx_fprime`.

    Nothing waits for the device.
    """
    with device_of(xk, epsilon, nested=True):
        x = gpunp.asarray(xk)
        x = x.astype(numpy.float64) if x.dtype.kind != "f" else x
        x = x.reshape(1) if x.ndim == 0 else x
        if x.ndim > 1:
            raise ValueError("`x0` must have at most 1 dimension.")

        def fun(point):
            found = gpunp.asarray(f(point, *args))
            if found.ndim > 1:
                raise RuntimeError("`fun` return value has more than 1 dimension.")
            return found.reshape(()) if found.size == 1 else found

        return differences.derivative(fun, x, fun(x), "2-point", abs_step=gpunp.asarray(epsilon))[0]


@functools.cache
def _twin():
    name = "scipy.optimize._optimize"
    return Twins({name: Numpy("zeros")}, {name: {"approx_fprime": approx_fprime}})[name]


def _check_grad(*args, **kwargs):
    return _twin().check_grad(*args, **kwargs)


check_grad = public(_check_grad, scipy.optimize.check_grad, __name__)


def line_search(
    f,
    myfprime,
    xk,
    pk,
    gfk=None,
    old_fval=None,
    old_old_fval=None,
    args=(),
    c1=1e-4,
    c2=0.9,
    amax=None,
    extra_condition=None,
    maxiter=10,
):
    """Find alpha that satisfies strong Wolfe conditions; see `scipy.optimize.line_search`.

    Waits once for each value and once for each slope.
    """
    with device_of(xk, pk, gfk, nested=True):
        x, p = gpunp.asarray(xk), gpunp.asarray(pk)
        counts, gradients = [0, 0], {}

        def value(step):
            counts[0] += 1
            return numbers(f(x + step * p, *args))[0]

        def slope(step):
            counts[1] += 1
            gradients.clear()
            gradients[step] = g = gpunp.asarray(myfprime(x + step * p, *args))
            return float((g * p).sum())

        def accepted(step, f_new):
            if step not in gradients:
                slope(step)
            return extra_condition(step, x + step * p, f_new, gradients[step])

        g = gpunp.asarray(myfprime(x, *args) if gfk is None else gfk)
        old_fval, old_old_fval, first = numbers(old_fval, old_old_fval, (g * p).sum())
        condition = None if extra_condition is None else accepted
        step, f_new, f_old, ended = scalar_search_wolfe2(
            value, slope, old_fval, old_old_fval, first, c1, c2, amax, condition, maxiter=maxiter
        )
        if ended is None:
            warnings.warn("The line search algorithm did not converge", LineSearchWarning, stacklevel=4)
        else:
            (ended,) = gradients.values()
    return step, counts[0], counts[1], f_new, f_old, ended
