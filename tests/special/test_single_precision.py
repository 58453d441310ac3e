"""Functions of float32 with a short way for whole blocks: their accuracy, and the bits of both ways."""

import numpy as np
import pytest
from scipy import special

import gpunp

# Error in units of the last place, beside SciPy's function of float64.
GREATEST_ERROR = {"erf": 4, "erfc": 8, "ndtr": 6, "gammaln": 5}
# Elements of a block of a vector kernel.
BLOCK = 2048


def mixed(rng, size):
    """Numbers of all magnitudes and signs between many ordinary ones."""
    ordinary = rng.uniform(0.5, 3.5, size)
    extreme = rng.choice([-1, 1], size) * 10 ** rng.uniform(-44, 38, size)
    special_values = np.resize([0.0, -0.0, 1.0, 2.0, -1.0, -2.5, np.nan, np.inf, -np.inf, 0.5, 3.5], size)
    kind = rng.choice(3, size, p=[0.9, 0.08, 0.02])
    return np.choose(kind, [ordinary, extreme, special_values]).astype(np.float32)


def inputs(rng):
    """Arrays by which a block takes every way: all elements near 1, of any size, and a few special ones."""
    near_1 = rng.uniform(0.5, 3.5, 2 * BLOCK)
    positive = 10 ** rng.uniform(-40, 38, 2 * BLOCK)
    return np.concatenate([near_1, positive, mixed(rng, 3 * BLOCK + 77)]).astype(np.float32)


@pytest.mark.parametrize("name", GREATEST_ERROR)
def test_blocks_have_the_bits_of_single_elements(device, rng, name):
    f = getattr(special, name)
    host = inputs(rng)
    x = gpunp.asarray(host, device=device)
    expected = gpunp.asnumpy(f(x)).view(np.uint32)
    spread = gpunp.zeros((host.size, 2), np.float32, device=device)
    spread[:, 0] = x
    found = gpunp.asnumpy(f(spread[:, 0])).view(np.uint32)
    np.testing.assert_array_equal(found, expected)
    # From an element on, no block has the elements that it had; these operands are not aligned, either.
    for start in (1, 1000, BLOCK + 4):
        found = gpunp.asnumpy(f(x[start:])).view(np.uint32)
        np.testing.assert_array_equal(found, expected[start:])
    # The result may take the place of the argument.
    assert f(x, out=x) is x
    np.testing.assert_array_equal(gpunp.asnumpy(x).view(np.uint32), expected)


@pytest.mark.parametrize("name", GREATEST_ERROR)
def test_accuracy(device, rng, name):
    tails = {"erf": (-4, 4), "erfc": (-4, 9), "ndtr": (-12.5, 6), "gammaln": (1e-3, 40)}[name]
    host = np.concatenate([rng.uniform(0.45, 3.55, 40_000), rng.uniform(*tails, 40_000)])
    if name == "gammaln":
        roots = 1 + rng.choice(2, 20_000) + rng.choice([-1, 1], 20_000) * 10 ** rng.uniform(-7, -1, 20_000)
        host = np.concatenate([host, roots, 10 ** rng.uniform(-37, 38, 20_000)])
    host = host.astype(np.float32)
    found = gpunp.asnumpy(getattr(special, name)(gpunp.asarray(host, device=device)))
    exact = getattr(special, name)(host.astype(np.float64))
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(found[~finite], rounded[~finite])
    error = np.abs(found - exact)[finite] / np.spacing(np.abs(rounded[finite]))
    assert error.max() < GREATEST_ERROR[name], host[finite][error.argmax()]
