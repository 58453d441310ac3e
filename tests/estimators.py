"""scikit-learn on NumPy's and on device arrays: how models and results are compared."""

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
    """The configuration in which scikit-learn takes device arrays as they are."""
    return sklearn.config_context(array_api_dispatch=True)


@functools.cache
def dataset(name):
    """One of the datasets that scikit-learn ships: X of float64 and y."""
    return getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)


@functools.cache
def scaled(name):
    """A dataset whose features have variance 1, and mean 1, as differences relative to 0 say nothing."""
    X, y = dataset(name)
    return sklearn.preprocessing.scale(X) + 1, y


@dataclass(frozen=True)
class Fit:
    """An estimator, what it is fitted to, and how close the results have to be.

    ``rtol`` is relative to the largest value of a result, for float64 and for float32. What LAPACK leaves
    open, the signs of vectors, is named in ``signs``; counts of iterations that depend on rounding in
    ``iterations``.
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
        """X of a dtype and y, of the host."""
        X, y = (scaled if self.scaled else dataset)(self.data)
        return X.astype(dtype), y


def to_device(value, device):
    """Arrays, also those in a dictionary, copied to the device."""
    if isinstance(value, dict):
        return {key: to_device(item, device) for key, item in value.items()}
    return gpunp.asarray(value, device=device) if isinstance(value, np.ndarray) else value


def to_host(value):
    """The host's copy of a device array; other values as they are."""
    return gpunp.asnumpy(value) if isinstance(value, gpunp.ndarray) else value


def assert_same(actual, expected, device, rtol=1e-9, name="result", signs=False):
    """A device array for every array, on its device, of the same dtype and shape, with the same values."""
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
    """What a fit has found, by name."""
    return {
        name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")
    }


def fit_both(record, dtype, device):
    """The model of NumPy's arrays and that of device arrays."""
    X, y = record.inputs(dtype)
    host = sklearn.clone(record.estimator).fit(X, y, **record.options)
    with dispatch():
        options = to_device(record.options, device)
        other = sklearn.clone(record.estimator).fit(to_device(X, device), to_device(y, device), **options)
    return host, other


def assert_same_model(record, dtype, device):
    """A fit finds the same, and its methods give the same."""
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
