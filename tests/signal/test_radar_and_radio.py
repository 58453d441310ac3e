"""gpunp.signal beside the sums that define its functions."""

import math

import numpy as np
import pytest

import gpunp
from gpunp import signal

TOLERANCES = {"f": 3e-5, "F": 3e-5, "d": 1e-12, "D": 1e-12}


def values(shape, char="d", seed=4):
    rng = np.random.default_rng(seed)
    found = rng.standard_normal(shape)
    if char in "FD":
        found = found + 1j * rng.standard_normal(shape)
    return found.astype(char)


def close(found, expected, char="d"):
    assert isinstance(found, gpunp.ndarray)
    assert found.shape == expected.shape
    scale = np.abs(expected).max(initial=1)
    np.testing.assert_allclose(found.get(), expected, rtol=TOLERANCES[char], atol=TOLERANCES[char] * scale)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize(("freq", "fs"), [(3, 100), (-12.5, 50.0), (1e6, 3.0)])
def test_shifted_frequencies(char, freq, fs):
    x = values((2, 500), char)
    found = signal.freq_shift(gpunp.asarray(x), freq, fs)
    assert found.dtype == np.complex128
    expected = x * np.exp(-2j * np.pi * np.mod(freq / fs * np.arange(500), 1))
    np.testing.assert_allclose(found.get(), expected, atol=1e-9)
    with pytest.raises(ValueError, match="freq_shift: x must have at least 1"):
        signal.freq_shift(3.0, freq, fs)


