"""Designs and conversions of filters from coefficients on the device, against SciPy."""

import inspect
import types

import numpy as np
import pytest
import scipy.signal
from signal_calls import assert_close, compare, on_device

import gpunp
from gpunp_scipy import signal

B, A = scipy.signal.butter(3, 0.3)
ZEROS, POLES, GAIN = scipy.signal.butter(3, 0.3, output="zpk")
SPACE = scipy.signal.tf2ss(B, A)
EDGES = np.array([0, 0.1, 0.2, 0.5])
CALLS = {
    "bilinear": (B, A),
    "check_COLA": (np.ones(8), 8, 4),
    "check_NOLA": (np.ones(8), 8, 4),
    "firls": (9, EDGES, np.array([1.0, 1, 0, 0])),
    "firwin2": (9, np.array([0.0, 0.5, 1]), np.array([1.0, 1, 0])),
    "invresz": (np.array([0.5, 2.0]), np.array([0.25, -0.5]), np.array([1.0])),
    "remez": (9, EDGES, np.array([1.0, 0])),
    "residue": (B, np.array([1.0, 3, 2])),
    "residuez": (B, np.array([1.0, -0.75, 0.125])),
    "ss2tf": SPACE,
    "ss2zpk": SPACE,
    "tf2sos": (B, A),
    "tf2ss": (B, A),
    "unique_roots": (np.array([1.0, 1, 2]),),
    "zpk2sos": (ZEROS, POLES, GAIN),
    "zpk2ss": (ZEROS, POLES, GAIN),
}


def numbers(result):
    """A result with Python's numbers in place of NumPy's, which stay on the host."""
    if isinstance(result, tuple):
        return tuple(map(numbers, result))
    return result.item() if isinstance(result, np.generic) else result


@pytest.mark.parametrize("name", sorted(CALLS))
def test_designs(name):
    options = {"fs": 1.0} if name == "firls" else {}
    expected = numbers(getattr(scipy.signal, name)(*CALLS[name], **options))
    assert_close(getattr(signal, name)(*map(on_device, CALLS[name]), **options), expected)


def test_coefficients_by_keyword():
    compare(signal.tf2sos, scipy.signal.tf2sos, b=B, a=A, pairing="minimal")
    compare(signal.tf2sos, scipy.signal.tf2sos, B, A, pairing="none")


def test_sampling_frequencies_on_the_device():
    fs, w = np.float64(8.0), np.array([0.1, 0.5])
    device_fs, device_w = 2 * gpunp.sum(gpunp.asarray(4.0)), gpunp.asarray(w)
    for name, options in (("freqz", {"worN": w}), ("freqz_sos", {"worN": w}), ("group_delay", {"w": w})):
        filters = {"freqz": (B, A), "group_delay": ((B, A),)}.get(name, (scipy.signal.tf2sos(B, A),))
        expected = getattr(scipy.signal, name)(*filters, **options, fs=fs)
        given = dict.fromkeys(options, device_w)
        assert_close(getattr(scipy.signal, name)(*map(on_device, filters), **given, fs=device_fs), expected)
    # A scalar is a number: designs stay on the host.
    for name, args in (("butter", (3, 1.5)), ("firwin", (9, 1.5)), ("iirnotch", (1.5, 9.0))):
        design = getattr(scipy.signal, name)
        np.testing.assert_allclose(design(*args, fs=device_fs), design(*args, fs=fs), rtol=1e-14)
    with pytest.raises(ValueError, match="must be a single scalar"):
        scipy.signal.freqz(on_device(B), on_device(A), fs=device_w)


@pytest.mark.parametrize("name", sorted(signal.__all__))
def test_signatures(name):
    if not hasattr(scipy.signal, name):
        pytest.skip("SciPy before 1.18 has no such function")
    if isinstance(inspect.unwrap(getattr(scipy.signal, name)), types.BuiltinFunctionType):
        pytest.skip("SciPy before 1.18 has it in C, without a signature")
    ours, scipys = (
        [(each.name, each.kind, each.default) for each in inspect.signature(function).parameters.values()]
        for function in (getattr(signal, name), getattr(scipy.signal, name))
    )
    assert ours == scipys
