"""Legendre functions of integer degree and spherical harmonics, with derivatives."""

import math
import numbers

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import on_one_device
from gpunp.ufunc.engine import UFUNCS

_associated = UFUNCS["internal", "_assoc_legendre_p"]
_spherical = UFUNCS["internal", "_sph_legendre_p"]
_harmonic = UFUNCS["internal", "_sph_harm_y"]

# The last operand of the ufuncs: for associated functions the type of the cut plus these.
_NORMALIZED, _DERIVATIVE = 4, 8
# For harmonics the derivative with respect to theta plus this times that with respect to phi.
_AZIMUTHAL = 3


def _non_negative(value, name):
    """Return a number as an int, as SciPy does."""
    try:
        if value != math.floor(value) or value < 0:
            raise ValueError
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must be a non-negative integer, not {value!r}") from error
    return int(value)


def _order_of(diff_n):
    """Return the highest derivative."""
    order = _non_negative(diff_n, "diff_n")
    if order > 2:
        raise ValueError(f"diff_n is implemented for 0, 1 and 2, not {diff_n}")
    return order


def _integral(value, name):
    """Return a non-negative integer of a function that SciPy gives no other numbers for."""
    if not isinstance(value, numbers.Integral) or value < 0:
        raise ValueError(f"{name} must be a non-negative integer, not {value!r}")
    return int(value)


def _stacked(ufunc, operands, options, step, order):
    """Return the derivatives up to an order along a new first axis.

    Parameters
    ----------
    ufunc : Ufunc
    operands : tuple of ndarray
        All but the last.
    options : ndarray or int
        The last operand for the function itself.
    step : int
        What it changes by for the next derivative.
    order : int
    """
    value = ufunc(*operands, options)
    if order == 0:
        return value[None]
    values = numpy.empty_like(value, shape=(order + 1, *value.shape))
    values[0] = value
    for k in range(1, order + 1):
        ufunc(*operands, options + k * step, out=values[k, ...])
    return values


def _grid(n, m, *arguments):
    """Return degrees 0 to n and orders 0 to m, then -m to -1, as arrays that broadcast with the arguments."""
    arguments = on_one_device(*arguments)
    rank, device = max(x.ndim for x in arguments), arguments[0].device
    degrees = numpy.arange(n + 1).reshape(-1, *(1,) * (rank + 1))
    orders = numpy.concatenate([numpy.arange(m + 1), numpy.arange(-m, 0)]).reshape(-1, *(1,) * rank)
    return asarray(degrees, device=device), asarray(orders, device=device), *arguments


def legendre_p(n, z, *, diff_n=0):
    """Legendre polynomials and their derivatives; see `scipy.special.legendre_p`.

    Parameters
    ----------
    n : array_like of int
        Degrees.
    z : array_like
        Real numbers.
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray
        The derivatives up to `diff_n` along the first axis.
    """
    if not isinstance(diff_n, numbers.Integral) or diff_n < 0:
        raise ValueError(f"diff_n must be a non-negative integer, not {diff_n!r}")
    if diff_n > 2:
        raise NotImplementedError(f"diff_n is implemented for 0, 1 and 2, not {diff_n}")
    n, z = on_one_device(n, z)
    if z.dtype.kind == "c":
        raise TypeError("legendre_p: z is complex; use legendre_p_all or assoc_legendre_p")
    # For negative degrees, which it does not define, SciPy's values are those of degree 1.
    return _stacked(_associated, (numpy.where(n < 0, 1, n), 0, z), 2, _DERIVATIVE, int(diff_n))


def legendre_p_all(n, z, *, diff_n=0):
    """Legendre polynomials of all degrees up to `n`; see `scipy.special.legendre_p_all`.

    Parameters
    ----------
    n : int
        The highest degree.
    z : array_like
        Real or complex numbers.
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, n + 1, *z.shape)``.
    """
    order = _order_of(diff_n)
    degrees, _, z = _grid(_non_negative(n, "n"), 0, z)
    return _stacked(_associated, (degrees[:, 0], 0, z), 2, _DERIVATIVE, order)


def assoc_legendre_p(n, m, z, *, branch_cut=2, norm=False, diff_n=0):
    """Associated Legendre functions and their derivatives; see `scipy.special.assoc_legendre_p`.

    Parameters
    ----------
    n, m : array_like of int
        Degrees and orders.
    z : array_like
        Real or complex numbers.
    branch_cut : array_like of int, default 2
        2 for a cut beyond -1 and 1, 3 for one between them.
    norm : bool, optional
        Whether the functions have unit norm on [-1, 1].
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray
        The derivatives up to `diff_n` along the first axis.
    """
    order = _order_of(diff_n)
    n, m, z, branch_cut = on_one_device(n, m, z, branch_cut)
    return _stacked(_associated, (n, m, z), branch_cut + _NORMALIZED * bool(norm), _DERIVATIVE, order)


