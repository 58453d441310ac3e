"""Pulses of a radar: matched filters, velocities and detection among noise."""

import operator

import numpy

from gpunp.array.convert import asarray
from gpunp.signal.filters import signal_of


def pulse_compression(x, template, normalize=False, window=None, nfft=None):
    """Filter received pulses by what was sent.

    Parameters
    ----------
    x : array_like
        Received samples, of the shape (pulses, samples of a pulse).
    template : array_like
        The pulse that was sent, of one dimension.
    normalize : bool, default False
        Whether the template is divided by its norm, after the window.
    window : str, float, tuple, callable or array_like, optional
        Weights of the template: what `scipy.signal.get_window` takes, a function of
        ``numpy.fft.fftfreq(len(template))``, or the weights themselves.
    nfft : int, optional
        The length of the Fourier transforms; by default the number of samples of a pulse.

    Returns
    -------
    ndarray
        Of the shape (pulses, nfft): circular correlations with the template, real if all arguments are.

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
            template = template * _weights("pulse_compression", window, template)
        if normalize:
            template = template / numpy.linalg.norm(template)
        if x.dtype.kind == template.dtype.kind == "f":
            spectrum = numpy.conjugate(numpy.fft.rfft(template, length))
            return numpy.fft.irfft(numpy.fft.rfft(x, length) * spectrum, length)
        spectrum = numpy.conjugate(numpy.fft.fft(template, length))
        return numpy.fft.ifft(numpy.fft.fft(x, length) * spectrum, length)


def pulse_doppler(x, window=None, nfft=None):
    """Transform the samples of each range over the pulses: targets by range and velocity.

    Parameters
    ----------
    x : array_like
        Received samples, of the shape (pulses, samples of a pulse).
    window : str, float, tuple, callable or array_like, optional
        Weights of the pulses, as for `pulse_compression`.
    nfft : int, optional
        The length of the Fourier transforms; by default the number of pulses.

    Returns
    -------
    ndarray
        Of the shape (nfft, samples of a pulse), complex.

    Raises
    ------
    ValueError
        If a shape does not fit.
    """
    x = signal_of(x, "pulse_doppler", ndim=2)
    length = _length("pulse_doppler", nfft, x.shape[0])
    with x.device:
        if window is not None:
            x = x * _weights("pulse_doppler", window, x[:, 0])[:, numpy.newaxis]
        return numpy.fft.fft(x, length, axis=0)


def _length(call, nfft, default):
    length = default if nfft is None else operator.index(nfft)
    if length < 1:
        raise ValueError(f"{call}: nfft must be at least 1, it is {length}")
    return length


def _weights(call, window, values):
    """The weights of a window for an array of one dimension, in its precision."""
    count = values.shape[0]
    if callable(window):
        window = window(asarray(numpy.fft.fftfreq(count)))
    elif isinstance(window, (str, float, int, tuple)):
        from scipy.signal import get_window

        window = get_window(window, count, fftbins=False)
    window = asarray(window)
    if window.shape != (count,):
        raise ValueError(f"{call}: the window must have the shape {(count,)}, it has {window.shape}")
    precision = values.real.dtype
    return window.astype(numpy.result_type(precision, 1j) if window.dtype.kind == "c" else precision)


def cfar_alpha(pfa, N):
    """The factor between the mean of reference cells and the threshold of `ca_cfar`.

    Parameters
    ----------
    pfa : float
        The probability of a false alarm, above 0.
    N : int
        The number of reference cells.

    Returns
    -------
    float
        ``N * (pfa ** (-1 / N) - 1)``
    """
    return N * (pfa ** (-1.0 / N) - 1)


def ca_cfar(array, guard_cells, reference_cells, pfa=1e-3):
    """Detect what stands out of the mean of the cells around it, at a constant rate of false alarms.

    Parameters
    ----------
    array : array_like
        Powers, of one or two dimensions.
    guard_cells : int or (int, int)
        Cells on each side of a cell that are left out; one number for each dimension.
    reference_cells : int or (int, int)
        Cells beyond these on each side whose mean is taken.
    pfa : float, default 1e-3
        The probability of a false alarm where there is exponential noise only.

    Returns
    -------
    threshold : ndarray
        What a cell must exceed; 0 where the cells around it are not all in the array.
    detections : ndarray of bool
        Where the array is above its threshold, as positive cells at the edges are.

    Raises
    ------
    ValueError
        If the array is too small, or there are no reference cells.
    """
    array = asarray(array)
    if array.ndim not in (1, 2):
        raise ValueError(f"ca_cfar: array must have 1 or 2 dimensions, its shape is {array.shape}")
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
    """Numbers of cells, one for each dimension."""
    numbers = tuple(given) if numpy.iterable(given) else (given,) * ndim
    numbers = tuple(operator.index(number) for number in numbers)
    if len(numbers) != ndim or min(numbers) < least:
        raise ValueError(f"ca_cfar: {name} must be {ndim} numbers from {least} on, not {given!r}")
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
