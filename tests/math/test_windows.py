import numpy as np
import pytest

import gpunp

NAMES = ("bartlett", "blackman", "hamming", "hanning")
SIZES = (-3, 0, 1, 2, 3, 7, 12, 1001, 5.5, np.int8(6))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", SIZES)
def test_windows(name, size, device):
    window = getattr(gpunp, name)(size, device=device)
    expected = getattr(np, name)(size)
    assert isinstance(window, gpunp.ndarray)
    assert window.device is device
    assert window.dtype == expected.dtype
    assert window.shape == expected.shape
    np.testing.assert_allclose(gpunp.asnumpy(window), expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("beta", [0, 2.5, 14, 40])
@pytest.mark.parametrize("size", SIZES)
def test_kaiser(size, beta, device):
    window = gpunp.kaiser(size, beta, device=device)
    with np.errstate(all="ignore"):
        expected = np.kaiser(size, beta)
    assert window.shape == expected.shape
    np.testing.assert_allclose(gpunp.asnumpy(window), expected, rtol=1e-12)


def test_names():
    assert [gpunp.bartlett, gpunp.blackman, gpunp.hamming, gpunp.hanning, gpunp.kaiser]
    with pytest.raises((TypeError, ValueError)):
        gpunp.hanning("many")
