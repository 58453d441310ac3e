"""``scipy.signal`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "chirp_z": ("czt", "zoom_fft"),
    "convolution": ("choose_conv_method", "convolve", "convolve2d", "correlate", "correlate2d"),
    "detrending": ("detrend",),
    "padded_filters": (
        "decimate",
        "deconvolve",
        "filtfilt",
        "lfilter_zi",
        "lfiltic",
        "resample",
        "resample_poly",
        "savgol_filter",
        "sosfilt_zi",
        "sosfiltfilt",
        "vectorstrength",
        "wiener",
    ),
    "peaks": (
        "argrelextrema",
        "argrelmax",
        "argrelmin",
        "find_peaks",
        "peak_prominences",
        "peak_widths",
    ),
    "ranks": ("medfilt", "medfilt2d", "order_filter"),
    "spectral": (
        "coherence",
        "csd",
        "istft",
        "lombscargle",
        "periodogram",
        "spectrogram",
        "stft",
        "welch",
    ),
    "waveforms": ("chirp", "gausspulse", "sweep_poly"),
    "fir": ("upfirdn",),
    "fourier_convolution": ("fftconvolve", "oaconvolve"),
    "filtering": ("lfilter", "sosfilt"),
    "splines": (
        "cspline1d",
        "cspline1d_eval",
        "cspline2d",
        "gauss_spline",
        "qspline1d",
        "qspline1d_eval",
        "qspline2d",
        "sepfir2d",
        "spline_filter",
        "symiirorder1",
        "symiirorder2",
    ),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
