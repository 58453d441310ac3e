"""Transforms composed of cuFFT's plans: a stand-in for its module tests the CUDA path on the CPU device."""

import numpy as np
import pytest

import gpunp


@pytest.fixture(autouse=True)
def _on_the_cpu(device):
    if not device.is_cpu:
        pytest.skip("cuFFT itself is available")


def test_scaling_is_in_the_copies(stand_in, monkeypatch, rng):
    """A factor needs no separate pass if a copy is made anyway."""
    from gpunp.fft import passes

    def no_scaling(*args):
        raise AssertionError("a separate scaling pass")

    monkeypatch.setattr(passes._library, "scale", no_scaling)
    a = gpunp.asarray(rng.normal(size=(4, 6)))
    spectrum = gpunp.asarray(rng.normal(size=(4, 4)) + 1j)
    np.fft.fft(a, norm="ortho")
    np.fft.ifft(a, 9)
    np.fft.rfft(a, 9, norm="forward")
    np.fft.irfft(spectrum)
    with pytest.raises(AssertionError, match="a separate scaling pass"):
        np.fft.ifft(spectrum)


@pytest.mark.parametrize("forward", [True, False])
def test_factors_of_the_quick_way(forward, monkeypatch):
    """The shortcut for a dense last axis scales by the same factors as the general path."""
    from types import SimpleNamespace

    from gpunp.fft import passes

    factors = []
    library = SimpleNamespace(
        last_axis=lambda a, real, forward: a,
        scale=lambda y, factor, out: factors.append(factor),
        scales=lambda a: False,
    )
    monkeypatch.setattr(passes, "ndarray", SimpleNamespace)
    monkeypatch.setattr(passes, "_library", library)
    a = SimpleNamespace(device=SimpleNamespace(is_cpu=False), shape=(3, 8))
    for norm in (None, "backward", "ortho", "forward"):
        factors[:] = [1.0]
        assert passes.last_axis(a, norm, real=False, forward=forward) is a
        assert factors[-1] == pytest.approx(passes.factor(norm, forward, [8], np.dtype("D")), rel=1e-15)
    with pytest.raises(ValueError, match="Invalid norm"):
        passes.last_axis(a, "other", real=False, forward=forward)
