"""Splines of equally spaced samples: coefficients by recursive filters in both directions, and values.

The recursions are those of `lfilter` and `sosfilt`. Their initial states are SciPy's: sums over as many
samples as the precision requires, with weights that are computed on the host.
"""

import math

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp_scipy.ndimage.arguments import MODES, empty, on_host
from gpunp_scipy.ndimage.sampling import sample
from gpunp_scipy.ndimage.splines import parts
from gpunp_scipy.signal.filtering import lfilter, sosfilt
from gpunp_scipy.signal.recursion_starts import backward_weights, forward_weights, powers

_CUBIC_POLE = -2 + math.sqrt(3.0)
_QUADRATIC_POLE = -3 + 2 * math.sqrt(2.0)


def _after(first, signal, b, pole, dtype):
    """The outputs y[k] = b x[k] + pole y[k - 1] along the last axis, after the output ``first``."""
    # Coefficients have the dtype of the caller's signal, as in SciPy; the state has that of the pole.
    b, a = numpy.array([b]).astype(dtype), numpy.array([1, -pole]).astype(dtype)
    return lfilter(b, a, signal, zi=first * pole)[0]


def _after_two(outputs, signal, a2, a3, dtype):
    """The outputs y[k] = (1 - a2 - a3) x[k] + a2 y[k - 1] + a3 y[k - 2] after two, which are two columns."""
    section = numpy.array([[1 - a2 - a3, 0, 0, 1, -a2, -a3]]).astype(dtype)
    a2, a3 = numpy.array([a2, a3]).astype(dtype).tolist()
    earlier, latest = outputs[:, :1], outputs[:, 1:]
    states = numpy.concatenate([latest * a2 + earlier * a3, latest * a3], axis=1)
    return sosfilt(section, signal, zi=states[None])[0]


def _lines(signal, name):
    """A signal in two dimensions and a dtype of `lfilter`, and the dtype of coefficients."""
    signal = asarray(signal)
    if signal.ndim not in (1, 2):
        raise ValueError(f"Input must be 1D or 2D: {name} got {signal.ndim} dimensions")
    dtype = signal.dtype if signal.dtype.kind in "fc" else numpy.dtype(numpy.float64)
    signal = signal.astype(numpy.promote_types(dtype, numpy.float32), copy=False)
    return signal if signal.ndim == 2 else signal[None], dtype


def _weighted(signal, weights):
    """The sums of the first elements of all lines by weights of the host, as a column."""
    weights = asarray(weights.astype(signal.dtype), device=signal.device)
    return (signal[:, : len(weights)] * weights).sum(axis=-1, keepdims=True)


def symiirorder1(signal, c0, z1, precision=-1.0):
    """Filter by a pole in both directions, with mirrored ends; see `scipy.signal.symiirorder1`."""
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    shape = numpy.shape(signal)
    signal, dtype = _lines(signal, "symiirorder1")
    first = signal[:, :1] + _weighted(signal, powers(z1, signal.shape[1], signal.dtype, precision))
    forward = numpy.concatenate([first, _after(first, signal[:, 1:], 1, z1, dtype)], axis=1)
    last = forward[:, -1:] * (-c0 / (z1 - 1.0))
    backward = _after(last, forward[:, -2::-1], c0, z1, dtype)
    return numpy.concatenate([backward[:, ::-1], last], axis=1).reshape(shape)


