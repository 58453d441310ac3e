"""A stand-in for the cuFFT module, so that the code that composes its plans runs without a GPU."""

import importlib
import sys
import types

import numpy as np
import pytest
from gpunp.array.transfer import host_view


class StandIn(types.ModuleType):
    """Transforms of host memory with the interface and the refusals of ``gpunp.fft.cufft``.

    With ``strict`` only transforms of the last axis of C-contiguous arrays are accepted.
    """

    def __init__(self, strict):
        super().__init__("gpunp.fft.cufft")
        self.strict = strict
        self.calls = 0

    @staticmethod
    def last_axis(x, real, forward):
        return None

    def transform(self, x, y, axes, forward):
        assert 1 <= len(axes) <= 3
        assert len(set(axes)) == len(axes)
        if any(
            stride <= 0 and extent > 1
            for a in (x, y)
            for stride, extent in zip(a.strides, a.shape, strict=True)
        ):
            return False
        if self.strict and not (axes == (x.ndim - 1,) and x.flags.c_contiguous and y.flags.c_contiguous):
            return False
        self.calls += 1
        source, target = host_view(x), host_view(y)
        lengths = [target.shape[axis] for axis in axes]
        if target.dtype.kind != "c":
            assert not forward
            assert len(axes) == 1
            n = target.shape[axes[0]]
            spectrum = np.moveaxis(source, axes[0], -1)
            assert not spectrum[..., 0].imag.any()
            assert n % 2 or not spectrum[..., n // 2].imag.any()
            target[...] = np.fft.irfft(source, n, axes[0], norm="forward")
            source[...] = np.nan
            return True
        if source.dtype.kind != "c":
            assert forward
            lengths[-1] = source.shape[axes[-1]]
            target[...] = np.fft.rfftn(source, lengths, axes)
        else:
            assert source.shape == target.shape
            function = np.fft.fftn if forward else np.fft.ifftn
            target[...] = function(source, lengths, axes, norm="backward" if forward else "forward")
        return True


@pytest.fixture(params=["lenient", "strict"])
def stand_in(request, monkeypatch, device):
    """Make transforms on the CPU device take the path of those on CUDA."""
    if not device.is_cpu:
        pytest.skip("cuFFT itself is available")
    import gpunp.fft
    from gpunp.fft import passes

    module = StandIn(request.param == "strict")
    monkeypatch.setitem(sys.modules, "gpunp.fft.cufft", module)
    monkeypatch.setattr(gpunp.fft, "cufft", module, raising=False)
    monkeypatch.delitem(sys.modules, "gpunp.fft.library", raising=False)
    monkeypatch.setattr(passes, "_library", importlib.import_module("gpunp.fft.library"))
    monkeypatch.setattr(passes, "_on_host", passes._on_library)
    if module.strict:
        monkeypatch.setattr(passes._library.columns, "copies_pay", lambda x: True)
    yield module
    sys.modules.pop("gpunp.fft.library", None)
    del sys.modules["gpunp.fft"].library
