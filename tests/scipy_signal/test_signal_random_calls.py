"""Calls of SciPy's functions of signals with random arguments, on the device and on the host."""

import functools

import numpy as np
import pytest
import scipy.fftpack
import scipy.signal
from random_calls import Draw
from signal_calls import compare

# Float16 is not among them: SciPy's rounding of it differs by function and release.
ANY, REAL = "dddfffFDilhB?", "dddfffilhB?"
CALLS_OF_EACH = 12
MODES = ("full", "valid", "same")


def two_arrays(draw):
    """Arrays of one to three axes, of which the second fits into the first half of the time."""
    ndim = draw.whole(1, 3)
    first, second = (tuple(draw.whole(1, 9) for _ in range(ndim)) for _ in range(2))
    if draw.whole(0, 1):
        second = tuple(map(min, first, second))
    return draw.array(first, ANY), draw.array(second, ANY)


def convolution(draw):
    return two_arrays(draw), draw.some(
        mode=lambda: draw.pick(*MODES, "other"), method=lambda: draw.pick("direct", "fft", "auto")
    )


def fft_convolution(draw):
    return two_arrays(draw), draw.some(mode=lambda: draw.pick(*MODES))


def plane_convolution(draw):
    a, b = (draw.array((draw.whole(1, 12), draw.whole(1, 9)), "dfFDilh") for _ in range(2))
    boundary = draw.some(boundary=lambda: draw.pick("fill", "wrap", "symm"), fillvalue=2)
    return (a, b), boundary | draw.some(mode=lambda: draw.pick(*MODES))


def coefficients(draw):
    """Of a stable filter: recursive, of finite length, or with a leading coefficient of 2."""
    b, a = scipy.signal.butter(draw.whole(1, 4), 0.3)
    b, a = draw.pick((b, a), (b, np.array([1.0])), (b * 2, a * 2), (b + 1j * b[::-1], a))
    return draw.pick((b, a), (b.tolist(), a.tolist()))


def sections(draw):
    return scipy.signal.cheby1(draw.whole(1, 6), 1, 0.3, output="sos")


def along(draw, x, **options):
    """Some options, and an axis half of the time."""
    return draw.some(axis=lambda: draw.axis(x.ndim), **options)


def recursion(draw):
    x, (b, a) = draw.array(draw.shape(3, 60), ANY), coefficients(draw)
    options = along(draw, x)
    if draw.whole(0, 1):
        extents = [*x.shape]
        extents[options.get("axis", -1)] = max(len(b), len(a)) - 1
        options["zi"] = draw.rng.normal(size=extents)
    return (b, a, x), options


def cascade(draw):
    x, sos = draw.array(draw.shape(3, 60), ANY), sections(draw)
    options = along(draw, x)
    if draw.whole(0, 1):
        extents = [*x.shape]
        extents[options.get("axis", -1)] = 2
        options["zi"] = draw.rng.normal(size=[len(sos), *extents])
    return (sos, x), options


def both_ways(draw, cascaded):
    x = draw.array((draw.whole(1, 4), draw.whole(20, 90)), ANY)
    options = draw.some(
        padtype=lambda: draw.pick("odd", "even", "constant", None), padlen=lambda: draw.pick(0, 7)
    )
    return (sections(draw), x) if cascaded else (*coefficients(draw), x), options


def smoothing(draw):
    x, length = draw.array(draw.shape(3, 60), "ddfilB"), draw.pick(3, 5, 4, 11)
    modes = ("mirror", "constant", "nearest", "wrap", "interp")
    options = along(
        draw, x, deriv=lambda: draw.whole(0, 2), delta=0.5, mode=lambda: draw.pick(*modes), cval=2.0
    )
    return (x, length, draw.whole(0, 2)), options


def ranks(draw):
    x = draw.array(tuple(draw.whole(3, 12) for _ in range(draw.whole(1, 3))), "ddfilBhH")
    return (x,), draw.some(kernel_size=lambda: draw.pick(1, 3, [3] * x.ndim, 2))


def resampling(draw):
    x = draw.array(draw.shape(3, 60), ANY)
    options = along(draw, x, domain=lambda: draw.pick("time", "freq"), window=lambda: draw.pick("hann", None))
    return (x, draw.whole(1, 70)), options