def symiirorder2(input, r, omega, precision=-1.0):
    """Filter by a pair of poles in both directions, with mirrored ends; see `scipy.signal.symiirorder2`."""
    if r >= 1.0:
        raise ValueError("r must be less than 1.0")
    signal, dtype = _lines(input, "symiirorder2")
    if signal.dtype.kind == "c":
        raise TypeError(f"symiirorder2 filters real signals, not {signal.dtype}; filter the parts apart")
    a2, a3 = 2 * r * math.cos(omega), -r * r
    length = signal.shape[1]
    own, sums = forward_weights(r, omega, length, signal.dtype, precision)
    second = signal[:, 1:2] * own[0] + signal[:, :1] * own[1]
    starts = [signal[:, :1] * own[0] + _weighted(signal, sums[0]), second + _weighted(signal, sums[1])]
    starts = numpy.concatenate(starts, axis=1)
    forward = numpy.concatenate([starts, _after_two(starts, signal[:, 2:], a2, a3, dtype)], axis=1)
    sums = backward_weights(r, omega, length, signal.dtype, precision)
    ends = numpy.concatenate([_weighted(signal[:, ::-1], each) for each in sums], axis=1)
    backward = _after_two(ends, forward[:, -3::-1], a2, a3, dtype)
    return numpy.concatenate([backward[:, ::-1], ends[:, ::-1]], axis=1).reshape(numpy.shape(input))


def _along_both_axes(function, signal, *args):
    out = function(signal, *args)
    if out.ndim == 1:
        return function(out, *args)
    return function(out.T, *args).T.copy()


def _precision(signal, precision):
    if 0.0 <= precision < 1.0:
        return precision
    return 1e-3 if signal.dtype.char in "fF" else 1e-6


def cspline2d(signal, lamb=0.0, precision=-1.0):
    """Compute the coefficients of a cubic spline of an image; see `scipy.signal.cspline2d`."""
    signal = asarray(signal)
    precision = _precision(signal, precision)
    if lamb <= 1 / 144.0:
        return _along_both_axes(symiirorder1, signal, -_CUBIC_POLE * 6.0, _CUBIC_POLE, precision)
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    omega = math.atan(math.sqrt((144 * lamb - 1.0) / xi))
    r = (
        (24 * lamb - 1 - math.sqrt(xi))
        / (24 * lamb)
        * math.sqrt(48 * lamb + 24 * lamb * root)
        / math.sqrt(xi)
    )
    return _along_both_axes(symiirorder2, signal, r, omega, precision)


def qspline2d(signal, lamb=0.0, precision=-1.0):
    """Compute the coefficients of a quadratic spline of an image; see `scipy.signal.qspline2d`."""
    signal = asarray(signal)
    if lamb > 0:
        raise ValueError(f"lambda must be negative or zero, not {lamb}")
    precision = _precision(signal, precision)
    return _along_both_axes(symiirorder1, signal, -_QUADRATIC_POLE * 8.0, _QUADRATIC_POLE, precision)


def _line(signal, name):
    """A signal of one dimension in float64 or complex128."""
    signal = asarray(signal)
    if signal.ndim != 1:
        raise ValueError(f"{name} takes signals of one dimension, not {signal.ndim}")
    if signal.size == 0:
        raise IndexError(f"{name} got a signal without samples")
    return signal.astype(numpy.complex128 if signal.dtype.kind == "c" else numpy.float64, copy=False)


def _coefficients(signal, pole, gain):
    """Of an interpolating spline whose filter has one pole; a single sample has no gain in SciPy."""
    length = signal.size
    # Further powers are 0 in double precision.
    terms = min(length, math.ceil(-750 / math.log(-pole)))
    rows = signal[None]
    first = rows[:, :1] + _weighted(rows, pole ** numpy.arange(1.0, terms + 1))
    forward = numpy.concatenate([first, _after(first, rows[:, 1:], 1, pole, signal.dtype)], axis=1)
    last = forward[:, -1:] * (pole / (pole - 1))
    if length == 1:
        return last[0]
    backward = _after(last, forward[:, -2::-1], -pole, pole, signal.dtype)
    return numpy.concatenate([backward[:, ::-1], last], axis=1)[0] * gain


