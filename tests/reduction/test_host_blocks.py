"""Extremes, truth and counts of contiguous elements, which the CPU device folds by vectors."""

import numpy as np
import pytest

import gpunp

LENGTHS = (1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 1000, 8191, 8192, 8193, 20_000)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", "fd")
def test_extremes(device, rng, dtype, length):
    host = rng.standard_normal(length).astype(dtype)
    for place in {0, length // 2, length - 1}:
        for value in (1e30, -1e30, np.inf, -np.inf, np.nan):
            x = host.copy()
            x[place] = value
            a = gpunp.asarray(x, device=device)
            for f in (np.max, np.min, np.argmax, np.argmin):
                np.testing.assert_array_equal(gpunp.asnumpy(f(a)), f(x))


@pytest.mark.parametrize("dtype", "fd")
def test_extremes_between_infinities(device, rng, dtype):
    # Sums of these are NaN, although no element is.
    host = rng.standard_normal(5000).astype(dtype)
    host[::2], host[1::2] = np.inf, -np.inf
    large = np.full(5000, np.finfo(dtype).max, dtype)
    large[::3] *= -1
    for x in (host, large, -large):
        a = gpunp.asarray(x, device=device)
        for f in (np.max, np.min, np.argmax):
            np.testing.assert_array_equal(gpunp.asnumpy(f(a)), f(x))
    rows = gpunp.asarray(host.reshape(50, 100), device=device)
    np.testing.assert_array_equal(gpunp.asnumpy(rows.max(1)), host.reshape(50, 100).max(1))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", "?bBhiqQfd")
def test_truth(device, rng, dtype, length):
    for host in (np.zeros(length, dtype), np.ones(length, dtype)):
        for place in (None, 0, length // 2, length - 1):
            x = host.copy()
            if place is not None:
                x[place] = not x[place]
            a = gpunp.asarray(x, device=device)
            for f in (np.any, np.all, np.count_nonzero):
                np.testing.assert_array_equal(gpunp.asnumpy(f(a)), f(x))


@pytest.mark.parametrize("dtype", "?BhiqF")
def test_counts(device, rng, dtype):
    host = rng.integers(0, 2, 100_003).astype(dtype) * (1 if dtype == "?" else 3)
    a = gpunp.asarray(host, device=device)
    assert int(np.count_nonzero(a)) == np.count_nonzero(host)
    assert int(np.count_nonzero(a[1:])) == np.count_nonzero(host[1:])
    assert int(np.count_nonzero(a[::3])) == np.count_nonzero(host[::3])


def test_where_and_axes(device, rng):
    host = rng.random((37, 300)) < 0.01
    mask = rng.random((37, 300)) < 0.5
    a, chosen = gpunp.asarray(host, device=device), gpunp.asarray(mask, device=device)
    for f in (np.any, np.all):
        np.testing.assert_array_equal(gpunp.asnumpy(f(a, where=chosen)), f(host, where=mask))
        for axis in (0, 1, (0, 1)):
            np.testing.assert_array_equal(gpunp.asnumpy(f(a, axis=axis)), f(host, axis=axis))
            np.testing.assert_array_equal(gpunp.asnumpy(f(~a, axis=axis)), f(~host, axis=axis))
