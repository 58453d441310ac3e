"""``scipy.fft`` on device arrays: a uarray backend, and its functions under SciPy's names.

gpunp registers the backend when ``scipy.fft`` is imported. Host arrays still go to SciPy.

Examples
--------
>>> import gpunp, scipy.fft
>>> spectrum = scipy.fft.rfft(gpunp.ones(8))
>>> scipy.fft.irfft(spectrum).shape
(8,)
"""

from gpunp_scipy.fft.backend import __ua_convert__, __ua_domain__, __ua_function__  # noqa: F401
from gpunp_scipy.lazy import attach

HOMES = {
    "hankel": ("fht", "fhtoffset", "ifht"),
    "helper": ("fftfreq", "fftshift", "ifftshift", "next_fast_len", "prev_fast_len", "rfftfreq"),
    "real_transforms": ("dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"),
    "transforms": (
        *("fft", "fft2", "fftn", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ihfft", "ihfft2"),
        *("ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn"),
    ),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
