"""The CPU device: reductions fold recorded operations by chunks, and large results go past the caches."""

import numpy as np
import pytest
from gpunp.fusion.blocks import set_block_elements, set_streamed_bytes

import gpunp

# A chunk has 2^15 elements, and a block of the kernels' loops has 512.
SIZES = [2**16, 2**16 + 1, 3 * 2**15, 5 * 2**15 + 7 * 512 + 13, 2**18]
CHAINS = {
    "squares": lambda x, y: (x - y) ** 2,
    "distances": lambda x, y: np.abs(x - y),
    "comparison": lambda x, y: x > y + 1,
    "masked": lambda x, y: np.where(x > 0, x, y),
}
REDUCTIONS = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "any": np.any,
    "all": np.all,
    "nansum": np.nansum,
    "std": np.std,
    "count_nonzero": np.count_nonzero,
    "initial": lambda a: np.sum(a, initial=5),
    "keepdims": lambda a: np.sum(a, keepdims=True),
}


@pytest.fixture
def cpu():
    device = gpunp.Device("cpu")
    with device:
        yield device


@pytest.fixture
def streaming():
    """All results are written past the caches."""
    before = set_streamed_bytes(1)
    yield
    set_streamed_bytes(before)


def operands(size, dtype):
    values = np.random.default_rng(5).standard_normal((2, size)) * 100
    return tuple(gpunp.asarray(each) for each in values.astype(dtype))


def same(result, wanted):
    result, wanted = (np.asarray(gpunp.asnumpy(each)) for each in (result, wanted))
    assert result.dtype == wanted.dtype
    assert result.shape == wanted.shape
    assert result.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("chain", CHAINS)
def test_the_bits_of_an_array_in_memory(cpu, chain, name, dtype):
    reduce = REDUCTIONS[name]
    for size in SIZES:
        x, y = operands(size, dtype)
        stored = CHAINS[chain](x, y)
        gpunp.asnumpy(stored)
        wanted = reduce(stored)
        threads = gpunp.config.threads
        try:
            for count in (1, 3):
                gpunp.config.threads = count
                same(reduce(CHAINS[chain](x, y)), wanted)
        finally:
            gpunp.config.threads = threads


def test_elements_that_are_used_again(cpu):
    x, y = operands(2**17, "float32")
    difference = x - y
    total, least = np.sum(difference), np.min(difference)
    same(difference + 1, gpunp.asnumpy(x) - gpunp.asnumpy(y) + np.float32(1))
    same(least, gpunp.asnumpy(difference).min())
    same(total, np.sum(gpunp.asarray(gpunp.asnumpy(difference))))


def test_not_a_number(cpu):
    x, y = operands(2**17, "float64")
    x[70000] = np.nan
    assert np.isnan(np.sum(x - y))
    assert np.isnan(np.max(x - y))
    x[70000], x[1], y[1] = np.inf, -np.inf, 0
    # A sum that is NaN is none of the elements that nansum leaves out.
    assert np.isnan(np.nansum(x * 1 - y))


@pytest.mark.parametrize("block", [0, 100, 2048])
@pytest.mark.parametrize("shape", [(2**17 + 3,), (301, 307), (257, 4, 129)])
def test_large_results(cpu, streaming, shape, block):
    rng = np.random.default_rng(7)
    hosts = [rng.standard_normal(shape).astype(np.float32) for _ in range(2)]
    row = hosts[0][..., :1, :] if len(shape) > 1 else hosts[0]
    before = set_block_elements(block)
    try:
        for transposed in (False, True) if len(shape) > 1 else (False,):
            x, y, z = (np.swapaxes(each, 0, -1) if transposed else each for each in (*hosts, row))
            a, b, c = (gpunp.asarray(each) for each in (x, y, z))
            first = (a - b) * 2
            second = first + c
            same(second, (x - y) * np.float32(2) + z)
            same(first, (x - y) * np.float32(2))
            first -= b
            same(first, (x - y) * np.float32(2) - y)
            wide = gpunp.zeros((*x.shape, 2), np.float64)
            wide[..., 1] = a * b + 1
            same(wide[..., 1], (x * y + np.float32(1)).astype(np.float64))
    finally:
        set_block_elements(before)


def test_large_rows(cpu, streaming):
    x = np.random.default_rng(8).standard_normal((300, 401)).astype(np.float32)
    a = gpunp.asarray(x)
    powers = np.exp(a - np.max(a, axis=1, keepdims=True))
    result = gpunp.asnumpy(powers / np.sum(powers, axis=1, keepdims=True))
    wanted = np.exp(x - x.max(axis=1, keepdims=True).astype(np.float64))
    np.testing.assert_allclose(result, wanted / wanted.sum(axis=1, keepdims=True), rtol=2e-6)


# Values that share memory with operands, or cannot: other sizes, later uses, masks.
SHARED = {
    "one after the other": lambda x, y, z: ((x - y) * z + 1) * 2,
    "used twice": lambda x, y, z: (x + y) * (x + y) - (x + y) * z,
    "other sizes": lambda x, y, z: ((x > y) & (z > x)) * (x - y).astype(np.float64),
    "a choice": lambda x, y, z: np.where(x - y > z, (x - y) * 2, z * z),
    "neighbors": lambda x, y, z: x[1:-1] + x[:-2] + x[2:] - y[1:-1] * z[2:],
    "one row": lambda x, y, z: (x - y[:1]) * z / (y[1:2] + 2),
    "backwards": lambda x, y, z: x[::-1] * y - z[::-1] + x,
}


def masked(x, y, z):
    result = x * y
    np.subtract(result, z, out=result, where=y > z)
    result *= 3
    return result


@pytest.mark.parametrize("block", [0, 7, 1000])
@pytest.mark.parametrize("shape", [(2**17 + 5,), (301, 307), (40, 33, 65)])
@pytest.mark.parametrize("name", [*SHARED, "masked"])
def test_values_share_memory(cpu, name, shape, block):
    rng = np.random.default_rng(9)
    arrays = [gpunp.asarray(rng.standard_normal(shape).astype(np.float32)) for _ in range(3)]
    program = SHARED.get(name, masked)
    with gpunp.config.using(fusion="off"):
        wanted = gpunp.asnumpy(program(*arrays))
    before = set_block_elements(block)
    try:
        same(program(*arrays), wanted)
    finally:
        set_block_elements(before)
