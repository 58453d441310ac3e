"""Fixed points and roots of each element, with one wait for each iteration."""

import warnings
from collections import namedtuple

import numpy
import scipy.optimize

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp_scipy.optimize.evaluation import Numbers

_NEWTON = scipy.optimize.newton
_EPS = float(numpy.finfo(float).eps)


def _flags(*arrays):
    """Whether any element of each array is true; waits once."""
    return asnumpy(numpy.stack([a.any() for a in arrays])).tolist()


def fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2"):
    """Find a fixed point of the function; see `scipy.optimize.fixed_point`.

    Each iteration waits once.
    """
    accelerated = {"del2": True, "iteration": False}[method]
    with device_of(x0, nested=True), numpy.errstate(all="ignore"):
        x = gpunp.asarray(x0)
        if x.dtype.kind not in "fc":
            x = x.astype(numpy.float64)
        if not numpy.isfinite(x).all():
            raise ValueError("array must not contain infs or NaNs")
        for _ in range(maxiter):
            found = gpunp.asarray(func(x, *args))
            if accelerated:
                after = gpunp.asarray(func(found, *args))
                bend = after - 2.0 * found + x
                found = numpy.where(bend != 0, x - (found - x) ** 2 / bend, after)
            change = numpy.where(x != 0, (found - x) / x, found)
            if bool((abs(change) < xtol).all()):
                return found
            x = found
    raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {found}")


def _newton(func, p, fprime, args, tol, maxiter, fprime2):
    """Newton's or Halley's method; returns the points, which failed, and which derivatives are not zero."""
    failed = numpy.ones_like(p, dtype=bool)
    steep = failed
    for _ in range(maxiter):
        value = gpunp.asarray(func(p, *args))
        slope = gpunp.asarray(fprime(p, *args))
        moves = slope != 0
        step = value / slope
        if fprime2 is not None:
            step = step / (1.0 - 0.5 * step * gpunp.asarray(fprime2(p, *args)) / slope)
        still = numpy.where(moves, abs(step) >= tol, failed)
        some, moving, going = _flags(value, moves, still & moves)
        if not some:
            return p, ~numpy.ones_like(p, dtype=bool), steep
        steep = moves
        if not moving:
            break
        p, failed = numpy.where(moves, p - step, p), still
        if not going:
            break
    return p, failed, steep


def _secant(func, p, args, tol, maxiter):
    """The secant method; returns also the point before."""
    near = _EPS**0.33
    after = p * (1 + near) + numpy.where(p >= 0, near, -near)
    value, value_after = gpunp.asarray(func(p, *args)), gpunp.asarray(func(after, *args))
    failed = active = numpy.ones_like(p, dtype=bool)
    moves = failed
    for _ in range(maxiter):
        moves = value_after != value
        step = value_after * (after - p) / (value_after - value)
        middle = (after + p) / 2.0
        found = numpy.where(moves, after - step, numpy.where(active, middle, p))
        still = numpy.where(moves, abs(step) >= tol, failed)
        moving, going = _flags(moves, still & moves)
        if not moving:
            p = middle
            break
        active, failed, p = active & moves, still, found
        if not going:
            break
        after, p, value = p, after, value_after
        value_after = gpunp.asarray(func(after, *args))
    return p, failed, moves, after


def newton(
    func,
    x0,
    fprime=None,
    args=(),
    tol=1.48e-8,
    maxiter=50,
    fprime2=None,
    x1=None,
    rtol=0.0,
    full_output=False,
    disp=True,
):
    """Find a root of a real or complex function for each element; see `scipy.optimize.newton`.

    Each iteration waits once. A start without dimensions is a number, as is its root.
    """
    if tol <= 0:
        raise ValueError(f"tol too small ({tol:g} <= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    scipys = hooks.original(_NEWTON)
    device = device_of(x0, x1, nested=True)
    if device is None:
        functions = (Numbers(each) if callable(each) else each for each in (func, fprime, fprime2))
        func, fprime, fprime2 = functions
        return scipys(func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, full_output, disp)
    with device, numpy.errstate(all="ignore"):
        p = gpunp.asarray(x0)
        if p.size == 1:
            # SciPy's methods for one number, which tell more about it.
            start, second = (None if each is None else fetched(each).reshape(())[()] for each in (p, x1))
            found = newton(func, start, fprime, args, tol, maxiter, fprime2, second, rtol, full_output, disp)
            return found if p.ndim == 0 else _shaped(found, p)
        p = p.astype(numpy.result_type(p.dtype, numpy.float64), copy=False)
        if fprime is not None:
            p, failed, moves = _newton(func, p, fprime, args, tol, maxiter, fprime2)
            after = None
        else:
            p, failed, moves, after = _secant(func, p, args, tol, maxiter)
        flat = ~moves & failed
        _report(p, after, flat, failed, maxiter)
    if full_output:
        return namedtuple("result", ("root", "converged", "zero_der"))(p, ~failed, flat)
    return p


def _shaped(found, start):
    """A root with the shape and precision of its start, of one element; with it, what `newton` tells."""
    root = found[0] if isinstance(found, tuple) else found
    dtype = numpy.result_type(start.dtype, type(root)()) if start.dtype.kind in "fc" else None
    root = gpunp.full(start.shape, root, dtype)
    if not isinstance(found, tuple):
        return root
    found[1].root = root
    return root, *found[1:]


def _report(p, after, flat, failed, maxiter):
    """Warn or raise as SciPy does."""
    some_flat, some_failed = _flags(flat, failed)
    if some_flat and after is None:
        which = "all" if bool(flat.all()) else "some"
        warnings.warn(f"{which} derivatives were zero", RuntimeWarning, stacklevel=5)
    elif some_flat:
        apart = flat & (after != p)
        if bool(apart.any()):
            length = float(numpy.sqrt((numpy.where(apart, after - p, 0.0) ** 2).sum()))
            warnings.warn(f"RMS of {length:g} reached", RuntimeWarning, stacklevel=5)
    elif some_failed:
        all_failed = bool(failed.all())
        message = f"{'all' if all_failed else 'some'} failed to converge after {maxiter:d} iterations"
        if all_failed:
            raise RuntimeError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=5)
