"""`BPoly` on device arrays: pieces in Bernstein's basis."""

import math

import numpy
import scipy.interpolate
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.holders import (
    F8,
    adopt,
    computing_dtype,
    created,
    doubles,
    holds,
    is_held,
    scipys,
)
from gpunp_scipy.interpolate.pieces import Pieces, checked_extrapolate, checked_pieces, evaluated, falling


@holds(scipy.interpolate.BPoly)
class BernsteinPieces(Pieces):
    """Methods of `scipy.interpolate.BPoly` for device arrays."""

    kind = "bernstein"

    @staticmethod
    def _raise_degree(c, d):
        return raised(c, d)

    @staticmethod
    def _construct_from_derivatives(xa, xb, ya, yb):
        device = device_of(xa, xb, ya, yb)
        ya, yb = (asarray(values, device=device) for values in (ya, yb))
        dtype = computing_dtype(ya.dtype, yb.dtype)
        h = asarray(xb - xa, F8, device=device)
        return _of_derivatives(h, ya[:, None].astype(dtype), yb[:, None].astype(dtype))[:, 0]

    def _values(self, points, nu, extrapolate):
        return evaluated(self.kind, self._derived(nu) if nu else self.c, self.x, points, 0, extrapolate)

    def _derived(self, nu):
        c = self.c.copy() if nu == 0 else self.c
        if nu >= c.shape[0]:
            return gpunp.zeros((1, *c.shape[1:]), c.dtype, device=c.device)
        h = numpy.diff(self.x).reshape(-1, *[1] * (c.ndim - 2))
        for _ in range(nu):
            c = (c.shape[0] - 1) * numpy.diff(c, axis=0) / h
        return c

    def _integrated(self, nu):
        c = self.c
        h = numpy.diff(self.x).reshape(-1, *[1] * (c.ndim - 2))
        for _ in range(nu):
            terms = c.shape[0]
            parts = numpy.cumsum(c, axis=0) / terms * h
            c = gpunp.zeros((terms + 1, *c.shape[1:]), c.dtype, device=c.device)
            c[1:] = parts
            c[:, 1:] += numpy.cumsum(parts[-1], axis=0)[:-1]
        return c

    def extend(self, c, x):
        """Add pieces before the first or after the last one; see `scipy.interpolate.BPoly.extend`."""
        c = asarray(c, device=self.c.device)
        terms = max(self.c.shape[0], c.shape[0])
        self.c = raised(self.c, terms - self.c.shape[0])
        super().extend(raised(c, terms - c.shape[0]), x)


def raised(c, count):
    """Coefficients of the same polynomials whose degree is higher by ``count``."""
    if count == 0:
        return c
    k = c.shape[0] - 1
    rows = [0.0] * (c.shape[0] + count)
    for a in range(c.shape[0]):
        for j in range(count + 1):
            weight = math.comb(k, a) * math.comb(count, j) / math.comb(k + count, a + j)
            rows[a + j] = rows[a + j] + c[a] * weight
    return numpy.stack(rows)


def bpoly(self, c, x, extrapolate=None, axis=0):
    """Initialize a piecewise polynomial in Bernstein's basis; see `scipy.interpolate.BPoly`."""
    extrapolate = checked_extrapolate(extrapolate)
    c, x = checked_pieces(c, x, axis)
    adopt(self)
    self._with(c, x, extrapolate, axis)


def from_power_basis(cls, pp, extrapolate=None):
    """Bernstein's polynomials from powers; see `scipy.interpolate.BPoly.from_power_basis`."""
    if not (is_held(pp) and isinstance(pp, scipy.interpolate.PPoly)):
        return scipys("BPoly.from_power_basis")(cls, pp, extrapolate=extrapolate)
    h = numpy.diff(pp.x).reshape(-1, *[1] * (pp.c.ndim - 2))
    k = pp.c.shape[0] - 1
    scaled = [pp.c[k - power] * h**power / math.comb(k, power) for power in range(k + 1)]
    rows = []
    for j in range(k + 1):
        row = scaled[0]
        for power in range(1, j + 1):
            row = row + math.comb(j, power) * scaled[power]
        rows.append(row)
    return created(cls)._with(
        numpy.stack(rows), pp.x, pp.extrapolate if extrapolate is None else extrapolate, pp.axis
    )


