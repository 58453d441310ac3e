"""Long rows, which the CPU device splits among threads and selects from by a sample."""

import numpy as np
import pytest

import gpunp

LENGTH = 150_001


def _values(kind, dtype, rng):
    if kind == "random":
        a = rng.standard_normal(LENGTH) * 1000
    elif kind == "few":
        a = rng.integers(0, 7, LENGTH) * 16.0
    elif kind == "equal":
        a = np.full(LENGTH, 3.0)
    elif kind == "sorted":
        a = np.arange(LENGTH) / 8
    elif kind == "falling":
        a = np.arange(LENGTH)[::-1] / 8
    elif kind == "skewed":
        a = 10.0 ** rng.uniform(-4, 4, LENGTH)
    else:
        a = rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5], LENGTH)
        if np.dtype(dtype).kind in "iu":
            a = np.where(np.isfinite(a), a, 9)
    if np.dtype(dtype).kind == "c":
        return a.astype(dtype) + np.array(1j, dtype) * rng.integers(0, 3, LENGTH).astype(dtype)
    return a.astype(np.int64).astype(dtype) if np.dtype(dtype).kind in "iu" else a.astype(dtype)


KINDS = ("random", "few", "equal", "sorted", "falling", "skewed", "special")
CASES = [(kind, dtype) for kind in KINDS for dtype in "bHiqQefdFD"]


@pytest.mark.parametrize(("kind", "dtype"), CASES)
def test_sort(device, rng, kind, dtype):
    host = _values(kind, dtype, rng)
    a = gpunp.asarray(host, device=device)
    order = gpunp.asnumpy(np.argsort(a))
    np.testing.assert_array_equal(order, np.argsort(host, kind="stable"))
    found = gpunp.asnumpy(np.sort(a))
    expected = host[order]
    np.testing.assert_array_equal(found, expected)
    if host.dtype.kind == "f":
        # Both zeros keep their order as well.
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))
    a.sort()
    np.testing.assert_array_equal(gpunp.asnumpy(a), expected)


@pytest.mark.parametrize(("kind", "dtype"), [case for case in CASES if case[1] not in "FD"])
@pytest.mark.parametrize(
    "ranks", [0, LENGTH // 3, LENGTH - 1, (LENGTH // 2, LENGTH // 2 + 1), (5, LENGTH - 9)]
)
def test_partition(device, rng, kind, dtype, ranks):
    host = _values(kind, dtype, rng)
    a = gpunp.asarray(host, device=device)
    # NumPy 2.5 missorts -0.0 of float16 by its default kind.
    ordered = np.sort(host, kind="stable")
    found = gpunp.asnumpy(np.partition(a, ranks))
    places = gpunp.asnumpy(np.argpartition(a, ranks))
    np.testing.assert_array_equal(np.sort(places), np.arange(LENGTH))
    for array in (found, host[places]):
        np.testing.assert_array_equal(np.sort(array, kind="stable"), ordered)
        for rank in np.atleast_1d(ranks):
            np.testing.assert_array_equal(array[rank], ordered[rank])
            np.testing.assert_array_equal(np.sort(array[:rank], kind="stable"), ordered[:rank])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", "iqefd")
def test_quantiles(device, rng, kind, dtype):
    host = _values(kind, dtype, rng)
    a = gpunp.asarray(host, device=device)
    for f in (np.median, np.nanmedian, lambda x: np.percentile(x, [0, 1, 50, 99.9, 100])):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(gpunp.asnumpy(f(a)), f(host))


@pytest.mark.parametrize("kind", ["random", "few", "special"])
@pytest.mark.parametrize("dtype", "iqfd")
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(device, rng, kind, dtype, side):
    host, queries = np.sort(_values(kind, dtype, rng)), _values(kind, dtype, rng)
    found = np.searchsorted(*(gpunp.asarray(x, device=device) for x in (host, queries)), side=side)
    np.testing.assert_array_equal(gpunp.asnumpy(found), np.searchsorted(host, queries, side=side))
