"""Spectra, short-time transforms and chirp z-transforms, against SciPy."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.signal
from signal_calls import assert_close, both, compare, values

import gpunp
from gpunp_scipy.signal import chirp_z, short_time, spectral

OPTIONS = [
    {},
    {"nperseg": 64, "noverlap": 20, "detrend": "linear"},
    {"nperseg": 63, "nfft": 100, "scaling": "spectrum", "detrend": False},
    {"window": ("kaiser", 3.0), "nperseg": 50, "fs": 10.0},
    {"window": np.hamming(40), "return_onesided": False},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("char", "fdDi")
def test_densities(char, options, rng, monkeypatch):
    x, y = values(rng, (3, 700), char), values(rng, (3, 700), "d")
    for average in ("mean", "median"):
        compare(*both("welch"), x, **options, average=average)
        mixed = 2e-5 if char == "f" else None
        compare(*both("csd"), x, y, **options, average=average, tolerance=mixed)
    compare(*both("welch"), x.T, **options, axis=0)
    compare(*both("csd"), x, y[:1, :650], **options, tolerance=mixed)
    monkeypatch.setattr(spectral, "_TOGETHER", 500)
    compare(*both("welch"), x, **options)
    compare(*both("csd"), x[0], y[0], **options, tolerance=mixed)


@pytest.mark.parametrize("average", ["mean", "median"])
def test_densities_by_position(average, rng):
    x, y = values(rng, (3, 300), "d"), values(rng, (3, 300), "d")
    options = (2.0, "hann", 64, 20, 70, "linear", True, "spectrum", -1)
    compare(*both("welch"), x, *options, average)
    compare(*both("welch"), x, *options, average=average)
    compare(*both("csd"), x, y, *options, average)
    named = dict(zip(list(inspect.signature(scipy.signal.welch).parameters)[1:-1], options, strict=True))
    compare(*both("csd"), x, y, **named, average=average)


@pytest.mark.parametrize("char", "fdD")
def test_periodogram(char, rng):
    x = values(rng, (3, 200), char)
    for options in ({}, {"nfft": 128}, {"nfft": 301}, {"window": "hann", "scaling": "spectrum"}, {"axis": 0}):
        compare(*both("periodogram"), x, **options)
    compare(*both("periodogram"), x[:0])


def test_coherence(rng):
    x, y = values(rng, (2, 600), "d"), values(rng, (2, 600), "d")
    compare(*both("coherence"), x, y, fs=2.0, nperseg=128)
    compare(*both("coherence"), x[0], y[0], nperseg=100, noverlap=30)


@pytest.mark.parametrize(
    "options",
    [
        {"nperseg": 0},
        {"nperseg": 64, "noverlap": 64},
        {"average": "mode"},
        {"nperseg": 64, "nfft": 8},
        {"scaling": "x"},
    ],
)
def test_bad_options(options, rng):
    compare(*both("welch"), values(rng, 500, "d"), **options)


def turned(spectrogram):
    """A spectrogram of angles as points on the circle: pi and -pi are the same angle."""

    def call(*args, **kwargs):
        f, t, angles = spectrogram(*args, **kwargs)
        return f, t, np.cos(angles), np.sin(angles)

    return call


@pytest.mark.parametrize("mode", ["psd", "complex", "magnitude", "angle", "phase"])
def test_spectrogram(mode, rng):
    functions = both("spectrogram")
    if mode == "angle":
        functions = [turned(function) for function in functions]
    for char in "fdD":
        x = values(rng, (2, 600), char)
        compare(*functions, x, mode=mode, tolerance=1e-3 if char == "f" else 1e-8)
    compare(*functions, values(rng, (600, 2), "d"), nperseg=90, axis=0, mode=mode, tolerance=1e-8)


@pytest.mark.parametrize("boundary", ["zeros", "even", "odd", "constant", None])
@pytest.mark.parametrize("char", "fdD")
def test_stft_and_back(char, boundary, rng):
    x = values(rng, (2, 600), char)
    for options in ({}, {"nperseg": 90, "noverlap": 60}, {"nperseg": 64, "nfft": 80, "scaling": "psd"}):
        compare(*both("stft"), x, **options, boundary=boundary)
        onesided = char != "D"
        transform = scipy.signal.stft(x, **options, boundary=boundary, return_onesided=onesided)[2]
        inverse = {**options, "input_onesided": onesided, "boundary": boundary is not None}
        if "nfft" not in options:
            inverse.pop("nperseg", None)
        # Without a boundary, the first and last samples are divided by the ends of windows, which are small.
        tolerance = 1e-3 if char == "f" else 1e-9
        compare(*both("istft"), transform, **inverse, tolerance=tolerance)
        swapped = np.moveaxis(transform, -1, 0).copy()
        axes = {"time_axis": 0, "freq_axis": 2}
        compare(*both("istft"), swapped, **inverse, **axes, tolerance=tolerance)


@pytest.mark.parametrize("boundary", [True, False])
@pytest.mark.parametrize("window", ["hann", "boxcar", np.array([0.0, 1, 1, 0, 1, 1, 0, 0])])
@pytest.mark.parametrize(("count", "noverlap"), [(1, 0), (3, 0), (4, 4), (40, 6), (40, 5), (7, 7)])
def test_windows_that_leave_samples_out(count, noverlap, window, boundary):
    options = {"window": window, "nperseg": 8, "noverlap": noverlap, "boundary": boundary}
    spectra = np.ones((5, count), complex)
    found = []
    for function, given in zip(both("istft"), (gpunp.asarray(spectra), spectra), strict=True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append(function(given, **options))
        found.append([str(each.message) for each in caught])
    assert_close(found[0], found[2])
    assert found[1] == found[3]


@pytest.mark.parametrize("normalize", [False, True, "amplitude"])
def test_lombscargle(normalize, rng, monkeypatch):
    x = np.sort(rng.uniform(0, 10, 80))
    y, freqs = values(rng, 80, "d"), np.linspace(0.1, 9, 33)
    for floating_mean in (False, True):
        options = {"normalize": normalize, "floating_mean": floating_mean, "tolerance": 1e-8}
        monkeypatch.setattr(spectral, "_TOGETHER", 1 << 24)
        compare(*both("lombscargle"), x, y, freqs, **options)
        monkeypatch.setattr(spectral, "_TOGETHER", 800)
        compare(*both("lombscargle"), x, y, freqs, weights=np.abs(y), **options)
    compare(*both("lombscargle"), x, y[:5], freqs)


MODES = [
    ("onesided", None),
    ("onesided", "psd"),
    ("onesided2X", "magnitude"),
    ("twosided", None),
    ("centered", "psd"),
]


@pytest.mark.parametrize(("fft_mode", "scale_to"), MODES)
@pytest.mark.parametrize("phase_shift", [0, None, 3])
def test_short_time_methods(fft_mode, scale_to, phase_shift, rng):
    window = scipy.signal.windows.gaussian(30, 6.0)
    options = {"fft_mode": fft_mode, "scale_to": scale_to, "phase_shift": phase_shift}
    transform = scipy.signal.ShortTimeFFT(window, 7, 10.0, mfft=40, **options)
    for x in (values(rng, 200, "d"), values(rng, (3, 200), "d")):
        for name in ("stft", "spectrogram"):
            ours, theirs = getattr(short_time, name), getattr(scipy.signal.ShortTimeFFT, name)
            for padding in ("zeros", "edge", "even", "odd"):
                compare(ours, theirs, transform, x, padding=padding)
            compare(ours, theirs, transform, x.T, p0=2, p1=11, k_offset=4, axis=0)
        for detr in ("linear", "constant"):
            ours, theirs = short_time.stft_detrend, scipy.signal.ShortTimeFFT.stft_detrend
            compare(ours, theirs, transform, x, detr)
        spectra = transform.stft(x)
        ours, theirs = short_time.istft, scipy.signal.ShortTimeFFT.istft
        compare(ours, theirs, transform, spectra)
        compare(ours, theirs, transform, spectra, k0=0, k1=150)
        # SciPy's method fails for other parts.
        part = ours(transform, gpunp.asarray(spectra), k0=5, k1=150)
        assert_close(part, theirs(transform, spectra)[..., 5:150])
        compare(ours, theirs, transform, np.moveaxis(spectra, -1, 0).copy(), f_axis=-1, t_axis=0)
        compare(ours, theirs, transform, spectra[..., :2, :])
    compare(short_time.stft, scipy.signal.ShortTimeFFT.stft, transform, np.ones(5))


def test_lombscargle_by_position(rng):
    t, x = np.sort(rng.random(20)), rng.random(20)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        actual = scipy.signal.lombscargle(*map(gpunp.asarray, (t, x, t[1:5])), False, True)
    assert any("use keyword arguments" in str(each.message) for each in caught)
    expected = scipy.signal.lombscargle(t, x, t[1:5], normalize=True)
    assert_close(actual, expected)


@pytest.mark.parametrize("axis", [0, -1])
def test_chirp_z(axis, rng):
    for char in "dDf":
        x = values(rng, (12, 20), char)
        tolerance = 1e-5 if char == "f" else None
        compare(*both("czt"), x, axis=axis, tolerance=tolerance)
        compare(*both("czt"), x, 7, np.exp(-0.1j), 1.1, axis=axis, tolerance=tolerance)
        compare(*both("zoom_fft"), x, [0.2, 0.6], 9, axis=axis, tolerance=tolerance)
    # Scalars of the device are numbers.
    high, count = gpunp.sum(gpunp.asarray(0.6)), gpunp.sum(gpunp.asarray([4, 5]))
    actual = scipy.signal.zoom_fft(gpunp.asarray(x), [0.2, high], count, axis=axis)
    assert_close(actual, scipy.signal.zoom_fft(x, [0.2, 0.6], 9, axis=axis), 1e-5)
    actual = scipy.signal.czt(gpunp.asarray(x), count, axis=axis)
    assert_close(actual, scipy.signal.czt(x, 9, axis=axis), 1e-5)
    transform = scipy.signal.CZT(9)
    with pytest.raises(ValueError, match="length 9"):
        chirp_z.call(transform, gpunp.ones(8))


def test_waveforms():
    t = np.linspace(0.01, 2, 50)
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        compare(*both("chirp"), t, 1.0, 2.0, 7.0, method=method, phi=30)
    compare(*both("chirp"), t, 1.0, 2.0, 7.0, method="none")
    compare(*both("chirp"), t, 6.0, 2.0, 1.0, method="quadratic", vertex_zero=False, complex=True)
    for options in ({}, {"retquad": True}, {"retenv": True}, {"retquad": True, "retenv": True}, {"bw": -1}):
        compare(*both("gausspulse"), t, fc=5, **options)
    compare(*both("sweep_poly"), t, np.array([0.5, -1.0, 3.0]), 20)
    compare(*both("sweep_poly"), t, np.poly1d([0.5, -1.0, 3.0]))


def test_half_precision(rng):
    """Signals of float16 have the spectra of their values in float32."""
    x = values(rng, 600, "f").astype("e")
    for name in ("welch", "stft"):
        actual = getattr(scipy.signal, name)(gpunp.asarray(x), nperseg=64)[-1]
        expected = getattr(scipy.signal, name)(x.astype("f"), nperseg=64)[-1]
        np.testing.assert_allclose(actual.get(), expected, rtol=1e-5, atol=1e-5)
