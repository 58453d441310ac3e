"""Comparison of scikit-learn's models and results on NumPy arrays and on device arrays."""

import functools
import numbers
import os
from dataclasses import dataclass, field

import numpy as np
import pytest

import gpunp

sklearn = pytest.importorskip("sklearn", minversion="1.9", reason="scikit-learn is not installed")
if os.environ.get("SCIPY_ARRAY_API") != "1":
    pytest.skip("scikit-learn dispatches only if SCIPY_ARRAY_API=1", allow_module_level=True)

METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "score_samples",
)


def dispatch():
    """The configuration in which scikit-learn computes on device arrays."""
    return sklearn.config_context(array_api_dispatch=True)


@functools.cache
def dataset(name):
    """One of scikit-learn's bundled datasets: X (float64) and y."""
    return getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)


@functools.cache
def scaled(name):
    """A dataset with features of variance 1 and mean 1, since relative differences from 0 are meaningless."""
    X, y = dataset(name)
    return sklearn.preprocessing.scale(X) + 1, y


@dataclass(frozen=True)
class Fit:
    """An estimator, the dataset that it is fitted to, and the tolerances of the comparison.

    ``rtol`` is relative to the largest value of a result, for float64 and for float32. ``signs`` names the
    attributes whose vectors may differ in sign, which LAPACK leaves open; ``iterations`` is true if rounding
    affects the number of iterations.
    """

    estimator: object
    data: str
    rtol: tuple = (1e-9, 1e-3)
    signs: tuple = ()
    iterations: bool = False
    scaled: bool = False
    options: dict = field(default_factory=dict)

    def __str__(self):
        return f"{self.estimator!r}-{self.data}".replace(" ", "").replace("\n", "")

    def inputs(self, dtype):
        """X in the given dtype and y, on the host."""
        X, y = (scaled if self.scaled else dataset)(self.data)
        return X.astype(dtype), y


def to_device(value, device):
    """Copy an array, or the arrays in a dictionary, to the device."""
    if isinstance(value, dict):
        return {key: to_device(item, device) for key, item in value.items()}
    return gpunp.asarray(value, device=device) if isinstance(value, np.ndarray) else value


def to_host(value):
    """Copy a device array to the host; other values are returned as they are."""
    return gpunp.asnumpy(value) if isinstance(value, gpunp.ndarray) else value


def assert_same(actual, expected, device, rtol=1e-9, name="result", signs=False):
    """Assert that each array is a device array on ``device`` with the same dtype, shape and values."""
    if isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected), name
        assert len(actual) == len(expected), name
        for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
            assert_same(one, other, device, rtol, f"{name}[{index}]", signs)
        return
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys(), name
        for key, other in expected.items():
            assert_same(actual[key], other, device, rtol, f"{name}[{key!r}]", signs)
        return
    if isinstance(expected, np.ndarray):
        assert type(actual) is gpunp.ndarray, f"{name} is a {type(actual).__name__}"
        assert actual.device == device, name
        assert actual.dtype == expected.dtype, name
        assert actual.shape == expected.shape, name
    elif not isinstance(expected, (numbers.Number, np.generic)):
        return
    actual, expected = np.asarray(to_host(actual)), np.asarray(expected)
    assert actual.shape == expected.shape, name
    if signs:
        actual, expected = np.abs(actual), np.abs(expected)
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(actual, expected, err_msg=name)
        return
    finite = np.abs(expected[np.isfinite(expected)])
    largest = float(finite.max()) if finite.size else 0.0
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * largest, err_msg=name)


def attributes(model):
    """The fitted attributes of a model, by name."""
    return {
        name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")
    }


def fit_both(record, dtype, device):
    """Fit a model to NumPy arrays and one to device arrays."""
    X, y = record.inputs(dtype)
    host = sklearn.clone(record.estimator).fit(X, y, **record.options)
    with dispatch():
        options = to_device(record.options, device)
        other = sklearn.clone(record.estimator).fit(to_device(X, device), to_device(y, device), **options)
    return host, other


def assert_same_model(record, dtype, device):
    """Assert that fits on host and device agree, and the results of their methods too."""
    host, other = fit_both(record, dtype, device)
    rtol = record.rtol[dtype == "float32"]
    for name, expected in attributes(host).items():
        if record.iterations and name == "n_iter_":
            continue
        assert_same(getattr(other, name), expected, device, rtol, name, name in record.signs)
    X, y = record.inputs(dtype)
    x = to_device(X, device)
    for name in METHODS:
        if hasattr(host, name):
            with dispatch():
                actual = getattr(other, name)(x)
            assert_same(actual, getattr(host, name)(X), device, rtol, name, name in record.signs)
    if hasattr(host, "score"):
        with dispatch():
            score = other.score(x, to_device(y, device))
        assert not isinstance(score, np.ndarray)
        assert_same(score, host.score(X, y), device, rtol, "score")
    if hasattr(host, "inverse_transform"):
        with dispatch():
            actual = other.inverse_transform(other.transform(x))
        assert_same(actual, host.inverse_transform(host.transform(X)), device, rtol, "inverse_transform")