def polyphase(draw):
    x = draw.array(draw.shape(3, 60, least=2), ANY)
    kinds = (
        "constant",
        "line",
        "mean",
        "median",
        "maximum",
        "symmetric",
        "reflect",
        "edge",
        "wrap",
        "smooth",
    )
    return (x, draw.whole(1, 7), draw.whole(1, 7)), along(draw, x, padtype=lambda: draw.pick(*kinds))


def decimation(draw):
    x = draw.array((draw.whole(1, 3), draw.whole(60, 120)), ANY)
    options = draw.some(ftype=lambda: draw.pick("iir", "fir"), zero_phase=False, n=lambda: draw.whole(1, 8))
    return (x, draw.whole(2, 6)), options


def taps(draw):
    x = draw.array(draw.shape(3, 60, least=2), ANY)
    kinds = (
        "constant",
        "symmetric",
        "reflect",
        "wrap",
        "edge",
        "smooth",
        "antisymmetric",
        "antireflect",
        "line",
    )
    options = along(
        draw, x, up=lambda: draw.whole(1, 5), down=lambda: draw.whole(1, 5), mode=lambda: draw.pick(*kinds)
    )
    return (draw.array(draw.whole(1, 12), "dfDF"), x), options


def spectra(draw, count=1, onesided=True):
    length = draw.whole(4, 40)
    arrays = [draw.array((draw.whole(1, 3), 60), "ddfFDil") for _ in range(count)]
    arrays = [a[:1] if count > 1 else a for a in arrays]
    options = draw.some(
        fs=100.0,
        window=lambda: draw.pick("boxcar", ("tukey", 0.3), "hamming"),
        noverlap=lambda: draw.whole(0, length - 1),
        nfft=lambda: length + draw.whole(0, 9),
        # Where what is left is rounding errors, libraries differ.
        detrend=lambda: draw.pick("constant", False),
    )
    if onesided:
        options |= draw.some(return_onesided=False, scaling="spectrum")
    return arrays, options | {"nperseg": length}


def one_spectrum(draw):
    arrays, options = spectra(draw)
    return arrays, {name: value for name, value in options.items() if name not in ("nperseg", "noverlap")}


def chirp_z(draw):
    x = draw.array(draw.shape(3, 60), ANY)
    return (x,), along(draw, x, m=lambda: draw.whole(1, 40), w=np.exp(-0.1j), a=0.9 + 0.1j)


def zoom(draw):
    x = draw.array(draw.shape(3, 60), ANY)
    options = along(draw, x, m=lambda: draw.whole(1, 40), fs=10.0, endpoint=True)
    return (x, draw.pick(0.5, [0.2, 0.7], np.array([0.1, 0.5]))), options


def analytic(draw):
    x = draw.array(draw.shape(3, 60), "ddfi")
    return (x,), along(draw, x, N=lambda: draw.whole(1, 40))


def trend(draw):
    x = draw.array((draw.whole(1, 4), draw.whole(3, 30)), ANY)
    options = draw.some(
        type=lambda: draw.pick("linear", "constant"), bp=lambda: draw.pick(1, [1, 2], np.array([2]))
    )
    return (x,), options


def peaks(draw):
    x = draw.rng.normal(size=draw.whole(1, 60))
    x = draw.pick(x, np.round(2 * x), np.cumsum(x), (10 * x).astype(int))

    def interval():
        return draw.pick(0.1, 1, (0.1, None), (None, 2.0), (0.2, 3.0))

    options = draw.some(
        height=interval, threshold=interval, prominence=interval, width=interval, plateau_size=1
    )
    return (x,), options | draw.some(distance=lambda: draw.pick(1, 3.5, 0.5), wlen=lambda: draw.pick(3, 10))


def extremes(draw):
    x = draw.array(draw.shape(3, 40), "dfil")
    return (x,), along(draw, x, order=lambda: draw.whole(0, 4), mode=lambda: draw.pick("clip", "wrap"))


def responses(draw):
    b, a = coefficients(draw)
    options = draw.some(worN=lambda: draw.pick(16, 33, np.array([0.1, 0.7, 2.0])), whole=True, fs=10.0)
    return (np.asarray(b), a), options


