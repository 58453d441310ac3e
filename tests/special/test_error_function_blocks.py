"""The error functions, which the CPU device computes in blocks: accuracy, special values, single elements."""

import numpy as np
import pytest
from scipy import special

import gpunp

mpmath = pytest.importorskip("mpmath")
EXACT = {
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "ndtr": lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
}
# The greatest argument whose result is not zero.
LARGEST = {"d": 26.6, "f": 9.3}


def greatest_error(device):
    """In units of the last place; CUDA's own functions may err by more than 4."""
    return 4 if device.is_cpu else 8


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", EXACT)
def test_accuracy(device, rng, dtype, name):
    most = LARGEST[dtype] * (1.4142 if name == "ndtr" else 1)
    host = np.concatenate(
        [rng.uniform(-most, most, 400), rng.standard_normal(400), 10 ** rng.uniform(-30, 0, 50)]
    ).astype(dtype)
    found = gpunp.asnumpy(getattr(special, name)(gpunp.asarray(host, device=device)))
    with mpmath.workdps(40):
        for x, y in zip(host.tolist(), found.tolist(), strict=True):
            exact = EXACT[name](mpmath.mpf(x))
            error = abs(mpmath.mpf(y) - exact) / float(np.spacing(abs(np.array(float(exact), dtype))))
            assert error < greatest_error(device), x


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", EXACT)
def test_special_values(device, dtype, name):
    with np.errstate(over="ignore"):
        values = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e300, -1e300, 40, -40]
        x = np.array(values).astype(dtype)
    expected = getattr(special, name)(x)
    found = gpunp.asnumpy(getattr(special, name)(gpunp.asarray(x, device=device)))
    np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "f" else 1e-14, atol=0)
    np.testing.assert_array_equal(np.signbit(found)[:4], np.signbit(expected)[:4])


@pytest.mark.parametrize("dtype", "efd")
@pytest.mark.parametrize("name", EXACT)
def test_single_elements_have_the_bits_of_blocks(device, rng, dtype, name):
    f = getattr(special, name)
    a = gpunp.asarray(rng.standard_normal((300, 3)).astype(dtype), device=device)
    expected = gpunp.asnumpy(f(a))
    np.testing.assert_array_equal(gpunp.asnumpy(f(a.T)).T, expected)
    np.testing.assert_array_equal(gpunp.asnumpy(f(a[::2, 1])), expected[::2, 1])
    np.testing.assert_array_equal(gpunp.asnumpy(f(a[7, 2])), expected[7, 2])
    chosen = rng.random(a.shape) < 0.5
    found = f(a, where=gpunp.asarray(chosen, device=device), out=gpunp.zeros_like(f(a)))
    np.testing.assert_array_equal(gpunp.asnumpy(found), np.where(chosen, expected, 0))
