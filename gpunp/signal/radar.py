"""Pulse radar: matched filters, range-Doppler maps and CFAR detection."""

import operator

import numpy

from gpunp.array.convert import asarray
from gpunp.signal.filters import signal_of


def pulse_compression(x, template, normalize=False, window=None, nfft=None):
    """Compress received pulses by a matched filter.

    Parameters
    ----------
    x : array_like
        Received samples, of shape (pulses, samples).
    template : array_like
        The transmitted pulse, of one dimension.
    normalize : bool, default False
        Whether to divide the windowed template by its norm.
    window : str, float, tuple, callable or array_like, optional
        The window of the template: what `scipy.signal.get_window` takes, a function of
        ``numpy.fft.fftfreq(len(template))``, or its values.
    nfft : int, optional
        The length of the Fourier transforms; by default ``x.shape[1]``.

    Returns
    -------
    ndarray
        Of shape (pulses, nfft): circular cross-correlations with the template; real if all arguments are.

    Raises
    ------
    ValueError
        If a shape does not fit.
    """
    x = signal_of(x, "pulse_compression", ndim=2)
    length = _length("pulse_compression", nfft, x.shape[1])
    with x.device:
        template = signal_of(template, "pulse_compression", ndim=1, name="template")
        if window is not None:
            template = template * _weights("pulse_compression", window, *template.shape, template.real.dtype)
        if normalize:
            template = template / numpy.linalg.norm(template)
        if x.dtype.kind == template.dtype.kind == "f":
            spectrum = numpy.conjugate(numpy.fft.rfft(template, length))
            return numpy.fft.irfft(numpy.fft.rfft(x, length) * spectrum, length)
        spectrum = numpy.conjugate(numpy.fft.fft(template, length))
        return numpy.fft.ifft(numpy.fft.fft(x, length) * spectrum, length)


def pulse_doppler(x, window=None, nfft=None):
    """Compute the range-Doppler map of pulses: Fourier transforms along the pulses, one for each range bin.

    Parameters
    ----------
    x : array_like
        Received samples, of shape (pulses, samples); usually compressed, see `pulse_compression`.
    window : str, float, tuple, callable or array_like, optional
        The window along the pulses, as for `pulse_compression`.
    nfft : int, optional
        The length of the Fourier transforms; by default ``x.shape[0]``.

    Returns
    -------
    ndarray
        Complex, of shape (nfft, samples). Row ``k`` has the Doppler frequency
        ``k / nfft`` times the pulse repetition frequency.

    Raises
    ------
    ValueError
        If a shape does not fit.
    """
    x = signal_of(x, "pulse_doppler", ndim=2)
    length = _length("pulse_doppler", nfft, x.shape[0])
    with x.device:
        if window is not None:
            x = x * _weights("pulse_doppler", window, x.shape[0], x.real.dtype)[:, numpy.newaxis]
        return numpy.fft.fft(x, length, axis=0)


def _length(call, nfft, default):
    length = default if nfft is None else operator.index(nfft)
    if length < 1:
        raise ValueError(f"{call}: nfft must be at least 1, it is {length}")
    return length


def _weights(call, window, count, precision):
    """The ``count`` values of a window, in a precision."""
    if callable(window):
        window = window(asarray(numpy.fft.fftfreq(count)))
    elif isinstance(window, (str, float, int, tuple)):
        from scipy.signal import get_window

        window = get_window(window, count, fftbins=False)
    window = asarray(window)
    if window.shape != (count,):
        raise ValueError(f"{call}: the window must have the shape {(count,)}, it has {window.shape}")
    return window.astype(numpy.result_type(precision, 1j) if window.dtype.kind == "c" else precision)


