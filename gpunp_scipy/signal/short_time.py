"""Short-time Fourier transforms: all segments of a signal in one transform, instead of one after another.

`stft`, `stft_detrend`, `spectrogram` and `istft` are methods of ``scipy.signal.ShortTimeFFT`` for device
arrays; windows stay on the host.
"""

import numpy

import gpunp
from gpunp_scipy.signal import segment_kernels, transforms
from gpunp_scipy.signal.detrending import detrend

_PADDINGS = {
    "zeros": {"mode": "constant"},
    "edge": {"mode": "edge"},
    "even": {"mode": "reflect", "reflect_type": "even"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}


def segments(x, length, hop, count):
    """A view of ``count`` segments of the last axis, of shape (..., count, length)."""
    windows = numpy.lib.stride_tricks.sliding_window_view(x, length, axis=-1)
    return windows[..., : (count - 1) * hop + 1 : hop, :]


def overlap_add(parts, hop):
    """The sum of segments of shape (..., count, length) that begin ``hop`` samples apart."""
    *outer, count, length = parts.shape
    pieces = -(-length // hop)
    if pieces * hop != length:
        widths = [(0, 0)] * (parts.ndim - 1) + [(0, pieces * hop - length)]
        parts = numpy.pad(parts, widths)
    parts = parts.reshape(*outer, count, pieces, hop)
    total = gpunp.zeros((*outer, count + pieces - 1, hop), parts.dtype, device=parts.device)
    for i in range(pieces):
        total[..., i : i + count, :] += parts[..., i, :]
    whole = total.reshape(*outer, (count + pieces - 1) * hop)
    return whole[..., : (count - 1) * hop + length]


def padded(self, x, p0, p1, k_offset, padding):
    """The part of a signal that slices ``p0`` to ``p1`` cover, padded where they exceed it."""
    if padding not in _PADDINGS:
        raise ValueError(f"Parameter padding={padding!r} not in {tuple(_PADDINGS)}!")
    first = p0 * self.hop - self.m_num_mid + k_offset
    last = first + (p1 - p0 - 1) * self.hop + self.m_num
    part = x[..., max(first, 0) : min(last, x.shape[-1])]
    widths = (-min(first, 0), max(last - x.shape[-1], 0))
    if widths == (0, 0):
        return part
    return numpy.pad(part, [(0, 0)] * (x.ndim - 1) + [widths], **_PADDINGS[padding])


def tapered(self, rows, count, detr, window):
    """The first ``count`` segments of rows, detrended, times the window, and of the length of a transform."""
    shift = 0 if self.phase_shift is None else (self.phase_shift + self.m_num_mid) % self.m_num
    dtype = numpy.result_type(rows, window)
    if detr not in (None, "constant"):
        parts = segments(rows, self.m_num, self.hop, count)
        parts = (detrend(parts, type=detr) if isinstance(detr, str) else detr(parts)) * window
        if parts.shape[-1] < self.mfft:
            widths = [(0, 0)] * (parts.ndim - 1) + [(0, self.mfft - parts.shape[-1])]
            parts = numpy.pad(parts, widths)
        return numpy.roll(parts, -shift, axis=-1) if shift else parts
    # The kernel reads floats of 32 and 64 bits, and complex numbers of them.
    if rows.dtype.kind != dtype.kind or rows.dtype.char == "e":
        rows = rows.astype(dtype)
    lines = rows.reshape(-1, rows.shape[-1])
    if lines.strides[-1] != lines.itemsize:
        lines = gpunp.ascontiguousarray(lines)
    window = window.astype(dtype if window.dtype.kind == "c" else dtype.char.lower(), copy=False)
    parts = segment_kernels.cut(lines, window, dtype, self.hop, count, self.mfft, shift, detr is not None)
    return parts.reshape(*rows.shape[:-1], count, self.mfft)


def spectra(self, rows, count, detr, window):
    """The Fourier transforms of segments of rows, of shape (..., count, frequencies)."""
    parts = tapered(self, rows, count, detr, window)
    if self.fft_mode in ("twosided", "centered"):
        result = transforms.fft(parts, n=self.mfft)
        return numpy.fft.fftshift(result, axes=-1) if self.fft_mode == "centered" else result
    result = transforms.rfft(parts, n=self.mfft)
    if self.fft_mode == "onesided2X":
        result[..., _doubled(self)] *= _factor(self)
    return result


def _doubled(self):
    return slice(1, -1 if self.mfft % 2 == 0 else None)


def _factor(self):
    return numpy.sqrt(2) if self.scaling == "psd" else 2


def checked(self, x, detr, p0, p1, axis):
    """The signal with its time axis last, and the range of slices."""
    if self.onesided_fft and x.dtype.kind == "c":
        raise ValueError(
            f"Complex-valued `x` not allowed for self.fft_mode={self.fft_mode!r}! Set property `fft_mode` "
            "to 'twosided' or 'centered'."
        )
    if not (detr is None or isinstance(detr, str) or callable(detr)):
        raise ValueError(f"Parameter detr={detr!r} is not a str, function or None!")
    length, least = x.shape[axis], self.m_num - self.m_num_mid
    if length < least:
        what = f"len(x)={length}" if x.ndim == 1 else f"x.shape[{axis}]={length}"
        raise ValueError(f"{what} must be >= ceil(m_num/2) = {least}!")
    return numpy.moveaxis(x, axis, -1), *self.p_range(length, p0, p1)


def stft_detrend(self, x, detr, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
    """Short-time Fourier transform of detrended segments; see `scipy.signal.ShortTimeFFT.stft_detrend`."""
    x = gpunp.asarray(x)
    rows, p0, p1 = checked(self, x, detr, p0, p1, axis)
    rows = padded(self, rows, p0, p1, k_offset, padding)
    window = gpunp.asarray(numpy.conjugate(self.win), device=x.device)
    result = spectra(self, rows, p1 - p0, detr, window).astype(numpy.complex128, copy=False)
    result = numpy.swapaxes(result, -2, -1)
    return numpy.moveaxis(result, -2, axis if axis >= 0 else axis - 1) if x.ndim > 1 else result


def stft(self, x, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
    """Short-time Fourier transform; see `scipy.signal.ShortTimeFFT.stft`."""
    return stft_detrend(self, x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)


def spectrogram(self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, padding="zeros", axis=-1):
    """Squared transform, or product of two; see `scipy.signal.ShortTimeFFT.spectrogram`."""
    options = {"k_offset": k_offset, "padding": padding, "axis": axis}
    own = stft_detrend(self, x, detr, p0, p1, **options)
    if y is None or y is x:
        return own.real**2 + own.imag**2
    return own * numpy.conjugate(stft_detrend(self, y, detr, p0, p1, **options))


def _signals(self, S):
    """The segments of spectra of shape (..., count, frequencies)."""
    if self.fft_mode in ("twosided", "centered"):
        if self.fft_mode == "centered":
            S = numpy.fft.ifftshift(S, axes=-1)
        x = transforms.ifft(S, n=self.mfft)
    else:
        if self.fft_mode == "onesided2X":
            S = S.copy()
            S[..., _doubled(self)] /= _factor(self)
        x = transforms.irfft(S, n=self.mfft)
    if self.phase_shift is not None:
        x = numpy.roll(x, (self.phase_shift + self.m_num_mid) % self.m_num, axis=-1)
    return x[..., : self.m_num]


def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1):
    """Inverse short-time Fourier transform; see `scipy.signal.ShortTimeFFT.istft`."""
    if f_axis == t_axis:
        raise ValueError(f"f_axis={f_axis!r} may not be equal to t_axis={t_axis!r}!")
    S = gpunp.asarray(S)
    if S.shape[f_axis] != self.f_pts:
        raise ValueError(f"S.shape[f_axis]={S.shape[f_axis]!r} must be equal to self.f_pts={self.f_pts!r}!")
    least = self.m_num - self.m_num_mid
    if S.shape[t_axis] < (needed := self.p_num(least)):
        raise ValueError(f"S.shape[t_axis]={S.shape[t_axis]!r} needs to have at least {needed} slices!")
    f_axis, t_axis = f_axis % S.ndim, t_axis % S.ndim
    S = numpy.moveaxis(S, (f_axis, t_axis), (-1, -2))
    q_max = S.shape[-2] + self.p_min
    k_max = (q_max - 1) * self.hop + self.m_num - self.m_num_mid
    k1 = k_max if k1 is None else k1
    if not self.k_min <= k0 < k1 <= k_max:
        raise ValueError(f"({self.k_min=}) <= ({k0=}) < ({k1=}) <= ({k_max=}) is false!")
    if k1 - k0 < least:
        raise ValueError(
            f"({k1=}) - ({k0=}) = {k1 - k0} has to be at least the half the window length {least}!"
        )
    q0 = k0 // self.hop + self.p_min if k0 >= 0 else k0 // self.hop
    q1 = min(self.p_max(k1), q_max)
    dual = gpunp.asarray(self.dual_win, device=S.device)
    parts = _signals(self, S[..., q0 - self.p_min : q1 - self.p_min, :]) * dual
    total = overlap_add(parts, self.hop)
    begin = k0 - (q0 * self.hop - self.m_num_mid)
    x = total[..., begin : begin + k1 - k0]
    if missing := k1 - k0 - x.shape[-1]:
        x = numpy.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)])
    return numpy.moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis) if x.ndim > 1 else x
