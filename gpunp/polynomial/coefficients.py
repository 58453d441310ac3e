"""Arithmetic of polynomials given by their coefficients, the highest power first."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.operands import on_one_device
from gpunp.array.scalars import as_array
from gpunp.creation.filled import zeros
from gpunp.creation.ranges import arange
from gpunp.dispatch.registry import implements
from gpunp.manipulation.joining import concatenate
from gpunp.manipulation.shape import atleast_1d


def coefficients(p, device=None):
    """The coefficients of a `poly1d`, or an array of coefficients, as a device array."""
    return asarray(getattr(p, "coeffs", p), device=device)


def is_poly1d(*polynomials):
    """Whether any argument is a `poly1d`, of gpunp or of NumPy."""
    return any(hasattr(p, "coeffs") for p in polynomials)


def given_coefficients(*polynomials):
    """The coefficients of the arguments, all on the device of the first device array among them."""
    return on_one_device(*(getattr(p, "coeffs", p) for p in polynomials))


def first_true(mask):
    """Index of the first true element of a 1-d mask, or its length if there is none; synchronizes."""
    ended = layout.empty((mask.size + 1,), mask.dtype, "C", mask.device)
    ended[:-1] = mask
    ended[-1] = True
    return int(numpy.argmax(ended))


def wrap(value, as_poly1d):
    """Wrap coefficients in a `poly1d` if ``as_poly1d`` is true."""
    if not as_poly1d:
        return value
    from gpunp.polynomial.poly1d import poly1d

    return poly1d(value)


def _aligned(a1, a2):
    """Pad the shorter of two coefficient arrays with leading zeros to the length of the other."""
    a1, a2 = map(atleast_1d, given_coefficients(a1, a2))
    missing = len(a2) - len(a1)
    if missing > 0:
        a1 = concatenate((zeros(missing, a1.dtype, device=a1.device), a1))
    elif missing < 0:
        a2 = concatenate((zeros(-missing, a2.dtype, device=a2.device), a2))
    return a1, a2


@implements(numpy.polyadd)
def polyadd(a1, a2):
    """The sum of two polynomials; see `numpy.polyadd`."""
    first, second = _aligned(a1, a2)
    return wrap(first + second, is_poly1d(a1, a2))


@implements(numpy.polysub)
def polysub(a1, a2):
    """The difference of two polynomials; see `numpy.polysub`."""
    first, second = _aligned(a1, a2)
    return wrap(first - second, is_poly1d(a1, a2))


@implements(numpy.polymul)
def polymul(a1, a2):
    """The product of two polynomials; see `numpy.polymul`."""
    first, second = (without_leading_zeros(atleast_1d(p)) for p in given_coefficients(a1, a2))
    return wrap(numpy.convolve(first, second), is_poly1d(a1, a2))


def without_leading_zeros(p):
    """Coefficients from the first nonzero one on, or a single zero if all are zero; synchronizes."""
    if p.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    start = first_true(p != 0)
    return p[start:] if start < p.size else zeros(1, p.dtype, device=p.device)


@implements(numpy.polydiv)
def polydiv(u, v):
    """Quotient and remainder of two polynomials; see `numpy.polydiv`."""
    as_poly1d = is_poly1d(u, v)
    u, v = (atleast_1d(p) + 0.0 for p in given_coefficients(u, v))
    dtype = (u[:1] + v[:1]).dtype
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    q = zeros(max(m - n + 1, 1), dtype, device=u.device)
    r = u.astype(dtype)
    for k in range(m - n + 1):
        digit = scale * r[k]
        q[k] = digit
        r[k : k + n + 1] -= digit * v
    # Drop leading coefficients close to zero, but keep at least the last one.
    start = first_true(~numpy.isclose(r, 0, rtol=1e-14))
    r = r[min(start, len(r) - 1) :]
    return wrap(q, as_poly1d), wrap(r, as_poly1d)


@implements(numpy.polyval)
def polyval(p, x):
    """The values of a polynomial; see `numpy.polyval`. Each coefficient takes two passes over `x`."""
    if is_poly1d(x):
        return _composed(p, x)
    p, x = given_coefficients(p, x)
    if len(p) == 0:
        return zeros(x.shape, x.dtype, device=x.device)
    # Zero times x, as in NumPy: infinity and NaN in x give NaN.
    y = numpy.add(x * x.dtype.type(0), p[0])
    for k in range(1, len(p)):
        # In place, except for a scalar.
        y *= x
        y += p[k]
    return y


def _composed(p, x):
    """The composition p(x) of two polynomials."""
    p = coefficients(p)
    result = 0
    for k in range(len(p)):
        result = x * result + p[k]
    return result


@implements(numpy.polyder)
def polyder(p, m=1):
    """A derivative of a polynomial; see `numpy.polyder`."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    value = coefficients(p)
    if value.ndim == 0:
        raise TypeError("polyder: the coefficients must be a sequence, not a number")
    for _ in range(m):
        value = value[:-1] * arange(len(value) - 1, 0, -1, device=value.device)
    return wrap(value, is_poly1d(p))


@implements(numpy.polyint)
def polyint(p, m=1, k=None):
    """An integral of a polynomial; see `numpy.polyint`.

    Returns
    -------
    ndarray or poly1d
        The integral; a `poly1d` if `p` is one.
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    value = coefficients(p)
    k = atleast_1d(asarray(numpy.zeros(m) if k is None else k, device=value.device))
    if len(k) == 1 and m > 1:
        k = k * numpy.ones(m)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        powers = arange(len(value), 0, -1, device=value.device)
        value = concatenate((numpy.true_divide(value, powers), k[i : i + 1]))
    return wrap(as_array(value), is_poly1d(p))