def _counts(y1, y2, order, place):
    """How many derivatives at both ends of an interval are used."""
    if order is None:
        return len(y1), len(y2)
    n = order + 1
    n1 = min(n // 2, len(y1))
    n2 = min(n - n1, len(y2))
    n1 = min(n - n2, len(y2))
    if n1 + n2 != n:
        left, right = fetched(place)
        raise ValueError(
            f"Point {left} has {len(y1)} derivatives, point {right} has {len(y2)} derivatives, "
            f"but order {order} requested"
        )
    if not (n1 <= len(y1) and n2 <= len(y2)):
        raise ValueError("`order` input incompatible with length y1 or y2.")
    return n1, n2


def _of_derivatives(h, ya, yb):
    """Coefficients from derivatives at the ends of intervals: derivatives x intervals x more axes."""
    na, nb = len(ya), len(yb)
    n = na + nb
    h = h.reshape(-1, *[1] * (ya.ndim - 2))
    c = [None] * n
    for q in range(na):
        c[q] = ya[q] * h**q / falling(n - 1, q)
        for j in range(q):
            c[q] = c[q] - (-1) ** (j + q) * math.comb(q, j) * c[j]
    for q in range(nb):
        c[-q - 1] = yb[q] * (-1) ** q * h**q / falling(n - 1, q)
        for j in range(q):
            c[-q - 1] = c[-q - 1] - (-1) ** (j + 1) * math.comb(q, j + 1) * c[-q + j]
    return numpy.stack(c)


def from_derivatives(cls, xi, yi, orders=None, extrapolate=None):
    """Pieces with given derivatives at the breakpoints; see `scipy.interpolate.BPoly.from_derivatives`.

    Intervals with as many derivatives at both ends are computed together. Waits for the device to check that
    ``xi`` ascends.
    """
    device = device_of(xi, yi, nested=True) or get_device()
    xi = doubles(xi, device)
    if len(xi) != len(yi):
        raise ValueError("xi and yi need to have the same length")
    # As in SciPy, the first point is compared with the others.
    if bool((xi[1:] - xi[:1] <= 0).any()):
        raise ValueError("x coordinates are not in increasing order")
    yi = asarray(yi, device=device) if isinstance(yi, numpy.ndarray | gpunp.ndarray) else yi
    yi = yi if isinstance(yi, gpunp.ndarray) else [asarray(each, device=device) for each in yi]
    m = len(xi) - 1
    try:
        k = max(len(yi[i]) + len(yi[i + 1]) for i in range(m))
    except TypeError as error:
        raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).") from error
    if orders is None:
        orders = [None] * m
    else:
        orders = [int(orders)] * m if isinstance(orders, int | numpy.integer) else list(fetched(orders))
        k = max(k, max(orders))
        if any(order <= 0 for order in orders):
            raise ValueError("Orders must be positive.")
    groups = {}
    if isinstance(yi, gpunp.ndarray) and len(set(orders)) == 1:
        groups[_counts(yi[0], yi[1], orders[0], xi[:2])] = slice(m)
    else:
        for i in range(m):
            groups.setdefault(_counts(yi[i], yi[i + 1], orders[i], xi[i : i + 2]), []).append(i)
    h, columns, places = numpy.diff(xi), [], []
    for (n1, n2), rows in groups.items():
        if isinstance(rows, slice):
            ya, yb = (numpy.moveaxis(y, 1, 0) for y in (yi[:-1, :n1], yi[1:, :n2]))
            rows = range(m)
        else:
            ya = numpy.stack([yi[i][:n1] for i in rows], axis=1)
            yb = numpy.stack([yi[i + 1][:n2] for i in rows], axis=1)
        if ya.shape[1:] != yb.shape[1:]:
            raise ValueError(f"Shapes of ya {ya.shape} and yb {yb.shape} are incompatible")
        dtype = computing_dtype(ya.dtype, yb.dtype)
        made = _of_derivatives(
            h if len(rows) == m else h[numpy.array(rows)], ya.astype(dtype), yb.astype(dtype)
        )
        columns.append(raised(made, k - len(made)))
        places += rows
    c = numpy.concatenate(columns, axis=1)
    if places != list(range(m)):
        c = c[:, numpy.argsort(places)]
    return cls(c, xi, extrapolate)
