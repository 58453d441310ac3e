"""Comparison of calls of gpunp_scipy.signal with the same calls of SciPy on host copies."""

import warnings

import numpy as np
import scipy.signal

import gpunp
from gpunp_scipy import signal

# Relative to the largest value of the result.
TOLERANCE = {"f": 2e-5, "F": 2e-5, "d": 1e-10, "D": 1e-10}


def both(name):
    """The function of gpunp_scipy.signal with a name, and SciPy's."""
    return getattr(signal, name), getattr(scipy.signal, name)


def on_device(value):
    """A copy of nested arguments in which NumPy arrays are on the device."""
    if isinstance(value, np.ndarray):
        return gpunp.asarray(value)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(on_device(each) for each in value)
    return value


def assert_close(actual, expected, tolerance=None, where=""):
    """Assert equal nesting, dtypes and shapes, close values, and that arrays are on the device."""
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected), where
        for one, other in zip(actual, expected, strict=True):
            assert_close(one, other, tolerance, where)
        return
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys(), where
        for key, other in expected.items():
            assert_close(actual[key], other, tolerance, f"{where} {key}")
        return
    if not isinstance(expected, np.ndarray | np.generic):
        actual = actual.item() if isinstance(actual, gpunp.ndarray) else actual
        assert actual == expected or np.isclose(actual, expected, equal_nan=True), where
        return
    assert isinstance(actual, gpunp.ndarray), f"{where}: the result is a {type(actual).__name__}"
    assert actual.dtype == expected.dtype, f"{where}: {actual.dtype}, expected {expected.dtype}"
    assert actual.shape == expected.shape, f"{where}: {actual.shape}, expected {expected.shape}"
    host = actual.get()
    if tolerance is None:
        tolerance = TOLERANCE.get(expected.dtype.char, 0)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = finite.max(initial=1e-3)
    np.testing.assert_allclose(host, expected, rtol=tolerance, atol=tolerance * float(scale), err_msg=where)


def compare(ours, scipys, *args, tolerance=None, **kwargs):
    """Call both functions, ours with device arrays, and compare results or the types of exceptions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected, error = scipys(*args, **kwargs), None
        except Exception as raised:
            expected, error = None, raised
        given = [on_device(arg) for arg in args], {name: on_device(value) for name, value in kwargs.items()}
        if error is None:
            actual = ours(*given[0], **given[1])
            assert_close(actual, expected, tolerance, f"{scipys.__name__} {kwargs}")
            return actual
        try:
            actual = ours(*given[0], **given[1])
        except type(error):
            return None
        raise AssertionError(f"{scipys.__name__} raises {error!r}, gpunp returned {str(actual)[:99]}")


def values(rng, shape, char):
    """Random values of a dtype."""
    if np.dtype(char).kind in "biu":
        return rng.integers(0, 2 if char == "?" else 20, shape).astype(char)
    numbers = rng.normal(size=shape)
    if np.dtype(char).kind == "c":
        numbers = numbers + 1j * rng.normal(size=shape)
    return numbers.astype(char)
