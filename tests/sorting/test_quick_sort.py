"""Sorts of the CPU device by NumPy's sort, and by digits: the results are the same to the last bit."""

import numpy as np
import pytest

import gpunp
from gpunp.sorting import engine

LENGTHS = (50, 5000, 20_000, 150_001)


@pytest.fixture
def sorts(device):
    """A function that calls a function with both sorts, for one thread, two and three."""
    if not device.is_cpu:
        pytest.skip("NumPy sorts host memory")
    before = gpunp.config.threads

    def both(call):
        found = []
        for threads in (1, 2, 3):
            gpunp.config.threads = threads
            for use in (False, True):
                engine.prefer_quick_sort(device, use)
                found.append([gpunp.asnumpy(each) for each in call()])
        return found

    yield both
    engine.prefer_quick_sort(device, None)
    gpunp.config.threads = before


def _values(kind, dtype, length, rng):
    number = np.dtype(dtype)
    if kind == "random":
        host = rng.standard_normal(length) * 1000
    elif kind == "equal":
        host = rng.integers(0, 5, length).astype("d")
    elif kind == "wide":
        # The highest bits that differ are those of one element: all others are equal in them.
        host = rng.integers(0, 1000, length) * (1e-300 if number == np.float64 else 1.0)
        host[length // 2] = 1e9
    else:
        host = rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5], length)
        if number.kind in "iu":
            host = np.where(np.isfinite(host), host, 9)
    if number.kind == "c":
        return host.astype(dtype) + np.array(1j, dtype) * rng.integers(0, 3, length).astype(dtype)
    with np.errstate(over="ignore"):
        return host.astype("q").astype(dtype) if number.kind in "iu" else host.astype(dtype)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", "hiIqQefdFD")
@pytest.mark.parametrize("kind", ["random", "equal", "wide", "special"])
def test_sorts_agree(sorts, device, rng, kind, dtype, length):
    host = _values(kind, dtype, length, rng)
    a = gpunp.asarray(host, device=device)

    def call():
        copy = a.copy()
        copy.sort()
        return (
            *(np.sort(a), copy, np.argsort(a), gpunp.sort(a, descending=True)),
            *(gpunp.argsort(a, descending=True), np.sort(a[::-1])),
        )

    first, *others = sorts(call)
    np.testing.assert_array_equal(first[2], np.argsort(host, kind="stable"))
    np.testing.assert_array_equal(first[0], host[first[2]])
    for found in others:
        for mine, expected in zip(found, first, strict=True):
            assert mine.tobytes() == expected.tobytes()


def test_rows(sorts, device, rng):
    host = rng.standard_normal((7, 5000)).astype("f")
    host[2, 5] = np.nan
    a = gpunp.asarray(host, device=device)
    for found in sorts(lambda: (np.sort(a, axis=1), np.argsort(a, axis=1), np.sort(a, axis=0))):
        np.testing.assert_array_equal(found[0], np.sort(host, axis=1))
        np.testing.assert_array_equal(found[1], np.argsort(host, axis=1, kind="stable"))
        np.testing.assert_array_equal(found[2], np.sort(host, axis=0))


def test_measured_choice(device, rng):
    if not device.is_cpu:
        pytest.skip("NumPy sorts host memory")
    engine.prefer_quick_sort(device, None)
    host = rng.standard_normal(100_000)
    np.testing.assert_array_equal(gpunp.asnumpy(np.sort(gpunp.asarray(host, device=device))), np.sort(host))
