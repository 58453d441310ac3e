"""Chirp z-transforms. SciPy's classes compute coefficients on the host; `call` is their method for arrays."""

import numpy
import scipy.signal
from numpy.lib.array_utils import normalize_axis_index

import gpunp
from gpunp_scipy.signal import transforms
from gpunp_scipy.signal.design import on_host


def call(self, x, *, axis=-1):
    """Transform a signal; see `scipy.signal.CZT.__call__`."""
    x = gpunp.asarray(x)
    axis = normalize_axis_index(axis, x.ndim)
    if x.shape[axis] != self.n:
        raise ValueError(f"CZT defined for length {self.n}, not {x.shape[axis]}")
    rows = numpy.moveaxis(x, axis, -1)
    before, between, after = (
        gpunp.asarray(factors, device=x.device) for factors in (self._Awk2, self._Fwk2, self._wk2)
    )
    spectrum = transforms.fft(rows * before, self._nfft)
    y = transforms.ifft(between * spectrum)[..., self._yidx] * after
    return numpy.moveaxis(y, -1, axis)


def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1):
    """Compute the chirp z-transform along an axis; see `scipy.signal.czt`."""
    x = gpunp.asarray(x)
    m, w, a = map(on_host, (m, w, a))
    return call(scipy.signal.CZT(x.shape[axis], m=m, w=w, a=a), x, axis=axis)


def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    """Compute the Fourier transform for a range of frequencies; see `scipy.signal.zoom_fft`."""
    x = gpunp.asarray(x)
    fn, m, fs = map(on_host, (fn, m, fs))
    transform = scipy.signal.ZoomFFT(x.shape[axis], fn, m=m, fs=fs, endpoint=endpoint)
    return call(transform, x, axis=axis)
