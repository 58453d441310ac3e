"""Interpolating polynomials on device arrays: Krogh's and barycentric form."""

import math
import warnings

import numpy
import scipy.interpolate
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.holders import F8, Holder, adopt, created, doubles, holds
from gpunp_scipy.interpolate.one_dimensional import OneDimensional, interpolated_axis

# Elements of the quotients by distances that are computed at once.
_MOST_QUOTIENTS = 1 << 24


class _Polynomials(OneDimensional, Holder):
    def _device(self):
        return self.xi.device


@holds(scipy.interpolate.KroghInterpolator)
class NewtonPolynomials(_Polynomials):
    """Methods of `scipy.interpolate.KroghInterpolator` for device arrays."""

    def _values(self, x):
        """Nested, from the last coefficient."""
        x, total = x[:, None], self.c[self.n - 1]
        for k in range(self.n - 1, 0, -1):
            total = total * (x - self.xi[k - 1]) + self.c[k - 1]
        return numpy.broadcast_to(total, (x.shape[0], self.r)).astype(self.dtype)

    def _derivatives(self, x, der=None):
        """By repeated division by the factors of the polynomial."""
        n, der = self.n, self.n if der is None else der
        w = [x - self.xi[k] for k in range(n)]
        products = [numpy.ones_like(x)]
        for k in range(1, n):
            products.append(w[k - 1] * products[-1])
        rows = [self._values(x), *(self.c[k][None] for k in range(1, n))]
        for k in range(1, n):
            for i in range(1, n - k + 1):
                # The last coefficient is a zero, which keeps NaN.
                products[i] = w[k + i - 1] * products[i - 1] + products[i]
                rows[k] = rows[k] + products[i][:, None] * self.c[k + i]
            rows[k] = rows[k] * math.factorial(k)
        shape = (x.shape[0], self.r)
        rows = [numpy.broadcast_to(row, shape) for row in rows[:der]]
        zero = gpunp.zeros(shape, self.dtype, device=x.device)
        return numpy.stack(rows + [zero] * (der - len(rows))).astype(self.dtype)


def _divided_differences(xi, yi, dtype):
    """Coefficients of Newton's polynomial; equal neighbours in ``xi`` stand for derivatives.

    Parameters
    ----------
    xi : numpy.ndarray
    yi : ndarray
        Values: points x more.
    """
    n = len(xi)
    yi = yi.astype(dtype, copy=False)
    if len(numpy.unique(xi)) == n:
        # All points at once, one difference after another.
        places, rows = asarray(xi, device=yi.device)[:, None], yi
        c = [rows[0]]
        for i in range(n - 1):
            rows = (c[-1] - rows[1:]) / (xi[i] - places[i + 1 :])
            c.append(rows[0])
        return numpy.stack(c)
    c, row = [yi[0]], [None] * n
    for k in range(1, n):
        s = 0
        while s < k and xi[k - s - 1] == xi[k]:
            s += 1
        row[0] = yi[k] / math.factorial(s)
        for i in range(k - s):
            if xi[i] == xi[k]:
                raise ValueError("Elements of `xi` can't be equal.")
            row[i + 1] = ((row[i + 1] if s else c[i]) - row[i]) / (xi[i] - xi[k])
        c.append(row[k - s])
    return numpy.stack(c)


def krogh(self, xi, yi, axis=0):
    """Initialize a polynomial with values and derivatives; see `scipy.interpolate.KroghInterpolator`.

    Waits for ``xi``, whose equal elements decide what is computed.
    """
    device = device_of(xi, yi, nested=True) or get_device()
    xi, yi = (asarray(values, device=device) for values in (xi, yi))
    adopt(self)
    interpolated_axis(self, xi, yi, axis)
    self.xi, self.yi = xi, self._rows_of(yi)
    self.n, self.r = self.yi.shape
    if xi.size == 0:
        raise ValueError("KroghInterpolator: there are no points; give at least one")
    if xi.size > 30:
        warnings.warn(
            f"{xi.size} degrees provided, degrees higher than about thirty cause problems with numerical "
            "instability with 'KroghInterpolator'",
            stacklevel=4,
        )
    c = _divided_differences(fetched(xi), self.yi, self.dtype)
    zero = gpunp.zeros((1, self.r), c.dtype, device=device)
    self.c = numpy.concatenate((c, zero))


