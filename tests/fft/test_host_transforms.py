"""Large transforms, which the CPU device leaves to SciPy, and what it does without SciPy."""

import numpy as np
import pytest

import gpunp
from gpunp.fft import host

TOLERANCE = {"f": 2e-5, "F": 2e-5, "d": 1e-12, "D": 1e-12}
CALLS = {
    "fft": lambda f, a, **k: f.fft(a, **k),
    "fft of an axis": lambda f, a, **k: f.fft(a, axis=0, **k),
    "fft of a length": lambda f, a, **k: f.fft(a, 200, **k),
    "ifft": lambda f, a, **k: f.ifft(a, 300, 0, **k),
    "fft2": lambda f, a, **k: f.fft2(a, **k),
    "ifft2": lambda f, a, **k: f.ifft2(a, (100, 400), (1, 0), **k),
    "fftn": lambda f, a, **k: f.fftn(a, **k),
    "irfft": lambda f, a, **k: f.irfft(a, **k),
    "irfftn": lambda f, a, **k: f.irfftn(a, (300, 301), (1, 0), **k),
    "hfft": lambda f, a, **k: f.hfft(a, **k),
    "rfft": lambda f, a, **k: f.rfft(a.real, **k),
    "rfft2": lambda f, a, **k: f.rfft2(a.real, axes=(1, 0), **k),
    "rfftn": lambda f, a, **k: f.rfftn(a.real, (250, 350), (0, 1), **k),
    "ihfft": lambda f, a, **k: f.ihfft(a.real, **k),
}


def values(char, layout="C"):
    rng = np.random.default_rng(4)
    a = rng.standard_normal((256, 512))
    if char in "FD":
        a = a + 1j * rng.standard_normal((256, 512))
    a = a.astype(char)
    return a.T if layout == "T" else a[:, ::2] if layout == "steps" else a


def compare(result, expected, char):
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    scale = np.abs(expected).max()
    assert np.abs(gpunp.asnumpy(result) - expected).max() <= TOLERANCE[char] * scale


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("name", CALLS)
def test_large_transforms(device, name, char, norm):
    host_array = values(char)
    array = gpunp.asarray(host_array, device=device)
    compare(CALLS[name](np.fft, array, norm=norm), CALLS[name](np.fft, host_array, norm=norm), char)
    assert np.array_equal(gpunp.asnumpy(array), host_array)


@pytest.mark.parametrize("layout", ["T", "steps"])
@pytest.mark.parametrize("name", CALLS)
def test_layouts(device, name, layout):
    host_array = values("D", layout)
    array = gpunp.asarray(values("D"), device=device)
    array = array.T if layout == "T" else array[:, ::2]
    compare(CALLS[name](np.fft, array), CALLS[name](np.fft, host_array), "D")


@pytest.mark.parametrize("name", ["fft", "fft2", "rfft", "rfft2", "irfft"])
def test_out(device, name):
    host_array = values("D")
    expected = CALLS[name](np.fft, host_array)
    array = gpunp.asarray(host_array, device=device)
    out = gpunp.zeros(expected.shape, expected.dtype, device=device)
    assert CALLS[name](np.fft, array, out=out) is out
    compare(out, expected, "D")


def test_results_are_operands_like_others(device):
    array = gpunp.asarray(values("D"), device=device)
    spectrum = np.fft.fft2(array)
    expected = np.fft.fft2(values("D"))
    shifted = np.exp(-np.abs(spectrum) / 1e4) * spectrum + 1
    spectrum *= 2
    compare(shifted, np.exp(-np.abs(expected) / 1e4) * expected + 1, "D")
    compare(spectrum, 2 * expected, "D")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(threads):
    host_array = values("D")
    with gpunp.config.using(threads=threads):
        compare(np.fft.fft2(gpunp.asarray(host_array, device="cpu")), np.fft.fft2(host_array), "D")


@pytest.mark.parametrize("name", CALLS)
def test_without_scipy(monkeypatch, name):
    monkeypatch.setattr(host, "_scipy_fft", lambda: None)
    host_array = values("d")
    compare(
        CALLS[name](np.fft, gpunp.asarray(host_array, device="cpu")), CALLS[name](np.fft, host_array), "d"
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda f, a: f.fft(a, norm="other"), ValueError),
        (lambda f, a: f.fft(a, 0), ValueError),
        (lambda f, a: f.fft(a, axis=7), IndexError),
        (lambda f, a: f.rfft(a), TypeError),
    ],
)
def test_bad_arguments(device, call, error):
    with pytest.raises(error):
        call(np.fft, gpunp.asarray(values("D"), device=device))
