"""Short contiguous runs of reduced elements, with more reduced axes or between kept axes."""

import numpy as np
import pytest

import gpunp

CASES = [
    ((7, 5, 4, 90, 4), (2, 4)),
    ((40, 6, 512), (0, 2)),
    ((3, 50, 6, 33), (1, 3)),
    ((800, 8, 8), 1),
    ((100, 7, 3), 1),
    ((6, 20, 9, 5, 3), (1, 3)),
    ((2000, 3, 20, 2), (0, 2)),
    ((64, 3, 8, 16), (0, 2, 3)),
    ((9001, 3), 1),
    ((32, 40000), 0),
    ((20000, 8, 8), 1),
    ((5000, 6, 12), 1),
    ((3000, 20, 8), 1),
    ((300, 5, 3, 16), (1, 2)),
    ((3, 100003), 0),
    ((7, 4096), 0),
    ((2000, 1001), 1),
    ((30000, 100), 1),
    # Contiguous runs of whole vectors between reduced axes: few results, and many.
    ((37, 5, 1024), (0, 2)),
    ((300, 3, 128), (0, 2)),
    ((20, 600, 64), (0, 2)),
    ((2, 9, 50, 3, 96), (0, 2, 4)),
    ((5, 40, 7, 160), (1, 3)),
    ((3, 2, 12000), (0, 2)),
]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "c8"])
@pytest.mark.parametrize(("shape", "axis"), CASES, ids=str)
def test_runs(shape, axis, dtype, device):
    rng = np.random.default_rng(3)
    host = rng.integers(0, 100, (*shape[:-1], shape[-1] + 1)).astype(dtype)
    if dtype == "c8":
        host = host + 1j * host[::-1]
    full = gpunp.asarray(host, device=device)
    # Dense rows, rows followed by a gap, and rows that begin within a vector.
    for h, a in (
        (host[..., :-1], full[..., :-1].copy()),
        (host[..., :-1], full[..., :-1]),
        (host[..., 1:], full[..., 1:]),
    ):
        for function in (np.sum, np.mean, np.var) if dtype == "c8" else (np.sum, np.max, np.mean, np.var):
            want = function(h.astype("c16" if dtype == "c8" else "f8"), axis=axis)
            np.testing.assert_allclose(gpunp.asnumpy(function(a, axis=axis)), want, rtol=2e-5)
        # Results are reproducible to the bit.
        np.testing.assert_array_equal(*(gpunp.asnumpy(np.sum(a, axis=axis)) for _ in range(2)))
        if isinstance(axis, int) and dtype != "c8":
            np.testing.assert_array_equal(gpunp.asnumpy(np.argmax(a, axis=axis)), np.argmax(h, axis=axis))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "f2", "?"])
@pytest.mark.parametrize("axis", [0, 1])
def test_results_that_lie_anyhow(axis, dtype, device):
    host = np.random.default_rng(4).integers(0, 9, (5, 24, 40)).astype(dtype)
    a = gpunp.asarray(host, device=device)
    shape = np.max(host, axis=axis).shape
    # Contiguous from an aligned or unaligned element, with gaps between rows, and with transposed axes.
    room = gpunp.zeros((shape[0] + 1, 50), dtype=dtype, device=device)
    places = (
        (slice(0, shape[0]), slice(0, 40)),
        (slice(1, None), slice(3, 43)),
        (slice(0, shape[0]), slice(47, 7, -1)),
    )
    for place in places:
        room[...] = 7
        expected = gpunp.asnumpy(room)
        np.max(host, axis=axis, out=expected[place], initial=3)
        np.max(a, axis=axis, out=room[place], initial=3)
        np.testing.assert_array_equal(gpunp.asnumpy(room), expected)
    turned = gpunp.zeros(shape[::-1], dtype=dtype, device=device).T
    np.min(a, axis=axis, out=turned)
    np.testing.assert_array_equal(gpunp.asnumpy(turned), np.min(host, axis=axis))


@pytest.mark.parametrize("shape", [(1000, 300), (60, 8, 8), (5000, 4, 8), (3, 5000), (20, 1001)])
def test_first_places_down_columns(shape, device):
    rng = np.random.default_rng(5)
    host = rng.integers(-3, 4, shape).astype("f4")
    host[rng.random(shape) < 0.02] = np.nan
    host[..., 0] = -np.inf
    host[..., 1] = np.nan
    host[:, ..., 2] = 5
    axis = len(shape) - 2
    a = gpunp.asarray(host, device=device)
    for function in (np.argmax, np.argmin):
        np.testing.assert_array_equal(gpunp.asnumpy(function(a, axis=axis)), function(host, axis=axis))
    # At least one number per column.
    host[..., 1, :] = 2
    a[..., 1, :] = 2
    for function in (np.nanargmax, np.nanargmin):
        np.testing.assert_array_equal(gpunp.asnumpy(function(a, axis=axis)), function(host, axis=axis))


@pytest.mark.parametrize("dtype", ["u1", "i4", "u4", "u8", "f4", "f8"])
def test_sums_and_products_of_truth(dtype, device):
    """In booleans they are ``any`` and ``all``, whose kernels fold no short runs."""
    rng = np.random.default_rng(6)
    for shape, axis in (
        ((2, 2, 2), 1),
        ((3, 50, 6, 33), (1, 3)),
        ((800, 8, 8), 1),
        ((9001, 3), 1),
        ((700, 5), 0),
    ):
        host = rng.integers(0, 5, shape).astype(dtype)
        a = gpunp.asarray(host, device=device)
        for function in (np.sum, np.prod, np.nansum):
            for options in ({}, {"initial": 3}, {"keepdims": True}):
                expected = function(host, axis=axis, dtype=bool, **options)
                actual = function(a, axis=axis, dtype=bool, **options)
                np.testing.assert_array_equal(gpunp.asnumpy(actual), expected)
