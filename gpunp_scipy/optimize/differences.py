"""Derivatives by finite differences, with SciPy's steps; nothing here waits for the device."""

import numpy
from scipy.optimize._numdiff import _eps_for_method

METHODS = ("2-point", "3-point", "cs")


def _fitted(x, h, lower, upper, *, central):
    """Steps that stay within bounds, and which of them go to one side.

    A step that leaves the bounds turns round, or becomes shorter where neither side has room.
    """
    below, above = x - lower, upper - x
    size = abs(h)
    if not central:
        leaves = (x + h < lower) | (x + h > upper)
        fits = size <= numpy.maximum(below, above)
        h = numpy.where(leaves & fits, -h, h)
        return numpy.where(fits, h, numpy.where(above >= below, above, -below)), True
    middle = (below >= size) & (above >= size)
    forward = numpy.minimum(size, 0.5 * above)
    backward = -numpy.minimum(size, 0.5 * below)
    one_sided = numpy.where(above >= below, forward, backward)
    nearest = numpy.minimum(below, above)
    symmetric = ~middle & (abs(one_sided) <= nearest)
    h = numpy.where(middle, size, numpy.where(symmetric, nearest, one_sided))
    return h, ~(middle | symmetric)


def steps(x, dtype, method, rel_step=None, abs_step=None):
    """The steps of SciPy's `approx_derivative` for each variable.

    Parameters
    ----------
    x : ndarray, shape (n,)
    dtype : dtype
        Of the function's values.
    method : {"2-point", "3-point", "cs"}
    rel_step, abs_step : float or ndarray, optional
    """
    sign = numpy.where(x >= 0, 1.0, -1.0)
    usual = _eps_for_method(x.dtype, dtype, method) * sign * numpy.maximum(1.0, abs(x))
    if abs_step is None and rel_step is None:
        return usual.astype(x.dtype, copy=False)
    h = rel_step * sign * abs(x) if abs_step is None else abs_step + numpy.zeros_like(x)
    h = h.astype(x.dtype, copy=False)
    return numpy.where((x + h) - x == 0, usual, h).astype(x.dtype, copy=False)


def derivative(fun, x, f0, method, rel_step=None, abs_step=None, bounds=None):
    """The derivative of a function with real values by each variable.

    Parameters
    ----------
    fun : callable
        Returns a device array of shape () or (m,).
    x : ndarray, shape (n,)
        On the device or on the host; ``fun`` gets points of that kind.
    f0 : ndarray
        ``fun(x)``.
    method, rel_step, abs_step
        As for `steps`.
    bounds : tuple of ndarray, optional
        The bounds of the variables, if there are any.

    Returns
    -------
    jacobian : ndarray, shape (n,) or (m, n)
    count : int
        How often the function was called.
    """
    n = x.size
    h = steps(x, f0.dtype, method, rel_step, abs_step)
    one_sided = False
    if method == "3-point":
        h = abs(h)
    if bounds is not None and method != "cs":
        h, one_sided = _fitted(x, h, *bounds, central=method == "3-point")
    if method == "cs":
        values = numpy.stack([fun(x + 1j * _only(h, i)) for i in range(n)])
        return _across(values.imag, h), n
    if method == "2-point":
        values = numpy.stack([fun(x + _only(h, i)) for i in range(n)])
        return _across(values - f0, (x + h) - x), n
    first = numpy.where(one_sided, h, -h)
    second = numpy.where(one_sided, 2 * h, h)
    near = numpy.stack([fun(x + _only(first, i)) for i in range(n)])
    far = numpy.stack([fun(x + _only(second, i)) for i in range(n)])
    width = (x + second) - numpy.where(one_sided, x, x + first)
    if one_sided is not False:
        one_sided = one_sided.reshape(-1, *(1,) * f0.ndim)
    values = numpy.where(one_sided, 4 * near - 3 * f0 - far, far - near)
    return _across(values, width), 2 * n


def _only(h, i):
    """A vector that has one element of another, and else zeros."""
    found = numpy.zeros_like(h)
    found[i] = h[i]
    return found


def _across(values, width):
    """Quotients of differences by variable, with the variable as the last axis."""
    return (values.T / width) if values.ndim > 1 else values / width
