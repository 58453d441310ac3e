"""Floor division and remainders: all pairs of small integers, and quotients close to integers."""

import numpy as np
import pytest

import gpunp

CALLS = [
    np.floor_divide,
    np.remainder,
    np.fmod,
    lambda a, b: np.divmod(a, b)[0],
    lambda a, b: np.divmod(a, b)[1],
]


def compare(a, b, device):
    x, y = gpunp.asarray(a, device=device), gpunp.asarray(b, device=device)
    for call in CALLS:
        with np.errstate(all="ignore"):
            expected = call(a, b)
        actual = gpunp.asnumpy(call(x, y))
        np.testing.assert_array_equal(actual, expected)
        if expected.dtype.kind == "f":
            number = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(actual[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("char", "bB")
def test_all_pairs_of_bytes(char, device):
    info = np.iinfo(char)
    values = np.arange(info.min, info.max + 1).astype(char)
    compare(np.repeat(values, values.size), np.tile(values, values.size), device)


@pytest.mark.parametrize("char", "hH")
def test_integers_of_two_bytes(char, device):
    info = np.iinfo(char)
    rng = np.random.default_rng(0)
    edges = np.array([info.min, info.min + 1, 0, 1, 2, 3, info.max - 1, info.max]).astype(char)
    few = np.concatenate([edges, rng.integers(-100 if info.min else 0, 100, 56).astype(char)])
    values = np.arange(info.min, info.max + 1, 7).astype(char)
    compare(np.repeat(values, few.size), np.tile(few, values.size), device)
    compare(np.repeat(few, values.size), np.tile(values, few.size), device)
    # Multiples of the divisor, and their neighbors.
    b = rng.integers(1, 300, 20000)
    a = b * rng.integers(0, info.max // 300, b.size) + rng.integers(-1, 2, b.size)
    compare(np.maximum(a, 0).astype(char), b.astype(char), device)


@pytest.mark.parametrize("char", "efd")
def test_floats_next_to_multiples(char, device):
    rng = np.random.default_rng(1)
    n = 20000
    b = (rng.standard_normal(n) * 10.0 ** rng.integers(-3, 3, n)).astype(char)
    with np.errstate(all="ignore"):
        a = (b * rng.integers(-2000, 2000, n)).astype(char)
        a = np.where(rng.random(n) < 0.3, np.nextafter(a, np.array(np.inf, char)), a).astype(char)
        a = np.where(rng.random(n) < 0.3, np.nextafter(a, np.array(-np.inf, char)), a).astype(char)
    compare(a, b, device)
    tiny = np.finfo(char).smallest_subnormal
    several, few = rng.integers(-1000, 1000, n) * tiny, rng.integers(1, 50, n) * tiny
    compare(several.astype(char), few.astype(char), device)
    special = np.array([0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, tiny, -tiny, 6e4, -6e4], char)
    compare(np.repeat(special, special.size), np.tile(special, special.size), device)
    # Quotients whose integer part is not representable in that precision.
    large, small = rng.uniform(-6e4, 6e4, n), rng.uniform(-1e-5, 1e-5, n)
    compare(large.astype(char), small.astype(char), device)