def assoc_legendre_p_all(n, m, z, *, branch_cut=2, norm=False, diff_n=0):
    """Associated Legendre functions of all degrees and orders; see `scipy.special.assoc_legendre_p_all`.

    Parameters
    ----------
    n, m : int
        The highest degree and order.
    z : array_like
        Real or complex numbers.
    branch_cut : array_like of int, default 2
        2 for a cut beyond -1 and 1, 3 for one between them.
    norm : bool, optional
        Whether the functions have unit norm on [-1, 1].
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, n + 1, 2 * m + 1, ...)``. Negative orders follow the others, as for indices
        from the end.
    """
    order = _order_of(_integral(diff_n, "diff_n"))
    degrees, orders, z, branch_cut = _grid(_integral(n, "n"), _integral(m, "m"), z, branch_cut)
    return _stacked(
        _associated, (degrees, orders, z), branch_cut + _NORMALIZED * bool(norm), _DERIVATIVE, order
    )


def sph_legendre_p(n, m, theta, *, diff_n=0):
    """Spherical Legendre functions and their derivatives; see `scipy.special.sph_legendre_p`.

    Parameters
    ----------
    n, m : array_like of int
        Degrees and orders.
    theta : array_like
        Polar angles.
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray
        The derivatives with respect to `theta` up to `diff_n` along the first axis.
    """
    order = _order_of(diff_n)
    return _stacked(_spherical, on_one_device(n, m, theta), 0, 1, order)


def sph_legendre_p_all(n, m, theta, *, diff_n=0):
    """Spherical Legendre functions of all degrees and orders; see `scipy.special.sph_legendre_p_all`.

    Parameters
    ----------
    n, m : int
        The highest degree and order.
    theta : array_like
        Polar angles.
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray
        Of shape ``(diff_n + 1, n + 1, 2 * abs(m) + 1, *theta.shape)``. Negative orders follow the others, as
        for indices from the end.
    """
    order = _order_of(diff_n)
    operands = _grid(_integral(n, "n"), abs(m), theta)
    values = _stacked(_spherical, operands, 0, 1, order)
    # SciPy prefers single precision here, but not in sph_legendre_p.
    single = numpy.can_cast(operands[-1].dtype, numpy.float32)
    return values.astype(numpy.float32) if single else values


def _harmonics(operands, order):
    """Return spherical harmonics and, for an order above 0, a tuple with their gradients and Hessians."""
    value = _harmonic(*operands, 0)
    if order == 0:
        return value
    gradient = numpy.empty_like(value, shape=(*value.shape, 2))
    _harmonic(*operands, 1, out=gradient[..., 0])
    _harmonic(*operands, _AZIMUTHAL, out=gradient[..., 1])
    if order == 1:
        return value, gradient
    hessian = numpy.empty_like(value, shape=(*value.shape, 2, 2))
    _harmonic(*operands, 2, out=hessian[..., 0, 0])
    _harmonic(*operands, 1 + _AZIMUTHAL, out=hessian[..., 0, 1])
    hessian[..., 1, 0] = hessian[..., 0, 1]
    _harmonic(*operands, 2 * _AZIMUTHAL, out=hessian[..., 1, 1])
    return value, gradient, hessian


def sph_harm_y(n, m, theta, phi, *, diff_n=0):
    """Spherical harmonics and their derivatives; see `scipy.special.sph_harm_y`.

    Parameters
    ----------
    n, m : array_like of int
        Degrees and orders.
    theta, phi : array_like
        Polar and azimuthal angles.
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray or tuple of ndarray
        Complex values, with `diff_n` also the gradients along a last axis, and the Hessian matrices along the
        last two.
    """
    order = _order_of(diff_n)
    return _harmonics(on_one_device(n, m, theta, phi), order)


def sph_harm_y_all(n, m, theta, phi, *, diff_n=0):
    """Spherical harmonics of all degrees and orders; see `scipy.special.sph_harm_y_all`.

    Parameters
    ----------
    n, m : int
        The highest degree and order.
    theta, phi : array_like
        Polar and azimuthal angles.
    diff_n : {0, 1, 2}, optional
        The highest derivative.

    Returns
    -------
    ndarray or tuple of ndarray
        Complex values of shape ``(n + 1, 2 * abs(m) + 1, ...)``, with `diff_n` also the gradients along a
        last axis, and the Hessian matrices along the last two. Negative orders follow the others, as for
        indices from the end.
    """
    order = _order_of(diff_n)
    return _harmonics(_grid(_integral(n, "n"), abs(m), theta, phi), order)


FUNCTIONS = {
    function.__name__: function
    for function in (
        assoc_legendre_p,
        assoc_legendre_p_all,
        legendre_p,
        legendre_p_all,
        sph_harm_y,
        sph_harm_y_all,
        sph_legendre_p,
        sph_legendre_p_all,
    )
}
