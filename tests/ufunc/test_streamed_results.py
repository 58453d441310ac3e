"""Results that are written past the caches of the CPU device: the same bits as others."""

import numpy as np
import pytest
from gpunp.ufunc.streaming import set_streamed_bytes
from records import assert_same

import gpunp

ROWS = {
    "add": lambda a, b, out: np.add(a, b, out=out),
    "scalar": lambda a, b, out: np.multiply(a, 3, out=out),
    "divide": lambda a, b, out: np.divide(a, b, out=out),
    "maximum": lambda a, b, out: np.maximum(a, b, out=out),
    "floor": lambda a, b, out: np.floor(a, out=out),
    "row": lambda a, b, out: np.subtract(a, b[..., :1, :] if b.ndim > 1 else b[:1], out=out),
    "column": lambda a, b, out: np.subtract(a, b[..., :1], out=out),
    "converted": lambda a, b, out: np.add(a, (b * 4 + 1).astype(np.int8), out=out),
    "steps": lambda a, b, out: np.add(a[..., ::-1], b, out=out),
    "in place": lambda a, b, out: np.add(out, b, out=out),
    "partly in place": lambda a, b, out: np.add(out[..., :-1], b[..., :-1], out=out[..., 1:]),
}

COMPARISONS = [np.less, np.greater_equal, np.equal, np.not_equal]


@pytest.fixture
def streamed():
    before = set_streamed_bytes(1)
    yield
    set_streamed_bytes(before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, np.complex64])
@pytest.mark.parametrize("shape", [(1025,), (5000,), (3, 1024), (7, 2050), (2, 3, 1500), (40, 20)])
@pytest.mark.parametrize("name", ROWS)
def test_the_same_bits(name, shape, dtype, streamed, device):
    if dtype in (np.int32, np.uint8) and name in ("divide", "converted"):
        pytest.skip("the result is not of this dtype")
    if dtype is np.complex64 and name in ("floor", "converted"):
        pytest.skip("not for complex numbers")
    rng = np.random.default_rng(4)
    values = [np.array(rng.random(shape) * 20 + 1).astype(dtype) for _ in range(3)]
    host = [v.copy() for v in values]
    arrays = [gpunp.asarray(v, device=device) for v in values]
    ROWS[name](*host)
    ROWS[name](*arrays)
    exact = dtype is not np.complex64 or name != "divide"
    assert_same(arrays[2], host[2]) if exact else np.testing.assert_allclose(
        gpunp.asnumpy(arrays[2]), host[2], rtol=1e-5
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("shape", [(5000,), (7, 2048), (7, 2050)])
@pytest.mark.parametrize("ufunc", COMPARISONS)
def test_comparisons(ufunc, shape, dtype, streamed, device):
    rng = np.random.default_rng(4)
    a, b = (rng.integers(0, 3, shape).astype(dtype) for _ in range(2))
    x, y = (gpunp.asarray(v, device=device) for v in (a, b))
    assert_same(ufunc(x, y), ufunc(a, b))
    assert_same(ufunc(x, 1), ufunc(a, 1))


@pytest.mark.parametrize("first", [0, 1, 13, 64])
def test_copies_past_the_caches(first, device):
    host = np.resize(np.arange(251, dtype=np.uint8), (33 << 20) + 77)
    array = gpunp.asarray(host, device=device)
    copy = array[first:].copy()
    array[first:] = copy
    assert bool((copy == gpunp.asarray(host[first:], device=device)).all())
    assert np.array_equal(gpunp.asnumpy(array), host)


def test_the_limit_is_returned():
    before = set_streamed_bytes(5)
    assert set_streamed_bytes(before) == 5