@holds(scipy.interpolate.BarycentricInterpolator)
class BarycentricPolynomials(_Polynomials):
    """Methods of `scipy.interpolate.BarycentricInterpolator` for device arrays."""

    def set_yi(self, yi, axis=None):
        """Set the values; see `scipy.interpolate.BarycentricInterpolator.set_yi`."""
        self._diff_baryint = None
        if yi is None:
            self.yi = None
            return
        yi = asarray(yi, device=self.xi.device)
        interpolated_axis(self, self.xi, yi, axis)
        self.yi = self._rows_of(yi)
        self.n, self.r = self.yi.shape

    def add_xi(self, xi, yi=None):
        """Add points; see `scipy.interpolate.BarycentricInterpolator.add_xi`."""
        device = self.xi.device
        if yi is not None:
            if self.yi is None:
                raise ValueError("No previous yi value to update!")
            rows = self._rows_of(asarray(yi, device=device), check=True)
            self.yi = numpy.concatenate((self.yi, rows))
        elif self.yi is not None:
            raise ValueError("No update to yi provided!")
        old, self.xi = self.n, numpy.concatenate((self.xi, asarray(xi, device=device)))
        self.n = len(self.xi)
        inverse = numpy.concatenate((self.wi**-1.0, gpunp.ones(self.n - old, F8, device=device)))
        for j in range(old, self.n):
            distances = self._inv_capacity * (self.xi[j] - self.xi[:j])
            inverse[:j] *= distances
            inverse[j] = numpy.prod(-distances)
        self.wi = inverse**-1.0
        self._diff_cij = self._diff_baryint = None

    def _values(self, x):
        if x.size == 0:
            return gpunp.zeros((0, self.r), self.dtype, device=x.device)
        step = max(1, _MOST_QUOTIENTS // self.n)
        parts = [self._part(x[i : i + step]) for i in range(0, x.size, step)]
        return numpy.concatenate(parts) if len(parts) > 1 else parts[0]

    def _part(self, x):
        distances = x[:, None] - self.xi
        at_point = distances == 0
        quotients = self.wi / numpy.where(at_point, 1, distances)
        values = (quotients @ self.yi) / quotients.sum(axis=-1)[:, None]
        exact = self.yi[numpy.argmax(at_point, axis=-1)]
        return numpy.where(at_point.any(axis=-1)[:, None], exact, values)

    def derivative(self, x, der=1):
        """A derivative; see `scipy.interpolate.BarycentricInterpolator.derivative`."""
        x = self._points(x)
        return self._placed(self._derivative(x.reshape(-1), der), x)

    def _derivatives(self, x, der=None):
        return numpy.stack([self._derivative(x, d) for d in range(self.n if der is None else der)])

    def _derivative(self, x, der):
        """The derivative of an order, as the polynomial through the derivatives at the points."""
        if x.size == 0 or self.r == 0 or der >= self.n:
            shape = (0 if self.r == 0 else x.size, self.r)
            return gpunp.zeros(shape, self.dtype, device=x.device)
        polynomial = self
        for _ in range(der):
            polynomial = polynomial._differentiated()
        return polynomial._values(x)

    def _differentiated(self):
        if self._diff_cij is None:
            c = self.xi[:, None] - self.xi
            numpy.fill_diagonal(c, 1)
            c = self.wi / (c * self.wi[:, None])
            numpy.fill_diagonal(c, 0)
            numpy.fill_diagonal(c, -c.sum(axis=1))
            self._diff_cij = c
        if self._diff_baryint is None:
            made = created(scipy.interpolate.BarycentricInterpolator)
            made.xi, made.wi, made._y_axis, made._diff_cij = self.xi, self.wi, 0, self._diff_cij
            made.set_yi(self._diff_cij @ self.yi)
            self._diff_baryint = made
        return self._diff_baryint


def barycentric(self, xi, yi=None, axis=0, *, wi=None, rng=None, random_state=None):
    """Initialize a polynomial; see `scipy.interpolate.BarycentricInterpolator`.

    Waits for the device to see whether all points are distinct.
    """
    device = device_of(xi, yi, wi, nested=True) or get_device()
    xi = doubles(xi, device)
    adopt(self)
    self._y_axis, self._y_extra_shape, self.dtype = axis, None, None
    self.xi, self.n = xi, len(xi)
    self.set_yi(yi, axis)
    self.n, self._diff_cij = len(xi), None
    if wi is not None:
        self.wi = asarray(wi, device=device)
        return
    self._inv_capacity = 4.0 / (xi.max() - xi.min())
    # In random order products neither overflow nor underflow.
    source = rng if random_state is None else random_state
    source = source if hasattr(source, "permutation") else numpy.random.default_rng(source)
    order = source.permutation(self.n)
    distances = self._inv_capacity * (xi[:, None] - xi[order])
    distances[order, numpy.arange(self.n)] = 1.0
    products = numpy.prod(distances, axis=1)
    if bool((products == 0.0).any()):
        raise ValueError("Interpolation points xi must be distinct.")
    self.wi = 1.0 / products


def on_device(polynomial, device):
    """A copy on a device of a polynomial that is on the host."""
    made = created(type(polynomial))
    for name, value in vars(polynomial).items():
        setattr(made, name, asarray(value, device=device) if isinstance(value, numpy.ndarray) else value)
    for name in ("_y_axis", "_y_extra_shape", "dtype"):
        setattr(made, name, getattr(polynomial, name))
    if hasattr(made, "_diff_baryint"):
        made._diff_baryint = None
    return made
