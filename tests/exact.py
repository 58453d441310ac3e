"""Whole numbers, whose sums are exact in any order, and comparison without a tolerance."""

import numpy as np


def values(dtype, *shape):
    """Small whole numbers, so that sums are exact in every dtype but the smallest."""
    return (
        (np.arange(np.prod(shape, dtype=int)) * 7 % 11 - (np.dtype(dtype).kind in "ifc") * 5)
        .astype(dtype)
        .reshape(shape)
    )


def check(result, expected):
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.get(), expected)
