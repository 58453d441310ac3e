"""The polynomial class of NumPy's older interface."""

import operator

import numpy

from gpunp.array.convert import HOLDERS, asarray, asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.creation.filled import zeros
from gpunp.dispatch.function_protocol import array_function
from gpunp.dispatch.registry import find_handler, implements
from gpunp.manipulation.joining import concatenate
from gpunp.manipulation.shape import atleast_1d
from gpunp.polynomial import coefficients as arithmetic
from gpunp.polynomial import roots as _roots
from gpunp.ufunc.operands import add_operand_type

# Functions that accept a poly1d itself; others receive its coefficients.
_POLYNOMIAL = frozenset(
    {"polyadd", "polysub", "polymul", "polydiv", "polyval", "polyder", "polyint", "roots", "poly"}
)


@implements(name="poly1d")
class poly1d:
    """A polynomial whose coefficients are on the device; see `numpy.poly1d`.

    Leading zeros are removed, for which the constructor reads the coefficients and so synchronizes.

    Parameters
    ----------
    c_or_r : array_like
        Coefficients, the highest power first, or the roots.
    r : bool, optional
        Whether `c_or_r` are the roots.
    variable : str, optional
        The name of the variable when the polynomial is printed.

    Examples
    --------
    >>> import gpunp
    >>> p = gpunp.poly1d([1, 2, 3])
    >>> p(2)
    array(11)
    >>> (p * p).order
    4
    """

    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d | numpy.poly1d):
            self._coefficients = asarray(c_or_r.coeffs)
            self._variable = c_or_r.variable if variable is None else variable
            return
        given = _roots.poly(c_or_r) if r else c_or_r
        self._coefficients = arithmetic.without_leading_zeros(atleast_1d(asarray(given)))
        self._variable = "x" if variable is None else variable

    @property
    def coeffs(self):
        """The coefficients, the highest power first."""
        return self._coefficients

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coefficients:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def variable(self):
        """The name of the variable."""
        return self._variable

    @property
    def order(self):
        """The degree."""
        return len(self._coefficients) - 1

    o = order

    @property
    def roots(self):
        """The roots; see `numpy.roots`."""
        return _roots.roots(self._coefficients)

    r = roots

    def get(self, stream=None, order="C"):
        """Copy the polynomial to the host.

        Parameters
        ----------
        stream : Stream, optional
            The CUDA stream of the copy.
        order : {"C", "F", "A", "K"}, optional
            Without effect.

        Returns
        -------
        numpy.poly1d
        """
        return numpy.poly1d(asnumpy(self._coefficients, stream, order), variable=self._variable)

    def set(self, polyin, stream=None):
        """Overwrite the coefficients with those of a polynomial on the host.

        Parameters
        ----------
        polyin : numpy.poly1d
            Of the same degree.
        stream : Stream, optional
            The CUDA stream of the copy.

        Raises
        ------
        TypeError
            If `polyin` is no `numpy.poly1d`.
        ValueError
            If its degree differs.
        """
        if not isinstance(polyin, numpy.poly1d):
            raise TypeError(f"poly1d.set: polyin must be a numpy.poly1d, not {type(polyin).__name__}")
        self._coefficients.set(polyin.coeffs.astype(self._coefficients.dtype, copy=False), stream)
        self._variable = polyin.variable

    def __array__(self, dtype=None, copy=None):
        return self._coefficients.__array__()

    def __array_function__(self, func, types, args, kwargs):
        if not all(issubclass(cls, poly1d | ndarray | numpy.ndarray) for cls in types):
            return NotImplemented
        if func.__name__ not in _POLYNOMIAL or find_handler(func) is None:
            args = _plain(args)
            kwargs = {name: _plain(value) for name, value in kwargs.items()}
            known = tuple(cls for cls in types if not issubclass(cls, poly1d))
            return array_function(self._coefficients, func, known, args, kwargs)
        return find_handler(func)(*args, **kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return self._coefficients.__array_ufunc__(ufunc, method, *map(_plain, inputs), **kwargs)

    def __repr__(self):
        return f"poly1d({repr(self._coefficients)[6:-1]})"

    def __str__(self):
        return str(numpy.poly1d(asnumpy(self._coefficients), variable=self._variable))

    def __len__(self):
        return self.order

    def __call__(self, val):
        return arithmetic.polyval(self._coefficients, val)

    def _beside(self, other):
        """Another operand as a polynomial; host data is put on this polynomial's device."""
        if isinstance(other, poly1d):
            return other
        given = other.coeffs if isinstance(other, numpy.poly1d) else other
        return poly1d(
            given if isinstance(given, ndarray) else asarray(given, device=self._coefficients.device)
        )

    def __neg__(self):
        return poly1d(-self._coefficients)

    def __pos__(self):
        return self

    def __mul__(self, other):
        if _is_scalar(other):
            return poly1d(self._coefficients * other)
        return poly1d(arithmetic.polymul(self, self._beside(other)))

    def __rmul__(self, other):
        if _is_scalar(other):
            return poly1d(other * self._coefficients)
        return poly1d(arithmetic.polymul(self._beside(other), self))

    def __add__(self, other):
        return poly1d(arithmetic.polyadd(self, self._beside(other)))

    def __radd__(self, other):
        return poly1d(arithmetic.polyadd(self._beside(other), self))

    def __sub__(self, other):
        return poly1d(arithmetic.polysub(self, self._beside(other)))

    def __rsub__(self, other):
        return poly1d(arithmetic.polysub(self._beside(other), self))

    def __pow__(self, val):
        if not numpy.isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        result = self._beside([1])
        for _ in range(int(val)):
            result = poly1d(arithmetic.polymul(self, result))
        return result

    def __truediv__(self, other):
        if _is_scalar(other):
            return poly1d(self._coefficients / other)
        return arithmetic.polydiv(self, self._beside(other))

    def __rtruediv__(self, other):
        if _is_scalar(other):
            return poly1d(other / self._coefficients)
        return arithmetic.polydiv(self._beside(other), self)

    def __eq__(self, other):
        if not isinstance(other, poly1d | numpy.poly1d):
            return NotImplemented
        if self._coefficients.shape != other.coeffs.shape:
            return False
        return bool(numpy.all(self._coefficients == self._beside(other).coeffs))

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __getitem__(self, val):
        if val < 0 or val > self.order:
            return zeros((), self._coefficients.dtype, device=self._coefficients.device)._mark_scalar()
        return self._coefficients[self.order - val]

    def __setitem__(self, key, val):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        missing = key - self.order
        if missing > 0:
            dtype, device = self._coefficients.dtype, self._coefficients.device
            self._coefficients = concatenate((zeros(missing, dtype, device=device), self._coefficients))
        self._coefficients[self.order - key] = val

    def __iter__(self):
        return iter(self._coefficients)

    def integ(self, m=1, k=0):
        """An integral; see `numpy.polyint`."""
        return poly1d(arithmetic.polyint(self._coefficients, m=m, k=k))

    def deriv(self, m=1):
        """A derivative; see `numpy.polyder`."""
        return poly1d(arithmetic.polyder(self._coefficients, m=m))


# As in NumPy, functions and array operators use the coefficients.
HOLDERS[poly1d] = operator.attrgetter("coeffs")
add_operand_type(poly1d)


def _is_scalar(value):
    return numpy.isscalar(value) or (isinstance(value, ndarray | numpy.ndarray) and value.ndim == 0)


def _plain(value):
    """Replace each polynomial in an argument by its coefficients."""
    if isinstance(value, poly1d):
        return value.coeffs
    if type(value) in (list, tuple):
        return type(value)(_plain(item) for item in value)
    return value
