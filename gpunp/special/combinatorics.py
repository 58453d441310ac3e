"""Functions of scipy.special that count: combinations, permutations, factorials and Stirling's numbers."""

import math

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import on_one_device
from gpunp.ufunc.engine import UFUNCS

_binom = UFUNCS["scipy.special", "binom"]
_gamma = UFUNCS["scipy.special", "gamma"]
_poch = UFUNCS["scipy.special", "poch"]
_rgamma = UFUNCS["scipy.special", "rgamma"]
_stirling2 = UFUNCS["scipy.special._ufuncs", "_stirling2_inexact"]


def _whole(name, *numbers):
    """Return arguments of a function with ``exact=True`` as integers of Python."""
    found = tuple(int(x) for x in numbers)
    if any(a != b for a, b in zip(found, numbers, strict=True)):
        raise ValueError(f"{name}: with exact=True the arguments must be whole numbers, not {numbers}")
    return found


def comb(N, k, *, exact=False, repetition=False):
    """The number of combinations of N things taken k at a time; see `scipy.special.comb`.

    Parameters
    ----------
    N, k : array_like
        Numbers of things; with ``exact`` single whole numbers.
    exact : bool, default False
        Compute with integers of Python. Waits for the device.
    repetition : bool, default False
        Count combinations with repetition.

    Returns
    -------
    ndarray or int
        0 where ``k > N``, ``N < 0`` or ``k < 0``.
    """
    if exact:
        N, k = _whole("comb", N, k)
        if repetition:
            if k == 0:
                return int(N >= 0)
            N = N + k - 1
        return math.comb(N, k) if N >= 0 and k >= 0 else 0
    N, k = on_one_device(N, k)
    if repetition:
        return numpy.where((k == 0) & (N >= 0), 1.0, _binom(N + k - 1, k))
    return numpy.where((k <= N) & (N >= 0) & (k >= 0), _binom(N, k), 0)


def perm(N, k, exact=False):
    """The number of permutations of k out of N things; see `scipy.special.perm`.

    Parameters
    ----------
    N, k : array_like
        Numbers of things; with ``exact`` single whole numbers.
    exact : bool, default False
        Compute with integers of Python. Waits for the device.

    Returns
    -------
    ndarray or int
        0 where ``k > N``, ``N < 0`` or ``k < 0``.
    """
    if exact:
        if numpy.ndim(N) or numpy.ndim(k):
            raise ValueError("perm: `N` and `k` must be scalar integers with `exact=True`")
        N, k = _whole("perm", N, k)
        return math.perm(N, k) if N >= 0 and k >= 0 else 0
    N, k = on_one_device(N, k)
    return numpy.where((k <= N) & (N >= 0) & (k >= 0), _poch(N - k + 1, k), 0)


def factorial(n, exact=False, extend="zero"):
    """The factorial; see `scipy.special.factorial`.

    Parameters
    ----------
    n : array_like
        Real numbers, or complex ones with ``extend="complex"``.
    exact : bool, default False
        Return integers, which must fit into int64. Waits for the device.
    extend : {"zero", "complex"}, default "zero"
        Whether the results for negative numbers are 0 or those of the gamma function.

    Returns
    -------
    ndarray
    """
    return _multifactorial("factorial", n, 1, exact, extend, "fc")


def factorial2(n, exact=False, extend="zero"):
    """The double factorial; see `scipy.special.factorial2`.

    Parameters
    ----------
    n : array_like
        Integers, or any numbers with ``extend="complex"``.
    exact : bool, default False
        Return integers, which must fit into int64. Waits for the device.
    extend : {"zero", "complex"}, default "zero"
        Whether the results for negative numbers are 0 or those of the gamma function.

    Returns
    -------
    ndarray
    """
    return _multifactorial("factorial2", n, 2, exact, extend, "c")


def factorialk(n, k, exact=False, extend="zero"):
    """The multifactorial of order k; see `scipy.special.factorialk`.

    Parameters
    ----------
    n : array_like
        Integers, or any numbers with ``extend="complex"``.
    k : int
        The order; any number but 0 with ``extend="complex"``.
    exact : bool, default False
        Return integers, which must fit into int64. Waits for the device.
    extend : {"zero", "complex"}, default "zero"
        Whether the results for negative numbers are 0 or those of the gamma function.

    Returns
    -------
    ndarray
    """
    return _multifactorial("factorialk", n, k, exact, extend, "c")


_NEEDS_EXTENSION = (
    "In order to use non-integer arguments, you must opt into this by passing `extend='complex'`. "
    "The results for negative arguments, 0 by default, change then."
)


def _check_order(k, extend):
    """Raise SciPy's errors for the order of a multifactorial."""
    if not isinstance(k, (int, float, complex, numpy.number)) or isinstance(k, bool):
        raise ValueError(f"Unsupported data type for `k` in factorialk: {type(k)}")
    if extend != "complex" and not isinstance(k, (int, numpy.integer)):
        raise ValueError(_NEEDS_EXTENSION)
    if extend == "zero" and k < 1:
        raise ValueError(f"For `extend='zero'`, k must be a positive integer, received: {k}")
    if k == 0:
        raise ValueError("Parameter k cannot be zero!")