def cfar_alpha(pfa, N):
    """The factor from the mean of the reference cells to the threshold of `ca_cfar`.

    Parameters
    ----------
    pfa : float
        The probability of a false alarm, above 0 and at most 1.
    N : int
        The number of reference cells.

    Returns
    -------
    float
        ``N * (pfa ** (-1 / N) - 1)``

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    if not 0 < pfa <= 1:
        raise ValueError(f"cfar_alpha: pfa is a probability above 0 and at most 1, not {pfa}")
    if N < 1:
        raise ValueError(f"cfar_alpha: N, the number of reference cells, must be at least 1, not {N}")
    return N * (pfa ** (-1.0 / N) - 1)


def ca_cfar(array, guard_cells, reference_cells, pfa=1e-3):
    """Detect targets by cell averaging, at a constant false alarm rate (CA-CFAR).

    Parameters
    ----------
    array : array_like
        Powers, real, of one or two dimensions.
    guard_cells : int or (int, int)
        The number of cells on each side of the tested cell that are left out; one number for each dimension.
    reference_cells : int or (int, int)
        The number of cells beyond the guard cells on each side that are averaged.
    pfa : float, default 1e-3
        The probability of a false alarm in exponentially distributed noise.

    Returns
    -------
    threshold : ndarray
        Floating-point, of the shape of ``array``; 0 near the edges, where reference cells are missing.
    detections : ndarray of bool
        ``array > threshold``; near the edges that holds for all positive cells.

    Raises
    ------
    ValueError
        If the array is complex or too small, there are no reference cells, or ``pfa`` is out of range.
    """
    array = asarray(array)
    if array.ndim not in (1, 2):
        raise ValueError(f"ca_cfar: array must have 1 or 2 dimensions, its shape is {array.shape}")
    if array.dtype.kind == "c":
        raise ValueError("ca_cfar: array must be real powers, not complex; pass abs(array) ** 2")
    guards = _cells("guard_cells", guard_cells, array.ndim, 0)
    wide = [
        a + b for a, b in zip(guards, _cells("reference_cells", reference_cells, array.ndim, 1), strict=True)
    ]
    if any(size <= 2 * cells for size, cells in zip(array.shape, wide, strict=True)):
        raise ValueError(
            f"ca_cfar: an array of the shape {array.shape} is too small for {tuple(wide)} cells on each side"
        )
    precision = array.dtype if array.dtype.kind == "f" else numpy.dtype(numpy.float64)
    # Differences of sums that run over the whole array need the longer format.
    sums = array.astype(numpy.float64)
    for axis in range(array.ndim):
        sums = numpy.cumsum(sums, axis=axis)
    sums = numpy.pad(sums, ((1, 0),) * array.ndim)
    count = _volume(wide) - _volume(guards)
    around = _boxes(sums, wide, wide) - _boxes(sums, guards, wide)
    inside = tuple(slice(cells, size - cells) for cells, size in zip(wide, array.shape, strict=True))
    threshold = numpy.zeros_like(array, dtype=precision)
    threshold[inside] = around * (cfar_alpha(pfa, count) / count)
    return threshold, array > threshold


def _cells(name, given, ndim, least):
    """The number of cells in each dimension."""
    numbers = tuple(given) if numpy.iterable(given) else (given,) * ndim
    numbers = tuple(operator.index(number) for number in numbers)
    if len(numbers) != ndim or min(numbers) < least:
        wanted = "an integer" if ndim == 1 else f"an integer or {ndim} integers"
        raise ValueError(f"ca_cfar: {name} must be {wanted}, at least {least}, not {given!r}")
    return numbers


def _volume(cells):
    count = 1
    for number in cells:
        count *= 2 * number + 1
    return count


def _boxes(sums, cells, margin):
    """Sums over boxes around the cells that are ``margin`` away from the edges, from running sums."""
    for axis, (number, edge) in enumerate(zip(cells, margin, strict=True)):
        count = sums.shape[axis] - 1 - 2 * edge
        low, high = edge - number, edge + number + 1
        before = (slice(None),) * axis
        sums = sums[(*before, slice(high, high + count))] - sums[(*before, slice(low, low + count))]
    return sums
