"""``scipy.fft`` on device arrays: a uarray backend, and its functions under SciPy's names.

``import gpunp_scipy`` registers the backend; SciPy's own functions then accept device arrays. Host arrays
still go to SciPy.

Examples
--------
>>> import gpunp, gpunp_scipy, scipy.fft
>>> spectrum = scipy.fft.rfft(gpunp.ones(8))
>>> scipy.fft.irfft(spectrum).shape
(8,)
"""

from gpunp_scipy.fft.backend import __ua_convert__, __ua_domain__, __ua_function__  # noqa: F401
from gpunp_scipy.fft.hankel import fht, fhtoffset, ifht
from gpunp_scipy.fft.helper import (
    fftfreq,
    fftshift,
    ifftshift,
    next_fast_len,
    prev_fast_len,
    rfftfreq,
)
from gpunp_scipy.fft.real_transforms import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from gpunp_scipy.fft.transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "fhtoffset",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ifht",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