def _multifactorial(name, n, k, exact, extend, real_kinds):
    """Return the multifactorial of any order; `real_kinds` says "fc" if it takes floats without extension."""
    if extend not in ("zero", "complex"):
        raise ValueError(f"argument `extend` must be either 'zero' or 'complex', received: {extend}")
    if exact and extend == "complex":
        raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")
    if name == "factorialk":
        _check_order(k, extend)
    n = asarray(n)
    kind = n.dtype.kind
    if kind not in "iufc":
        raise ValueError(f"Unsupported data type for `n` in {name}: {n.dtype}")
    if extend != "complex" and (kind == "c" or (kind == "f" and "f" not in real_kinds)):
        raise ValueError(_NEEDS_EXTENSION)
    if exact and kind == "f":
        raise ValueError(f"`exact=True` only supports integers, cannot use data type {n.dtype}")
    if n.size == 0:
        return n
    if exact:
        return _exact_multifactorial(name, n, k)
    if extend == "complex":
        return _extended_multifactorial(n, k)
    inside = numpy.where(n >= 0, n, 0)
    values = _gamma(inside + 1.0) if k == 1 else _integer_multifactorial(inside, k)
    values = numpy.where(n >= 0, values, 0.0).astype(numpy.float64, copy=False)
    return numpy.where(numpy.isnan(n), numpy.nan, values) if kind == "f" else values


def _integer_multifactorial(n, k):
    """Return the multifactorial of integers ``n >= 0`` as a product with a factor for each residue."""
    residue, order = n % k, float(k)
    part = residue / order
    factor = numpy.where(residue == 0, 1.0, numpy.power(order, -part) * _rgamma(part + 1) * residue)
    quotient = n / order
    return numpy.power(order, quotient) * _gamma(quotient + 1) * factor


def _gamma_after(x):
    """Return gamma(x + 1), with NaN at the pole of real numbers at -1."""
    values = _gamma(x + 1)
    return values if x.dtype.kind == "c" else numpy.where(x == -1, numpy.nan, values)


def _extended_multifactorial(n, k):
    """Return the multifactorial by its analytic continuation."""
    if k == 1:
        return _gamma_after(n)
    dtype = numpy.complex128 if isinstance(k, (complex, numpy.complexfloating)) or k < 0 else None
    values = numpy.power(k, n / k, dtype=dtype) * _gamma_after(n / k)
    # In place, because the dtype of a number does not count.
    values *= _rgamma(asarray(1 / k + 1, device=n.device)) / numpy.power(k, 1 / k, dtype=dtype)
    return values


def _exact_multifactorial(name, n, k):
    """Return the multifactorial of integers from a table of those up to the largest one."""
    table = [1] * max(int(n.max()) + 1, 1)
    for m in range(2, len(table)):
        table[m] = m * (table[m - k] if m > k else 1)
    if table[-1] > numpy.iinfo(numpy.int64).max:
        raise ValueError(f"{name}: {len(table) - 1} is too large for exact results in int64; use exact=False")
    values = asarray(numpy.array(table, dtype=numpy.int64), device=n.device)[numpy.where(n > 0, n, 0)]
    return numpy.where(n < 0, 0, values)


def stirling2(N, K, *, exact=False):
    """Stirling numbers of the second kind; see `scipy.special.stirling2`.

    Parameters
    ----------
    N : array_like of int
        The number of things.
    K : array_like of int
        The number of non-empty subsets.
    exact : bool, default False
        Not available for arrays on the device, as the integers have any size.

    Returns
    -------
    ndarray of float64
        Exact integers for ``N <= 22``.
    """
    N, K = on_one_device(N, K)
    for name, values in (("N", N), ("K", K)):
        if values.dtype.kind not in "iu":
            raise TypeError(f"Argument `{name}` must contain only integers")
    if exact:
        raise TypeError("stirling2: exact=True needs integers of any size, which devices do not hold")
    return _stirling2(N.astype(numpy.float64), K.astype(numpy.float64))


def diric(x, n):
    """The periodic sinc function, also called the Dirichlet function; see `scipy.special.diric`.

    Parameters
    ----------
    x : array_like
        Real numbers.
    n : array_like
        Positive whole numbers; the results for others are NaN.

    Returns
    -------
    ndarray
    """
    x, n = on_one_device(x, n)
    n = n + (x - x)
    x = x + (n - n)
    if x.dtype.kind != "f":
        x = x.astype(numpy.float64)
    dtype, half = x.dtype, x / 2
    sine = numpy.sin(half)
    # Closer to multiples of pi the quotient is 1 or -1 within rounding errors.
    near = numpy.abs(sine) < (1e-7 if numpy.finfo(dtype).eps < 1e-15 else 1e-3)
    turns = numpy.round(half / math.pi) * (n - 1)
    limit = 1 - 2 * numpy.abs(turns % 2)
    values = numpy.where(near, limit, numpy.sin(n * half) / (n * numpy.where(near, 1, sine)))
    return numpy.where((n <= 0) | (n != numpy.floor(n)), numpy.nan, values).astype(dtype, copy=False)


FUNCTIONS = {
    "comb": comb,
    "diric": diric,
    "factorial": factorial,
    "factorial2": factorial2,
    "factorialk": factorialk,
    "perm": perm,
    "stirling2": stirling2,
}
