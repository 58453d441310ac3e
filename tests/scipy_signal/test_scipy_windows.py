"""SciPy's windows created on the device, in SciPy's array API mode and outside it."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.signal

import gpunp
import gpunp_scipy.signal.windows

WINDOWS = {
    "barthann": (),
    "bartlett": (),
    "blackman": (),
    "blackmanharris": (),
    "bohman": (),
    "boxcar": (),
    "chebwin": (100,),
    "cosine": (),
    "dpss": (2.5,),
    "exponential": (None, 3.0),
    "flattop": (),
    "gaussian": (2.0,),
    "general_gaussian": (1.5, 2.0),
    "general_hamming": (0.6,),
    "hamming": (),
    "hann": (),
    "kaiser": (3.0,),
    "kaiser_bessel_derived": (3.0,),
    "lanczos": (),
    "nuttall": (),
    "parzen": (),
    "taylor": (),
    "triang": (),
    "tukey": (),
}


def check(name, device):
    window = getattr(scipy.signal.windows, name)
    even = {} if name == "kaiser_bessel_derived" else {"sym": False}
    for options in ({}, even):
        expected = window(16, *WINDOWS[name], **options)
        for keywords in ({"xp": gpunp}, {"xp": gpunp, "device": device}):
            actual = window(16, *WINDOWS[name], **options, **keywords)
            assert type(actual) is gpunp.ndarray
            assert actual.device is device
            assert actual.dtype == expected.dtype
            np.testing.assert_allclose(actual.get(), expected, rtol=1e-10, atol=1e-12)
        assert type(window(16, *WINDOWS[name], **options, xp=np)) is np.ndarray


@pytest.mark.parametrize("name", sorted(WINDOWS))
def test_windows(name, device):
    check(name, device)


def test_every_window_is_checked():
    without_xp = {"general_cosine", "get_window"}
    public = {name for name in scipy.signal.windows.__all__ if callable(getattr(scipy.signal.windows, name))}
    assert public - without_xp == set(WINDOWS)


def test_get_window(device):
    actual = scipy.signal.get_window(("kaiser", 3.0), 9, xp=gpunp, device=device)
    assert actual.device is device
    np.testing.assert_allclose(actual.get(), scipy.signal.get_window(("kaiser", 3.0), 9), rtol=1e-12)


def test_other_namespaces_are_scipys():
    namespace = gpunp_scipy.signal.windows.namespace
    assert namespace(gpunp) is gpunp
    assert namespace(None) is not gpunp


@pytest.mark.parametrize("order", ["gpunp, scipy.signal", "scipy.signal, gpunp"])
def test_without_the_array_api_mode(order, device):
    program = (
        f"import sys\nsys.path.insert(0, {os.path.dirname(__file__)!r})\n"
        f"import {order}\nfrom test_scipy_windows import WINDOWS, check\n"
        f"device = gpunp.Device({str(device)!r})\n"
        "with device:\n    for name in WINDOWS:\n        check(name, device)\n"
    )
    environment = {**os.environ, "SCIPY_ARRAY_API": "0"}
    subprocess.run([sys.executable, "-P", "-c", program], env=environment, check=True)