def channels(x, h, count):
    """Each channel filtered by itself, and one of ``count`` samples kept."""
    taps = len(h) // count * count
    rows = []
    for k in range(count):
        moved = h[:taps] * np.exp(2j * np.pi * k * np.arange(taps) / count)
        rows.append(np.convolve(x, moved)[count - 1 : len(x) // count * count : count])
    return np.array(rows)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize(
    ("length", "taps", "count"), [(24, 8, 4), (23, 7, 3), (100, 64, 8), (7, 5, 1), (3, 8, 4)]
)
def test_channels(char, length, taps, count):
    x, h = values(length, char), values(taps, char.lower(), 5)
    found = signal.channelize_poly(gpunp.asarray(x), gpunp.asarray(h), count)
    assert found.dtype == np.result_type(char, "F")
    expected = channels(x, h, count)
    assert expected.shape == (count, length // count)
    close(found, expected, char)
    close(signal.channelize_poly(x, h * (1 + 2j), count), channels(x, h * (1 + 2j), count), char)


def test_a_tone_is_in_its_channel():
    count, length = 8, 4096
    h = np.sinc((np.arange(128) - 63.5) / count) * np.hamming(128)
    for channel in range(count):
        tone = np.exp(2j * np.pi * (channel / count + 0.01) * np.arange(length))
        found = np.abs(signal.channelize_poly(gpunp.asarray(tone), h, count).get()[:, 32:]).mean(axis=1)
        assert found.argmax() == channel
        assert np.delete(found, channel).max() < 0.01 * found[channel]


def volterra(x, kernel):
    """The full sums, term by term."""
    m = max(kernel.shape)
    padded = np.concatenate([np.zeros(m - 1), x, np.zeros(m - 1)])
    windows = [[padded[n : n + k][::-1] for k in kernel.shape] for n in range(len(x) + m - 1)]
    return np.array([np.einsum("abc,a,b,c", kernel, *w) for w in windows])


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize(
    ("length", "shape"), [(20, (3, 3, 3)), (20, (4, 4, 4)), (5, (5, 5, 5)), (300, (1, 1, 1)), (9, (2, 3, 4))]
)
def test_convolutions_of_the_third_order(char, length, shape):
    x, kernel = values(length, char), values(shape, char, 5)
    full, side = volterra(x, kernel), max(shape)
    first = (side - 1) // 2
    parts = {"full": full, "same": full[first : first + length], "valid": full[side - 1 : length]}
    for mode, expected in parts.items():
        found = signal.convolve1d3o(gpunp.asarray(x), gpunp.asarray(kernel), mode)
        assert found.dtype == char
        close(found, expected, char)
    close(signal.convolve1d3o(x, kernel), parts["valid"], char)


def test_long_convolutions_go_by_parts(monkeypatch):
    from gpunp.signal import filters

    monkeypatch.setattr(filters, "_AT_ONCE", 100)
    x, kernel = values(50), values((3, 3, 3), seed=5)
    close(signal.convolve1d3o(x, kernel, "full"), volterra(x, kernel))


WINDOWS = {
    "none": (None, lambda n: np.ones(n)),
    "name": ("hamming", np.hamming),
    "tuple": (("general_hamming", 0.7), lambda n: 0.7 - 0.3 * np.cos(2 * np.pi * np.arange(n) / (n - 1))),
    "callable": (lambda f: 1 + f, lambda n: 1 + np.fft.fftfreq(n)),
    "array": (lambda f: None, None),
}


def window_of(name, count):
    if name == "array":
        return gpunp.arange(float(count)), np.arange(float(count))
    given, expected = WINDOWS[name]
    if name in ("name", "tuple"):
        pytest.importorskip("scipy")
    return given, expected(count)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("nfft", [None, 4, 16])
@pytest.mark.parametrize("name", WINDOWS)
def test_compressed_pulses(char, nfft, name):
    x, template = values((3, 8), char), values(5, char, 5)
    window, weights = window_of(name, 5)
    for normalize in (False, True):
        found = signal.pulse_compression(
            gpunp.asarray(x), gpunp.asarray(template), normalize=normalize, window=window, nfft=nfft
        )
        assert found.dtype == char
        sent = template * weights
        sent = sent / np.linalg.norm(sent) if normalize else sent
        spectrum = np.fft.fft(x, nfft) * np.conj(np.fft.fft(sent, nfft or 8))
        expected = np.fft.ifft(spectrum)
        close(found, expected if char in "FD" else expected.real, char)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("nfft", [None, 3, 16])
@pytest.mark.parametrize("name", WINDOWS)
def test_pulses_by_velocity(char, nfft, name):
    x = values((6, 8), char)
    window, weights = window_of(name, 6)
    found = signal.pulse_doppler(gpunp.asarray(x), window, nfft)
    assert found.dtype == np.result_type(char, "F")
    close(found, np.fft.fft(x * weights[:, None], nfft, axis=0), char)


def test_pulses_without_samples():
    assert signal.pulse_doppler(np.ones((4, 0)), "hann").shape == (4, 0)


def test_a_target_is_found():
    """A chirp that comes back from a moving target, in noise."""
    rng = np.random.default_rng(8)
    pulses, samples, delay, turns = 32, 256, 90, 5 / 32
    chirp = np.exp(1j * np.pi * np.arange(40) ** 2 / 40)
    x = 0.5 * (rng.standard_normal((pulses, samples)) + 1j * rng.standard_normal((pulses, samples)))
    x[:, delay : delay + 40] += chirp * np.exp(2j * np.pi * turns * np.arange(pulses))[:, None]
    found = signal.pulse_doppler(signal.pulse_compression(gpunp.asarray(x), chirp, normalize=True))
    power = np.abs(found) ** 2
    assert np.unravel_index(int(power.argmax()), power.shape) == (5, delay)
    threshold, detections = signal.ca_cfar(power, (1, 2), (3, 8), pfa=1e-8)
    assert bool(detections[5, delay])
    assert int(detections[4:-4, 10:-10].sum()) < 5
    assert float(threshold[5, delay]) < float(power[5, delay])


def thresholds(array, guards, references, pfa):
    """The means over the cells around each, one by one."""
    wide = [a + b for a, b in zip(guards, references, strict=True)]
    result = np.zeros(array.shape)
    for at in np.ndindex(array.shape):
        outer = [(c - w, c + w + 1) for c, w in zip(at, wide, strict=True)]
        if any(a < 0 or b > n for (a, b), n in zip(outer, array.shape, strict=True)):
            continue
        mask = np.zeros(array.shape, bool)
        mask[tuple(slice(a, b) for a, b in outer)] = True
        mask[tuple(slice(c - g, c + g + 1) for c, g in zip(at, guards, strict=True))] = False
        result[at] = array[mask].mean() * signal.cfar_alpha(pfa, mask.sum())
    return result


@pytest.mark.parametrize("char", "fdi")
@pytest.mark.parametrize(
    ("shape", "guards", "references", "given"),
    [
        ((60,), (2,), (3,), (2, 3)),
        ((11,), (2,), (3,), (2, 3)),
        ((40,), (0,), (1,), (0, 1)),
        ((16, 18), (1, 2), (2, 3), ((1, 2), (2, 3))),
        ((13, 9), (1, 1), (2, 2), (1, 2)),
    ],
)
def test_thresholds(char, shape, guards, references, given):
    array = (100 * np.abs(values(shape)) + 1).astype(char)
    array[tuple(n // 2 for n in shape)] = 9000
    expected = thresholds(array, guards, references, 0.01)
    threshold, detections = signal.ca_cfar(gpunp.asarray(array), *given, 0.01)
    assert threshold.dtype == (char if char in "fd" else "d")
    close(threshold, expected, "f" if char == "f" else "d")
    assert detections.dtype == bool
    np.testing.assert_array_equal(detections.get(), array > expected)
    assert detections.get()[tuple(n // 2 for n in shape)]


def test_the_rate_of_false_alarms():
    noise = np.random.default_rng(9).exponential(size=200_000)
    _, detections = signal.ca_cfar(gpunp.asarray(noise), 2, 8, 1e-2)
    assert abs(int(detections[10:-10].sum()) / noise.size - 1e-2) < 1e-3
    assert math.isclose(signal.cfar_alpha(1e-3, 16), 16 * (1e-3 ** (-1 / 16) - 1))


X, H = np.ones(10), np.ones(4)
BAD = {
    "channels of rows": (lambda: signal.channelize_poly(np.ones((2, 2)), H, 2), r"x must have 1 dimension,"),
    "no channels": (lambda: signal.channelize_poly(X, H, 0), "n_chans must be at least 1"),
    "few taps": (lambda: signal.channelize_poly(X, H, 5), "h has 4 taps, and 5 channels"),
    "no kernel": (lambda: signal.convolve1d3o(X, np.ones((2, 0, 2))), "in2 has no elements"),
    "flat kernel": (lambda: signal.convolve1d3o(X, H), "in2 must have 3 dimensions"),
    "mode": (lambda: signal.convolve1d3o(X, np.ones((2, 2, 2)), "all"), "mode must be 'valid', 'same' or"),
    "method": (lambda: signal.convolve1d3o(X, np.ones((2, 2, 2)), method="fft"), "method must be 'direct'"),
    "short signal": (lambda: signal.convolve1d3o(H, np.ones((5, 5, 5))), "4 samples, fewer than the 5"),
    "one pulse": (lambda: signal.pulse_compression(X, H), "pulse_compression: x must have 2 dimensions"),
    "window": (lambda: signal.pulse_doppler(np.ones((3, 4)), np.ones(4)), r"must have the shape \(3,\)"),
    "nfft": (lambda: signal.pulse_doppler(np.ones((3, 4)), nfft=0), "nfft must be at least 1"),
    "small": (lambda: signal.ca_cfar(X, 2, 3), "too small for"),
    "volume": (lambda: signal.ca_cfar(np.ones((9, 9, 9)), 1, 1), "1 or 2 dimensions"),
    "no references": (
        lambda: signal.ca_cfar(X, 1, 0),
        "reference_cells must be an integer, at least 1",
    ),
    "cells": (lambda: signal.ca_cfar(X, (1, 1), 1), "guard_cells must be an integer, at least 0"),
    "cells of a map": (
        lambda: signal.ca_cfar(np.ones((9, 9)), 1, (1, 0)),
        "an integer or 2 integers",
    ),
    "complex": (lambda: signal.ca_cfar(1j * X, 1, 1), r"must be real powers, not complex; pass abs\(array\)"),
    "certain alarm": (lambda: signal.ca_cfar(X, 1, 1, pfa=1.5), "above 0 and at most 1, not 1.5"),
    "no alarm": (lambda: signal.cfar_alpha(0, 4), "above 0 and at most 1, not 0"),
    "no cells": (lambda: signal.cfar_alpha(0.1, 0), "reference cells, must be at least 1, not 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()
