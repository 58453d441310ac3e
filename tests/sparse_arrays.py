"""What tests of sparse arrays share: random arrays, and comparisons of operations with SciPy's."""

import warnings

import numpy as np
import scipy.sparse as sp

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse.methods import DeviceSparse

FORMATS = ("csr", "csc", "coo", "dia", "bsr")
KINDS = ("array", "matrix")


def host_sparse(name="csr_array", shape=(6, 8), dtype="f8", seed=0, density=0.35):
    """A random array of SciPy of small whole numbers, positive and negative, with an empty row."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(-4, 5, shape) * (rng.random(shape) < density)
    dense[1 % shape[0]] = 0
    if np.dtype(dtype).kind == "c":
        dense = dense * (1 + 2j)
    elif np.dtype(dtype).kind == "b":
        dense = dense != 0
    return getattr(sp, name)(dense.astype(dtype))


def on_device(host):
    """A sparse or a dense array on the device; numbers and objects as they are."""
    if sp.issparse(host):
        return getattr(gpunp_scipy.sparse, type(host).__name__)(host)
    return gpunp.asarray(host) if isinstance(host, np.ndarray) else host


def dense(value):
    """A host array of a result, whatever it is."""
    if isinstance(value, DeviceSparse):
        value = value.get()
    if sp.issparse(value):
        return value.toarray()
    return np.asarray(gpunp.asnumpy(value) if isinstance(value, gpunp.ndarray) else value)


def assert_same(found, expected):
    if sp.issparse(expected):
        assert isinstance(found, DeviceSparse)
        assert isinstance(found, type(expected))
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
    found, expected = dense(found), dense(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, 1e-6 if expected.dtype.char in "fF" else 1e-13)


def outcome(function, *args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args), None
        except Exception as error:
            return None, type(error)


def check(function, *hosts):
    """A function gives the same for device arrays as for host arrays, or the same error."""
    expected, error = outcome(function, *hosts)
    devices = [on_device(h) for h in hosts]
    if error is not None:
        assert outcome(function, *devices)[1] is error
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = function(*devices)
    if isinstance(expected, tuple):
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b)
    else:
        assert_same(found, expected)
