"""Frequency shifts, polyphase channelizers and third-order Volterra filters."""

import math
import operator

import numpy

from gpunp.array.convert import asarray
from gpunp.creation.ranges import arange

# A Volterra filter computes its products in parts of at most this many elements.
_AT_ONCE = 1 << 24
_MODES = ("valid", "same", "full")


def signal_of(x, call, *, ndim, name="x"):
    """A real or complex floating-point device array of ``ndim`` dimensions, or a ValueError."""
    x = asarray(x)
    if x.ndim != ndim:
        dimensions = f"{ndim} dimension{'s' if ndim > 1 else ''}"
        raise ValueError(f"{call}: {name} must have {dimensions}, it has the shape {x.shape}")
    return x if x.dtype.kind in "fc" else x.astype(numpy.float64)


def freq_shift(x, freq, fs):
    """Shift the spectrum of a signal so that a frequency moves to zero.

    Parameters
    ----------
    x : array_like
        The signal, with time along the last axis.
    freq : float
        The frequency that moves to 0, in the unit of ``fs``; a negative one shifts the spectrum up.
    fs : float
        The sampling rate, such as in Hz.

    Returns
    -------
    ndarray of complex128
        Of the shape of ``x``: sample ``n`` times ``exp(-2j * pi * freq / fs * n)``.

    Raises
    ------
    ValueError
        If ``x`` is a scalar.
    """
    x = asarray(x)
    if not x.ndim:
        raise ValueError("freq_shift: x must have at least 1 dimension, it is a scalar")
    turns = arange(x.shape[-1], dtype=numpy.float64, device=x.device) * (freq / fs)
    # Whole turns are left out before the rounding of the product matters.
    return x * numpy.exp(-2j * math.pi * (turns - numpy.rint(turns)))


def channelize_poly(x, h, n_chans):
    """Split a signal into channels of equal bandwidth, by a polyphase filter bank.

    Parameters
    ----------
    x : array_like
        The signal, of one dimension.
    h : array_like
        The taps of the prototype low-pass filter. Each phase has ``len(h) // n_chans`` of them; the rest are
        ignored.
    n_chans : int
        The number of channels, which is also the decimation factor.

    Returns
    -------
    ndarray
        Of the shape ``(n_chans, len(x) // n_chans)``, complex. Row ``k`` is the signal filtered by
        ``h[n] * exp(2j * pi * k * n / n_chans)``, at the last sample of every ``n_chans``.

    Raises
    ------
    ValueError
        If ``x`` or ``h`` is not one-dimensional, ``n_chans`` is less than 1, or there are fewer taps than
        channels.
    """
    channels = operator.index(n_chans)
    if channels < 1:
        raise ValueError(f"channelize_poly: n_chans must be at least 1, it is {channels}")
    x = signal_of(x, "channelize_poly", ndim=1)
    with x.device:
        h = signal_of(h, "channelize_poly", ndim=1, name="h")
        taps = h.shape[0] // channels
        if not taps:
            raise ValueError(
                f"channelize_poly: h has {h.shape[0]} taps, and {channels} channels need one each"
            )
        count = x.shape[0] // channels
        dtype = numpy.result_type(x, h)
        h = h[: taps * channels].reshape(taps, channels)
        # A row of phases for each result, the latest sample first, after rows of zeros.
        rows = numpy.zeros_like(x, shape=(taps - 1 + count, channels), dtype=dtype)
        rows[taps - 1 :] = x[: count * channels].reshape(count, channels)[:, ::-1]
        phases = numpy.zeros_like(rows, shape=(count, channels))
        for tap in range(taps):
            start = taps - 1 - tap
            phases += rows[start : start + count] * h[tap]
        return numpy.fft.ifft(phases, axis=1, norm="forward").T


def convolve1d3o(in1, in2, mode="valid", method="direct"):
    """Filter a signal by a third-order Volterra kernel.

    Parameters
    ----------
    in1 : array_like
        The signal ``x``, of one dimension.
    in2 : array_like
        The kernel ``k``, of three dimensions.
    mode : {"valid", "same", "full"}, default "valid"
        Which results to return: those for which ``x`` has all samples, the middle ones (as many as ``x`` has
        samples), or all of them. Samples outside ``x`` are 0.
    method : {"direct"}, default "direct"
        The only method.

    Returns
    -------
    ndarray
        The sums over ``a``, ``b`` and ``c`` of ``k[a, b, c] * x[n - a] * x[n - b] * x[n - c]``. If the
        kernel's dimensions differ, the earliest sample of a sum is the same along all of them.

    Raises
    ------
    ValueError
        If a shape does not fit, or the mode or method is unknown.
    """
    if mode not in _MODES:
        raise ValueError(f"convolve1d3o: mode must be 'valid', 'same' or 'full', not {mode!r}")
    if method != "direct":
        raise ValueError(f"convolve1d3o: method must be 'direct', not {method!r}")
    x = signal_of(in1, "convolve1d3o", ndim=1, name="in1")
    with x.device:
        kernel = signal_of(in2, "convolve1d3o", ndim=3, name="in2")
        if not kernel.size:
            raise ValueError(f"convolve1d3o: in2 has no elements, its shape is {kernel.shape}")
        longest = max(kernel.shape)
        if mode == "valid" and x.shape[0] < longest:
            raise ValueError(f"convolve1d3o: in1 has {x.shape[0]} samples, fewer than the {longest} of in2")
        dtype = numpy.result_type(x, kernel)
        padding = 0 if mode == "valid" else longest - 1
        padded = numpy.zeros_like(x, shape=(x.shape[0] + 2 * padding,), dtype=dtype)
        padded[padding : padding + x.shape[0]] = x
        count = padded.shape[0] - longest + 1
        first = (longest - 1) // 2 if mode == "same" else 0
        count = x.shape[0] if mode == "same" else count
        windows = [_windows(padded, length)[first : first + count] for length in kernel.shape]
        return _products(windows, kernel.astype(dtype, copy=False))


def _windows(x, length):
    """Windows of ``length`` samples as rows, each with its latest sample first."""
    return numpy.lib.stride_tricks.sliding_window_view(x, length)[:, ::-1]


def _products(windows, kernel):
    """For each row of the windows, the sum of the kernel times a window along each dimension."""
    rows, columns, layers = kernel.shape
    matrix = kernel.reshape(rows * columns, layers).T
    count = windows[0].shape[0]
    result = numpy.zeros_like(kernel, shape=(count,))
    step = max(_AT_ONCE // (rows * columns), 1)
    for first in range(0, count, step):
        outer, middle, inner = (window[first : first + step].copy() for window in windows)
        sums = (inner @ matrix).reshape(-1, rows, columns)
        sums = (sums @ middle[:, :, numpy.newaxis])[:, :, 0]
        result[first : first + step] = (sums * outer).sum(axis=1)
    return result