def cspline1d(signal, lamb=0.0):
    """Compute the coefficients of a cubic spline; see `scipy.signal.cspline1d`."""
    signal = _line(signal, "cspline1d")
    if lamb == 0.0:
        return _coefficients(signal, _CUBIC_POLE, 6.0)
    if signal.size < 2:
        raise IndexError("cspline1d smooths signals of at least two samples")
    return _smoothed(signal, lamb)


def qspline1d(signal, lamb=0.0):
    """Compute the coefficients of a quadratic spline; see `scipy.signal.qspline1d`."""
    if lamb != 0.0:
        raise ValueError(f"Smoothing quadratic splines not supported yet: lamb is {lamb}, not 0")
    return _coefficients(_line(signal, "qspline1d"), _QUADRATIC_POLE, 8.0)


def _smoothed(signal, lamb):
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    omega = math.atan2(math.sqrt(144 * lamb - 1), math.sqrt(xi))
    rho = (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb) * math.sqrt((48 * lamb + 24 * lamb * root) / xi)
    a2, a3 = 2 * rho * math.cos(omega), -rho * rho
    cs = 1 - a2 - a3
    if not 0 < abs(rho) < 1:
        raise ValueError(
            f"cspline1d cannot smooth with lamb={lamb}: its filter is not stable; use 0 or at least 0.05"
        )
    # Further weights are below rounding.
    k = numpy.arange(min(signal.size, math.ceil(-50 / math.log(abs(rho)))) + 2)
    impulse = cs / math.sin(omega) * rho**k * numpy.sin(omega * (k + 1))
    scale = cs * cs * (1 + rho**2) / (1 - rho**2) / (1 - 2 * rho**2 * math.cos(2 * omega) + rho**4)
    ratio = (1 - rho**2) / (1 + rho**2) / math.tan(omega)
    symmetric = scale * rho**k * (numpy.cos(omega * k) + ratio * numpy.sin(omega * k))

    rows = signal[None]
    start = rows[:, :1] * impulse[0] + _weighted(rows, impulse[1:-1])
    second = rows[:, :1] * impulse[0] + rows[:, 1:2] * impulse[1] + _weighted(rows, impulse[2:])
    starts = numpy.concatenate([start, second], axis=1)
    forward = numpy.concatenate([starts, _after_two(starts, rows[:, 2:], a2, a3, numpy.float64)], axis=1)
    back = rows[:, ::-1]
    last = _weighted(back, (symmetric[:-1] + symmetric[1:])[:-1])
    before = _weighted(back, numpy.concatenate([symmetric[1:2], symmetric[:-3]]) + symmetric[2:])
    ends = numpy.concatenate([last, before], axis=1)
    backward = _after_two(ends, forward[:, -3::-1], a2, a3, numpy.float64)
    return numpy.concatenate([backward[:, ::-1], ends[:, ::-1]], axis=1)[0]


def _mirrored(points, period):
    points = abs(points)
    if period <= 0:
        return points * 0
    points = points % period
    return numpy.minimum(points, period - points)


def _evaluated(cj, newx, dx, x0, order, dtype=None):
    """A spline at points, mirrored beyond the ends; its coefficients continue with the outermost."""
    points = (asarray(newx, device=cj.device) - x0) / dx
    if points.dtype.kind == "c":
        raise TypeError("a spline is evaluated at real points, not complex ones")
    if dtype is None:
        dtype = points.dtype
    if cj.size == 0 and points.size:
        raise ValueError("Spline coefficients 'cj' must not be empty.")
    if cj.ndim != 1:
        raise ValueError(f"Spline coefficients 'cj' must have one dimension, not {cj.ndim}")
    points = _mirrored(points, 2 * (cj.size - 1))
    out = empty(points.shape, numpy.result_type(dtype, numpy.float32), cj)
    if points.size:
        flat = points.astype(numpy.float64).reshape(1, -1)
        for component, part in parts(cj):
            part = part.astype(numpy.float64, order="C")
            sample(
                part,
                out.reshape(-1),
                order,
                MODES["mirror"],
                MODES["nearest"],
                math.nan,
                0,
                component=component,
                coordinates=flat,
            )
    return out.astype(dtype, copy=False)


