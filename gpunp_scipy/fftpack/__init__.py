"""``scipy.fftpack`` on device arrays: its functions under SciPy's names and with SciPy's signatures.

Examples
--------
>>> import gpunp, scipy.fftpack
>>> scipy.fftpack.rfft(gpunp.asarray([1.0, 2.0, 4.0, 1.0]))
array([ 8., -3., -1.,  2.])
"""

from gpunp_scipy.lazy import attach

HOMES = {
    "basic": ("fft", "fft2", "fftn", "ifft", "ifft2", "ifftn", "irfft", "rfft"),
    "helper": ("fftfreq", "fftshift", "ifftshift", "next_fast_len", "rfftfreq"),
    "pseudo_diffs": (
        *("cc_diff", "cs_diff", "diff", "hilbert", "ihilbert", "itilbert", "sc_diff", "shift", "ss_diff"),
        "tilbert",
    ),
    "realtransforms": ("dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