def shifted_fft(draw):
    x = draw.array(draw.shape(3, 40), ANY)
    return (x,), draw.some(axes=lambda: draw.axis(x.ndim))


def transform(draw, kinds):
    x = draw.array(draw.shape(3, 40, least=2), ANY)
    options = along(draw, x, n=lambda: draw.whole(2, 40))
    return (x,), options | (draw.some(type=lambda: draw.whole(1, 4), norm="ortho") if kinds else {})


def transform_of_axes(draw, kinds):
    x = draw.array(draw.shape(3, 12, least=2), ANY)
    axes = tuple(draw.rng.permutation(x.ndim)[: draw.whole(1, x.ndim)].tolist())
    options = {"axes": axes} | draw.some(shape=lambda: tuple(draw.whole(2, 9) for _ in axes))
    return (x,), options | (draw.some(type=lambda: draw.whole(1, 4), norm="ortho") if kinds else {})


def periodic(draw, parameters):
    x = draw.array(draw.whole(1, 40), "ddfDil")
    return (x, *(draw.pick(0.3, 1.0) for _ in range(parameters))), draw.some(period=3.0) if parameters else {}


def of_kind(function, **options):
    return functools.partial(function, **options)


SIGNAL = {
    **dict.fromkeys(("convolve", "correlate"), convolution),
    **dict.fromkeys(("fftconvolve", "oaconvolve"), fft_convolution),
    **dict.fromkeys(("convolve2d", "correlate2d"), plane_convolution),
    "lfilter": recursion,
    "sosfilt": cascade,
    "filtfilt": of_kind(both_ways, cascaded=False),
    "sosfiltfilt": of_kind(both_ways, cascaded=True),
    "savgol_filter": smoothing,
    "medfilt": ranks,
    "resample": resampling,
    "resample_poly": polyphase,
    "decimate": decimation,
    "upfirdn": taps,
    **dict.fromkeys(("welch", "spectrogram"), spectra),
    "csd": of_kind(spectra, count=2),
    "coherence": of_kind(spectra, count=2, onesided=False),
    "stft": of_kind(spectra, onesided=False),
    "periodogram": one_spectrum,
    "czt": chirp_z,
    "zoom_fft": zoom,
    "hilbert": analytic,
    "detrend": trend,
    "find_peaks": peaks,
    **dict.fromkeys(("argrelmin", "argrelmax"), extremes),
    "freqz": responses,
}
FFTPACK = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft"), of_kind(transform, kinds=False)),
    **dict.fromkeys(("dct", "idct", "dst", "idst"), of_kind(transform, kinds=True)),
    **dict.fromkeys(("fftn", "ifftn"), of_kind(transform_of_axes, kinds=False)),
    **dict.fromkeys(("dctn", "idctn", "dstn", "idstn"), of_kind(transform_of_axes, kinds=True)),
    **dict.fromkeys(("hilbert", "ihilbert"), of_kind(periodic, parameters=0)),
    **dict.fromkeys(("tilbert", "itilbert", "shift"), of_kind(periodic, parameters=1)),
    **dict.fromkeys(("sc_diff", "cs_diff", "cc_diff", "ss_diff"), of_kind(periodic, parameters=2)),
    **dict.fromkeys(("fftshift", "ifftshift"), shifted_fft),
}


def check(module, name, draw_call):
    draw, function = Draw(name), getattr(module, name)
    for _ in range(CALLS_OF_EACH):
        args, kwargs = draw_call(draw)
        is_single = any(getattr(arg, "dtype", None) in (np.float32, np.complex64) for arg in args)
        # Spectra are sums of squares of both signs, for which the largest value is no measure.
        tolerance = 2e-3 if name == "coherence" else 2e-4 if is_single else 1e-7
        compare(function, function, *args, tolerance=tolerance, **kwargs)


@pytest.mark.parametrize("name", SIGNAL)
def test_signal(name, device):
    check(scipy.signal, name, SIGNAL[name])


@pytest.mark.parametrize("name", FFTPACK)
def test_fftpack(name, device):
    check(scipy.fftpack, name, FFTPACK[name])
