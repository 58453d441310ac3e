"""Spectra of signals: SciPy's code, with all segments in one transform, and means by groups of segments."""

import inspect
import math
import warnings

import numpy
import scipy.signal
from scipy.signal import ShortTimeFFT

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import on_one_device
from gpunp_scipy.rebinding import Rebound, public
from gpunp_scipy.signal import short_time, transforms
from gpunp_scipy.signal.detrending import detrend
from gpunp_scipy.signal.padded_filters import EXTENSIONS

# Samples of segments that are transformed together.
_TOGETHER = 1 << 24


class _Spectra(ShortTimeFFT):
    """SciPy's class with transforms on the device."""

    @property
    def f(self):
        """The frequencies."""
        return gpunp.asarray(super().f)

    spectrogram = short_time.spectrogram


class _MeanSpectra(_Spectra):
    """Its spectrograms are means over all segments, of which there is then one."""

    def spectrogram(self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, axis=-1):
        """The mean of the spectrogram."""
        signals = [x] if y is None or y is x else on_one_device(x, y)
        rows = []
        for signal in signals:
            row, p0, p1 = short_time.checked(self, signal, detr, p0, p1, axis)
            rows.append(short_time.padded(self, row, p0, p1, k_offset, "zeros"))
        precision = numpy.result_type(*rows, numpy.float32)
        window = numpy.conjugate(self.win)
        if precision.char in "fF":
            window = window.astype("F" if window.dtype.kind == "c" else "f")
        window = gpunp.asarray(window, device=rows[0].device)
        total = self._total(rows, detr, window, p1 - p0) / (p1 - p0)
        total = total[..., numpy.newaxis]
        return numpy.moveaxis(total, -2, axis if axis >= 0 else axis - 1) if x.ndim > 1 else total

    def _total(self, rows, detr, window, count):
        """The sum of the products of the spectra of all segments."""
        lanes = max(math.prod(row.shape[:-1]) for row in rows)
        step = max(_TOGETHER // (lanes * self.mfft), 1)
        total = 0
        for first in range(0, count, step):
            number = min(step, count - first)
            parts = (row[..., first * self.hop :] for row in rows)
            found = [short_time.spectra(self, part, number, detr, window) for part in parts]
            if len(found) == 1:
                total = total + numpy.linalg.norm(found[0], axis=-2) ** 2
            else:
                total = total + numpy.sum(found[0] * numpy.conjugate(found[1]), axis=-2)
        return total


class _Signaltools:
    """``scipy.signal._signaltools`` as the code uses it."""

    detrend = staticmethod(detrend)


_REPLACED = {
    "sp_fft": transforms,
    "_signaltools": _Signaltools,
    **{name: EXTENSIONS[name] for name in ("const_ext", "even_ext", "odd_ext", "zero_ext")},
}
_CODE = Rebound("scipy.signal._spectral_py", {**_REPLACED, "ShortTimeFFT": _Spectra})
_MEANS = Rebound("scipy.signal._spectral_py", {**_REPLACED, "ShortTimeFFT": _MeanSpectra})


def _by_average(name):
    """SciPy's function by its code for means over segments, or for other averages."""
    place = list(inspect.signature(getattr(scipy.signal, name)).parameters).index("average")

    def call(*args, **kwargs):
        average = args[place] if len(args) > place else kwargs.get("average", "mean")
        return (_MEANS if average == "mean" else _CODE)[name](*args, **kwargs)

    return call


def _public(name, code=None):
    return public(code or _MEANS[name], getattr(scipy.signal, name), __name__, host=("window",))


csd = _public("csd", _by_average("csd"))
welch = _public("welch", _by_average("welch"))
periodogram = _public("periodogram")
coherence = _public("coherence")
spectrogram = _public("spectrogram")
stft = _public("stft")


def istft(
    Zxx,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    time_axis=-1,
    freq_axis=-2,
    scaling="spectrum",
):
    """Inverse short-time Fourier transform; see `scipy.signal.istft`."""
    Zxx = gpunp.asarray(Zxx)
    Zxx = Zxx.astype(numpy.result_type(Zxx, numpy.complex64), copy=False)
    time_axis, freq_axis = int(time_axis), int(freq_axis)
    if Zxx.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    if freq_axis == time_axis:
        raise ValueError("Must specify differing time and frequency axes!")
    nperseg, nfft, noverlap = _lengths(Zxx.shape[freq_axis], nperseg, noverlap, nfft, input_onesided)
    if isinstance(window, str | tuple):
        window = scipy.signal.get_window(window, nperseg)
    window = fetched(window)
    if window.ndim != 1:
        raise ValueError("window must be 1-D")
    if len(window) != nperseg:
        raise ValueError(f"window must have length of {nperseg}")
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    time_axis, freq_axis = time_axis % Zxx.ndim, freq_axis % Zxx.ndim
    rows = numpy.moveaxis(Zxx, (freq_axis, time_axis), (-1, -2))
    inverse = transforms.irfft if input_onesided else transforms.ifft
    parts = inverse(rows, n=nfft)[..., :nperseg]
    if numpy.result_type(window, parts) != parts.dtype:
        window = window.astype(parts.dtype)
    hop, count = nperseg - noverlap, parts.shape[-2]
    factor = window.sum() if scaling == "spectrum" else numpy.sqrt(fs * sum(window**2))
    x = short_time.overlap_add(parts * gpunp.asarray(window * factor, device=Zxx.device), hop)
    squares = gpunp.asarray(window**2, device=Zxx.device)
    norm = short_time.overlap_add(numpy.broadcast_to(squares, (count, nperseg)), hop)
    if not _covers(window, hop, count, trimmed=boundary):
        warnings.warn(
            "NOLA condition failed, STFT may not be invertible."
            + ("" if boundary else " Possibly due to missing boundary"),
            stacklevel=2,
        )
    if boundary:
        x, norm = (each[..., nperseg // 2 : -(nperseg // 2)] for each in (x, norm))
    x = x / numpy.where(norm > 1e-10, norm, 1.0).astype(norm.dtype)
    if input_onesided:
        x = x.real
    if x.ndim > 1 and time_axis != Zxx.ndim - 1:
        x = numpy.moveaxis(x, -1, time_axis - (freq_axis < time_axis))
    return gpunp.arange(x.shape[0], device=Zxx.device) / float(fs), x


def _covers(window, hop, count, *, trimmed):
    """Whether each sample has weight: squares of the windows over it, whose sum is not tiny.

    The sums repeat in the middle, so that segments up to there are enough, and need no copy from the device.
    """
    length = len(window)
    count = min(count, 2 * -(-length // hop) + 1)
    norm = numpy.zeros((count - 1) * hop + length, window.dtype)
    for first in range(0, count * hop, hop):
        norm[first : first + length] += window**2
    if trimmed:
        norm = norm[length // 2 : -(length // 2)]
    return bool((norm > 1e-10).all())


def _lengths(frequencies, nperseg, noverlap, nfft, onesided):
    """The length of segments, of transforms, and of overlaps."""
    default = 2 * (frequencies - 1) if onesided else frequencies
    nperseg = default if nperseg is None else int(nperseg)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if nfft is None:
        nfft = nperseg if onesided and nperseg == default + 1 else default
    elif nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return nperseg, int(nfft), noverlap


def _lombscargle(x, y, freqs, *by_position, **options):
    """By groups of frequencies: the code needs arrays of the size of all times by frequencies."""
    if by_position:
        names = list(inspect.signature(scipy.signal.lombscargle).parameters)[3:]
        given = dict(zip(names, by_position, strict=False))
        message = f"lombscargle: {', '.join(given)} given by position; use keyword arguments"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        options |= given
    x, y, freqs = on_one_device(x, y, freqs)
    step = max(_TOGETHER // max(x.size, 1), 1)
    code = _CODE["lombscargle"]
    if freqs.ndim != 1 or freqs.size <= step:
        return code(x, y, freqs, **options)
    groups = (freqs[first : first + step] for first in range(0, freqs.size, step))
    return numpy.concatenate([numpy.atleast_1d(code(x, y, group, **options)) for group in groups])


lombscargle = public(_lombscargle, scipy.signal.lombscargle, __name__)
