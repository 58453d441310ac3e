"""Variances along the first axis: the CPU device folds columns side by side."""

import numpy as np
import pytest

import gpunp

SHAPES = [
    (1, 5),
    (2, 700),
    (63, 513),
    (64, 1030),
    (65, 200),
    (1025, 300),
    (5000, 40),
    (3, 77, 140),
    (2100, 1),
]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16", "int64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_near_numpy(device, shape, dtype):
    values = np.random.default_rng(4).random(shape) * 10 + (1000 if dtype != "float16" else 1)
    x = values.astype(dtype)
    a = gpunp.asarray(x, device=device)
    for axis in range(len(shape)) if len(shape) > 2 else (0,):
        exact = np.var(x.astype(np.float64), axis=axis)
        single = dtype in ("float16", "float32")
        rtol = 2e-3 if dtype == "float16" else 1e-6 if single else 1e-11
        np.testing.assert_allclose(gpunp.asnumpy(np.var(a, axis=axis)), exact, rtol=rtol, atol=1e-12)
        wide = np.var(a, axis=axis, dtype=np.float64)
        np.testing.assert_allclose(gpunp.asnumpy(wide), exact, rtol=1e-11, atol=1e-12)


def test_special_values(device):
    x = np.ones((200, 20), np.float32)
    x[3, 2], x[0, 4], x[70, 5], x[0, 6] = np.nan, np.nan, np.inf, -np.inf
    a = gpunp.asarray(x, device=device)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(gpunp.asnumpy(np.var(a, axis=0)), np.var(x, axis=0))
        np.testing.assert_array_equal(gpunp.asnumpy(np.nanvar(a, axis=0)), np.nanvar(x, axis=0))
