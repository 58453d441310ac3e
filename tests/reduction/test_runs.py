"""Short runs of reduced elements beside each other, with more reduced axes or between kept ones."""

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
]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "c8"])
@pytest.mark.parametrize(("shape", "axis"), CASES, ids=str)
def test_runs(shape, axis, dtype, device):
    rng = np.random.default_rng(3)
    host = rng.integers(0, 100, (*shape[:-1], shape[-1] + 1)).astype(dtype)
    if dtype == "c8":
        host = host + 1j * host[::-1]
    full = gpunp.asarray(host, device=device)
    # Rows that are dense, rows with a gap behind, and rows that begin within a vector.
    for h, a in (
        (host[..., :-1], full[..., :-1].copy()),
        (host[..., :-1], full[..., :-1]),
        (host[..., 1:], full[..., 1:]),
    ):
        for function in (np.sum, np.mean, np.var) if dtype == "c8" else (np.sum, np.max, np.mean, np.var):
            want = function(h.astype("c16" if dtype == "c8" else "f8"), axis=axis)
            np.testing.assert_allclose(gpunp.asnumpy(function(a, axis=axis)), want, rtol=2e-5)
        if isinstance(axis, int) and dtype != "c8":
            np.testing.assert_array_equal(gpunp.asnumpy(np.argmax(a, axis=axis)), np.argmax(h, axis=axis))
