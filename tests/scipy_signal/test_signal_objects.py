"""Objects of SciPy's classes of signal processing, which are called with device arrays."""

import numpy as np
import pytest
import scipy.signal
from signal_calls import assert_close, on_device, values

import gpunp

WINDOW = scipy.signal.windows.gaussian(16, 3.0)


def transforms(convert):
    """ShortTimeFFT objects from windows that are converted."""
    kind = scipy.signal.ShortTimeFFT
    return [
        kind(convert(WINDOW), 5, 10.0, mfft=20),
        kind(convert(WINDOW), hop=5, fs=10.0, dual_win=convert(WINDOW / 5), fft_mode="twosided"),
        kind.from_dual(convert(WINDOW), 5, 10.0),
        kind.from_window(("gaussian", 3.0), 10.0, 16, 11),
        kind.from_win_equals_dual(desired_win=convert(WINDOW), hop=5, fs=10.0),
    ]


def test_short_time_transforms(rng):
    x = values(rng, (2, 100), "d")
    for ours, theirs in zip(transforms(gpunp.asarray), transforms(np.asarray), strict=True):
        # The window stays on the host.
        np.testing.assert_array_equal(ours.win, theirs.win)
        spectra = ours.stft(gpunp.asarray(x))
        assert_close(spectra, theirs.stft(x))
        assert_close(ours.istft(spectra, k1=100), theirs.istft(theirs.stft(x), k1=100))
        assert_close(ours.spectrogram(gpunp.asarray(x), detr="linear"), theirs.spectrogram(x, detr="linear"))
        assert_close(ours.stft_detrend(gpunp.asarray(x), "constant"), theirs.stft_detrend(x, "constant"))
        with pytest.raises(ValueError, match=r"len\(x\)=3 must be >= ceil"):
            ours.stft(gpunp.ones(3))
        # Without signals.
        none = ours.istft(ours.stft(gpunp.ones((0, 100))), k1=100)
        assert none.shape == (0, 100)


def test_chirp_z_transforms(rng):
    x = values(rng, (3, 20), "D")
    for transform in (scipy.signal.CZT(20, 7, np.exp(-0.1j)), scipy.signal.ZoomFFT(20, [0.2, 0.6], 9)):
        assert_close(transform(gpunp.asarray(x)), transform(x))
        assert_close(transform(gpunp.asarray(x.T.copy()), axis=0), transform(x.T, axis=0))


def test_what_stays_on_the_host_is_as_before():
    transform = scipy.signal.ShortTimeFFT(WINDOW, 5, 10.0)
    assert isinstance(transform.stft(np.ones(50)), np.ndarray)
    assert isinstance(scipy.signal.CZT(5)(np.ones(5)), np.ndarray)
    system = scipy.signal.lti([1.0], [1.0, 2.0])
    assert all(isinstance(each, np.ndarray) for each in system.impulse())


def test_arguments_of_no_array(rng):
    """Numbers on the device are numbers for constructors."""
    fs = gpunp.asarray([10.0, 1.0]).max()
    x = values(rng, 60, "d")
    assert_close(
        scipy.signal.ShortTimeFFT(WINDOW, 5, fs).stft(on_device(x)),
        scipy.signal.ShortTimeFFT(WINDOW, 5, 10.0).stft(x),
    )