def cspline1d_eval(cj, newx, dx=1.0, x0=0):
    """Evaluate a cubic spline; see `scipy.signal.cspline1d_eval`."""
    cj = asarray(cj, device=device_of(cj, newx))
    if cj.size == 0:
        raise ValueError("Spline coefficients 'cj' must not be empty.")
    if cj.dtype.kind not in "fc":
        raise TypeError(f"cspline1d_eval's values have the dtype of cj, {cj.dtype}: use a float dtype")
    return _evaluated(cj, newx, float(dx), x0, 3, cj.dtype)


def qspline1d_eval(cj, newx, dx=1.0, x0=0):
    """Evaluate a quadratic spline; see `scipy.signal.qspline1d_eval`."""
    cj = asarray(cj, device=device_of(cj, newx))
    if cj.dtype.kind == "c":
        raise TypeError(f"qspline1d_eval's values are real: evaluate the parts of {cj.dtype} apart")
    return _evaluated(cj, newx, dx, x0, 2)


def gauss_spline(x, n):
    """Approximate a B-spline of order n by a Gaussian; see `scipy.signal.gauss_spline`."""
    variance = (n + 1) / 12.0
    return 1 / math.sqrt(2 * math.pi * variance) * numpy.exp(-(asarray(x) ** 2) / 2 / variance)


def spline_filter(Iin, lmbda=5.0):
    """Smooth an image by a cubic spline; see `scipy.signal.spline_filter`.

    Like SciPy, complex images are computed in single precision.
    """
    image = asarray(Iin)
    dtype = image.dtype
    if dtype.char not in "fdFD":
        raise TypeError(f"Invalid data type for Iin: {dtype}; use a float or complex dtype")
    if dtype.char == "D":
        image = image.astype(numpy.complex64)
    third = numpy.array([1.0, 4.0, 1.0], numpy.float32) / numpy.float32(6.0)
    return sepfir2d(cspline2d(image, lmbda), third, third).astype(dtype, copy=False)


def sepfir2d(input, hrow, hcol):
    """Convolve an image with filters for its rows and columns; see `scipy.signal.sepfir2d`.

    Filters may be longer than the image, which SciPy does not allow for.
    """
    image = asarray(input)
    dtype = numpy.promote_types(image.dtype, numpy.float32)
    if image.ndim != 2:
        depth = "too deep" if image.ndim > 2 else "of too small depth"
        raise ValueError(
            f"object {depth} for desired array: sepfir2d takes images, not {image.ndim} dimensions"
        )
    image = image.astype(dtype, copy=False)
    taps = [on_host(each) for each in (hrow, hcol)]
    for each in taps:
        if numpy.ndim(each) != 1:
            depth = "too deep" if numpy.ndim(each) > 1 else "of too small depth"
            raise ValueError(f"object {depth} for desired array: hrow and hcol have one dimension")
    # Numbers of Python have the dtype of the image; arrays are not rounded to it.
    hrow, hcol = (
        each.astype(dtype, casting="safe") if isinstance(each, numpy.ndarray) else numpy.asarray(each, dtype)
        for each in taps
    )
    for each in (hrow, hcol):
        if len(each) % 2 != 1:
            raise ValueError(f"hrow and hcol must be odd length, not {len(each)}")
    return _convolved_rows(_convolved_rows(image, hrow).T, hcol).T.copy()


def _convolved_rows(image, taps):
    if image.size == 0:
        return image
    half, width = len(taps) // 2, image.shape[1]
    extended = numpy.pad(image, ((0, 0), (half, half)), mode="symmetric")
    out = extended[:, 2 * half : 2 * half + width] * taps[0]
    for k, tap in enumerate(taps[1:], 1):
        first = 2 * half - k
        out += extended[:, first : first + width] * tap
    return out
