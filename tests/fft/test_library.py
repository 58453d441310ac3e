"""What is composed of cuFFT's plans, on the stand-in of its module: the CPU device checks the CUDA path."""

import numpy as np
import pytest

import gpunp


@pytest.fixture(autouse=True)
def _on_the_cpu(device):
    if not device.is_cpu:
        pytest.skip("the real library is there")


def test_scaling_is_in_the_copies(stand_in, monkeypatch, rng):
    """A factor costs no pass of its own where a copy is made anyway."""
    from gpunp.fft import passes

    def no_scaling(*args):
        raise AssertionError("a pass for the factor alone")

    monkeypatch.setattr(passes._library, "_scale", no_scaling)
    a = gpunp.asarray(rng.normal(size=(4, 6)))
    spectrum = gpunp.asarray(rng.normal(size=(4, 4)) + 1j)
    np.fft.fft(a, norm="ortho")
    np.fft.ifft(a, 9)
    np.fft.rfft(a, 9, norm="forward")
    np.fft.irfft(spectrum)
    with pytest.raises(AssertionError, match="factor alone"):
        np.fft.ifft(spectrum)
