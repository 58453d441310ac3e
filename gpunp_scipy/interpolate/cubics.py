"""Cubic interpolants on device arrays: constructors of Hermite, PCHIP, Akima and spline interpolants."""

import numpy
import scipy.interpolate
from gpunp.device import get_device

import gpunp
from gpunp.array.convert import asarray, fetched
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate import cubic_kernels
from gpunp_scipy.interpolate.bands import solve_tridiagonal
from gpunp_scipy.interpolate.holders import (
    C16,
    F8,
    adopt,
    computing_dtype,
    doubles,
    holds,
    real_planes,
    scipys,
)
from gpunp_scipy.interpolate.pieces import PowerPieces, checked_extrapolate


def prepared(x, y, axis, dydx=None):
    """Convert and check the arguments of a constructor, with SciPy's errors; waits for the device once.

    Returns
    -------
    x : ndarray
        Float64.
    h : ndarray
        The distances of neighbours in ``x``, with as many axes as ``y``.
    y : ndarray
        Float64 or complex128, the interpolated axis first.
    axis : int
        Not negative.
    dydx : ndarray or None
        Like ``y``.
    """
    device = device_of(x, y, dydx, nested=True) or get_device()
    x, y = (asarray(values, device=device) for values in (x, y))
    if x.dtype.kind == "c":
        raise ValueError("`x` must contain real values.")
    x, dtype = doubles(x, device), computing_dtype(y.dtype)
    if dydx is not None:
        dydx = asarray(dydx, device=device)
        if y.shape != dydx.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
        dtype = computing_dtype(y.dtype, dydx.dtype)
        dydx = dydx.astype(dtype, copy=False)
    y = y.astype(dtype, copy=False)
    axis = axis % y.ndim
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if x.shape[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if x.shape[0] != y.shape[axis]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    h = numpy.diff(x)
    finite = [numpy.isfinite(a).all() for a in (x, y, dydx) if a is not None]
    *finite, ascends = fetched(numpy.stack([*finite, (h > 0).all()]))
    for name, is_finite in zip(("x", "y", "dydx"), finite, strict=False):
        if not is_finite:
            raise ValueError(f"`{name}` must contain only finite values.")
    if not ascends:
        raise ValueError("`x` must be strictly increasing sequence.")
    y = numpy.moveaxis(y, axis, 0)
    if dydx is not None:
        dydx = numpy.moveaxis(dydx, axis, 0)
    return x, h.reshape(-1, *[1] * (y.ndim - 1)), y, axis, dydx


def _initialize(self, x, h, y, slopes, axis, extrapolate):
    """Have an object hold the cubic polynomials with given values and slopes at both ends."""
    dtype, planes = y.dtype, [doubles(a, x.device, y.dtype).reshape(len(y), -1) for a in (y, slopes)]
    c = cubic_kernels.pieces(h.reshape(-1), *map(real_planes, planes))
    adopt(self)
    self._with(c.view(dtype).reshape(4, len(y) - 1, *y.shape[1:]), x, extrapolate, axis)


def hermite(self, x, y, dydx, axis=0, extrapolate=None):
    """Initialize an interpolant of values and derivatives; see `scipy.interpolate.CubicHermiteSpline`."""
    x, h, y, axis, dydx = prepared(x, y, axis, dydx)
    _initialize(self, x, h, y, dydx, axis, checked_extrapolate(extrapolate))


def _no_complex(y, name):
    if y.dtype.kind == "c":
        raise ValueError(
            f"`{name}` only works with real values for `y`. If you are trying to use the real components of "
            f"the passed array, use `np.real` on the array before passing to `{name}`."
        )


def _end_slope(h0, h1, m0, m1):
    """The slope at an end from three points, limited so that the shape is preserved."""
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turns = numpy.sign(slope) != numpy.sign(m0)
    overshoots = (numpy.sign(m0) != numpy.sign(m1)) & (numpy.abs(slope) > 3.0 * numpy.abs(m0))
    return numpy.where(turns, 0.0, numpy.where(overshoots, 3.0 * m0, slope))


def pchip_slopes(h, y):
    """Slopes of a monotone interpolant: weighted harmonic means, by Fritsch and Butland.

    Parameters
    ----------
    h : ndarray
        Distances of points along the first axis; broadcasts against ``y``.
    y : ndarray
        Values; the first axis is interpolated.
    """
    secants = numpy.diff(y, axis=0) / h
    if y.shape[0] == 2:
        return numpy.concatenate((secants, secants))
    signs = numpy.sign(secants)
    flat = (signs[1:] != signs[:-1]) | (secants[1:] == 0) | (secants[:-1] == 0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    # Where there is no mean, ones take the place of the secants.
    left, right = (numpy.where(flat, 1.0, m) for m in (secants[:-1], secants[1:]))
    means = numpy.where(flat, 0.0, (w1 + w2) / (w1 / left + w2 / right))
    first = _end_slope(h[:1], h[1:2], secants[:1], secants[1:2])
    last = _end_slope(h[-1:], h[-2:-1], secants[-1:], secants[-2:-1])
    return numpy.concatenate((first, means, last))


def pchip(self, x, y, axis=0, extrapolate=None):
    """Initialize a monotone interpolant; see `scipy.interpolate.PchipInterpolator`."""
    x, h, y, axis, _ = prepared(x, y, axis)
    _no_complex(y, "PchipInterpolator")
    y = doubles(y, x.device)
    slopes = cubic_kernels.monotone_slopes(h.reshape(-1), y)
    _initialize(self, x, h, y, slopes, axis, checked_extrapolate(extrapolate))


@holds(scipy.interpolate.Akima1DInterpolator)
class AkimaPieces(PowerPieces):
    """Methods of `scipy.interpolate.Akima1DInterpolator` for device arrays."""

    def extend(self, c, x, right=True):
        """Fail as SciPy's method does."""
        return scipys("Akima1DInterpolator.extend")(self, c, x, right)


def akima(self, x, y, axis=0, *, method="akima", extrapolate=None):
    """Initialize Akima's interpolant; see `scipy.interpolate.Akima1DInterpolator`."""
    if method not in {"akima", "makima"}:
        raise NotImplementedError(f"`method`={method} is unsupported.")
    x, h, y, axis, _ = prepared(x, y, axis)
    _no_complex(y, "Akima1DInterpolator")
    m = numpy.diff(y, axis=0) / h
    if y.shape[0] == 2:
        slopes = numpy.concatenate((m, m))
    else:
        before = 2.0 * m[:1] - m[1:2]
        after = 2.0 * m[-1:] - m[-2:-1]
        m = numpy.concatenate((2.0 * before - m[:1], before, m, after, 2.0 * after - m[-1:]))
        slopes = _akima_slopes(m, method)
    extrapolate = False if extrapolate is None else extrapolate
    _initialize(self, x, h, y, slopes, axis, checked_extrapolate(extrapolate))


def _akima_slopes(m, method):
    """Slopes at points from secants, of which there are two more before and two more after all points."""
    slopes = 0.5 * (m[3:] + m[:-3])
    changes = numpy.abs(numpy.diff(m, axis=0))
    right, left = changes[2:], changes[:-2]
    if method == "makima":
        means = numpy.abs(m[1:] + m[:-1])
        right, left = right + 0.5 * means[2:], left + 0.5 * means[:-2]
    both = right + left
    if both.size == 0:
        return slopes
    # Where both changes are tiny, the mean of the secants is taken.
    weighted = both > 1e-9 * both.max()
    quotient = left / numpy.where(weighted, both, 1.0)
    return numpy.where(weighted, m[1:-2] + quotient * (m[2:-1] - m[1:-2]), slopes)


def _end_condition(bc, shape, y):
    """An end condition as SciPy's constructor has it: a name, or an order with values of a shape."""
    if isinstance(bc, str):
        if bc in ("clamped", "natural"):
            return (1 if bc == "clamped" else 2), gpunp.zeros(shape, F8, device=y.device)
        if bc in ("not-a-knot", "periodic"):
            return bc
        raise ValueError(f"bc_type={bc} is not allowed.")
    try:
        order, value = bc
    except Exception as error:
        raise ValueError("A specified derivative value must be given in the form (order, value).") from error
    if order not in [1, 2]:
        raise ValueError("The specified derivative order must be 1 or 2.")
    value = asarray(value, device=y.device)
    if value.shape != shape:
        raise ValueError(f"`deriv_value` shape {value.shape} is not the expected one {shape}.")
    return int(order), value


def _end_conditions(bc_type, y, axis):
    """Both end conditions, with SciPy's errors."""
    if isinstance(bc_type, str):
        if bc_type == "periodic" and not numpy.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
            raise ValueError(
                f"The first and last `y` point along axis {axis} must be identical (within machine "
                "precision) when bc_type='periodic'."
            )
        bc_type = (bc_type, bc_type)
    else:
        if len(bc_type) != 2:
            raise ValueError("`bc_type` must contain 2 elements to specify start and end conditions.")
        if any(isinstance(bc, str) and bc == "periodic" for bc in bc_type):
            raise ValueError(
                "'periodic' `bc_type` is defined for both curve ends and cannot be used with other "
                "boundary conditions."
            )
    return [_end_condition(bc, y.shape[1:], y) for bc in bc_type]


def cubic_spline(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    """Initialize a twice differentiable interpolant; see `scipy.interpolate.CubicSpline`."""
    x, h, y, axis, _ = prepared(x, y, axis)
    bc = _end_conditions(bc_type, y, axis)
    if any(not isinstance(each, str) and each[1].dtype.kind == "c" for each in bc):
        y = y.astype(C16, copy=False)
    if extrapolate is None:
        extrapolate = "periodic" if isinstance(bc[0], str) and bc[0] == "periodic" else True
    slopes = numpy.zeros_like(y) if y.size == 0 else _spline_slopes(h, y, bc)
    _initialize(self, x, h, y, slopes, axis, checked_extrapolate(extrapolate))


def _spline_slopes(h, y, bc):
    """Slopes of the cubic spline through points, at the points."""
    n, secants = y.shape[0], numpy.diff(y, axis=0) / h
    if n == 2:
        bc = [(1, secants[0]) if isinstance(each, str) else each for each in bc]
    names = [each if isinstance(each, str) else "" for each in bc]
    if n == 3 and names == ["not-a-knot", "not-a-knot"]:
        return _parabola_slopes(h, secants)
    if n == 3 and names[0] == "periodic":
        mean = (secants / h).sum(axis=0) / (1.0 / h).sum(axis=0)
        return numpy.broadcast_to(mean, y.shape)
    d = h.reshape(-1)
    bands = gpunp.zeros((3, n), F8, device=y.device)
    b = gpunp.empty(y.shape, y.dtype, device=y.device)
    bands[1, 1:-1] = 2 * (d[:-1] + d[1:])
    bands[0, 2:] = d[:-1]
    bands[2, :-2] = d[1:]
    b[1:-1] = 3 * (h[1:] * secants[:-1] + h[:-1] * secants[1:])
    if names[0] == "periodic":
        return _periodic_slopes(d, h, secants, bands, b)
    _set_end(bands, b, d, h, secants, y, bc[0], 1)
    _set_end(bands, b, d, h, secants, y, bc[1], -1)
    return solve_tridiagonal(bands, b)


def _parabola_slopes(h, secants):
    """Slopes of the parabola through three points."""
    bend = (secants[1] - secants[0]) / (h[0] + h[1])
    start = secants[0] - bend * h[0]
    return numpy.stack((start, secants[0] + bend * h[0], secants[1] + bend * h[1]))


def _set_end(bands, b, d, h, secants, y, bc, direction):
    """Set the first equation, or with direction -1 the last one, by an end condition."""
    end, side = (0, 0) if direction == 1 else (-1, 2)
    beside = end + direction
    first, second = (0, 1) if direction == 1 else (-1, -2)
    if isinstance(bc, str):
        # The third derivative is the same in the two outermost pieces.
        width, wide = d[first] + d[second], h[first] + h[second]
        bands[1, end], bands[side, beside] = d[second], width
        b[end] = ((h[first] + 2 * wide) * h[second] * secants[first] + h[first] ** 2 * secants[second]) / wide
    elif bc[0] == 1:
        bands[1, end], bands[side, beside] = 1, 0
        b[end] = bc[1]
    else:
        bands[1, end], bands[side, beside] = 2 * d[first], d[first]
        b[end] = 3 * secants[first] * h[first] - direction * 0.5 * bc[1] * h[first] ** 2


def _periodic_slopes(d, h, secants, bands, b):
    """Slopes of the periodic spline: the cyclic system by a system without its last unknown."""
    bands, b = bands[:, :-1], b[:-1]
    bands[1, 0], bands[0, 1] = 2 * (d[-1] + d[0]), d[-1]
    b[0] = 3 * (h[0] * secants[-1] + h[-1] * secants[0])
    b[-1] = 3 * (h[-1] * secants[-2] + h[-2] * secants[-1])
    n = b.shape[0] - 1
    corner = numpy.zeros_like(b[:-1])
    corner[0] = -d[0]
    corner[-1] = -d[-3]
    both = solve_tridiagonal(bands[:, :-1], numpy.stack((b[:-1], corner), axis=1))
    s1, s2 = both[:, 0], both[:, 1]
    last = (b[-1] - d[-2] * s1[0] - d[-1] * s1[-1]) / (2 * (d[-1] + d[-2]) + d[-2] * s2[0] + d[-1] * s2[-1])
    slopes = numpy.empty((n + 2, *b.shape[1:]), b.dtype, like=b)
    slopes[:-2] = s1 + last * s2
    slopes[-2] = last
    slopes[-1] = slopes[0]
    return slopes
