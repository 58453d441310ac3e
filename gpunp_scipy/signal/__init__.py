"""``scipy.signal`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "convolution": ("choose_conv_method", "convolve", "convolve2d", "correlate", "correlate2d"),
    "fir": ("upfirdn",),
    "fourier_convolution": ("fftconvolve", "oaconvolve"),
    "filtering": ("lfilter", "sosfilt"),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
