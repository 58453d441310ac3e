"""Arrays that are cut over devices, against NumPy on the whole array; device numbers are names on the CPU."""

import operator

import numpy as np
import pytest

import gpunp
from gpunp.distributed.array import (
    MAX,
    REPLICA,
    SUM,
    DistributedArray,
    distributed_array,
    make_2d_index_map,
    matmul,
)

SHAPE = (6, 8)
# Disjoint, replicated, and overlapping in part, with steps.
MAPS = {
    "rows": {0: slice(3), 1: slice(3, None)},
    "columns": {0: (slice(None), slice(5)), 2: (slice(None), slice(5, None))},
    "replicas": {0: slice(None), 1: slice(None), 3: slice(None)},
    "blocks": make_2d_index_map([0, 4, 6], [0, 2, 8], [[{0}, {1}], [{1, 2}, {0}]]),
    "overlaps": {0: [slice(4), (slice(2, None), slice(3))], 1: [slice(2, None), slice(0, 2)]},
    "steps": {0: [slice(None, None, 2), (slice(2), slice(2))], 1: [slice(1, None, 2), slice(3, None)]},
}
MODES = ("replica", "sum", "prod", "max", "min")
DTYPES = ("f4", "f8", "i4", "u1", "c16", "?")


def values(rng, dtype, shape=SHAPE):
    return rng.integers(1, 4, shape).astype(dtype)


@pytest.fixture(params=MAPS)
def index_map(request, on_devices):
    return on_devices(MAPS[request.param])


def same(distributed, host):
    found = distributed.get()
    assert found.dtype == host.dtype
    assert distributed.shape == host.shape
    np.testing.assert_allclose(found, host, rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_made_and_gathered(index_map, rng, dtype):
    host = values(rng, dtype)
    for source in (host, gpunp.asarray(host), host[::-1][::-1], host.tolist()):
        made = distributed_array(source, index_map)
        np.testing.assert_array_equal(made.get(), host)
        assert made.mode == REPLICA == "replica"
        assert set(made.devices) == set(index_map)
    made = distributed_array(host, index_map)
    assert (made.shape, made.ndim, made.size, made.nbytes) == (host.shape, 2, host.size, host.nbytes)
    assert made.dtype == host.dtype
    for number, chunks in made.all_chunks().items():
        for chunk, index in zip(chunks, made.index_map[number], strict=True):
            np.testing.assert_array_equal(gpunp.asnumpy(chunk), host[index])
    again = distributed_array(made, made.index_map)
    np.testing.assert_array_equal(again.get(), host)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_modes_keep_the_elements(index_map, rng, dtype, mode):
    host = values(rng, dtype)
    if dtype == "c16" and mode in ("max", "min"):
        with pytest.raises(TypeError, match="complex numbers have no mode"):
            distributed_array(host, index_map, mode)
        return
    made = distributed_array(host, index_map, mode)
    assert made.mode == mode
    same(made, host)
    for other in MODES:
        if dtype != "c16" or other not in ("max", "min"):
            same(made.change_mode(other), host)
    same(made, host)
    assert made.change_mode(mode) is made


@pytest.mark.parametrize("mode", MODES[1:])
def test_chunks_of_a_mode_are_combined(index_map, rng, mode):
    host = values(rng, "f8")
    made = distributed_array(host, index_map, mode)
    expected = np.full(SHAPE, {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}[mode])
    fold = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[mode]
    for number, chunks in made.all_chunks().items():
        for chunk, index in zip(chunks, made.index_map[number], strict=True):
            chunk[...] = gpunp.asarray(rng.integers(1, 9, chunk.shape).astype("f8"))
            expected[index] = fold(expected[index], gpunp.asnumpy(chunk))
    same(made, expected)
    same(made.change_mode("replica"), expected)
    # The given array is as it was.
    same(made, expected)


@pytest.mark.parametrize("other", MAPS)
@pytest.mark.parametrize("mode", ["replica", "sum"])
def test_reshard(index_map, on_devices, rng, other, mode):
    host = values(rng, "f4")
    made = distributed_array(host, index_map, mode).reshard(on_devices(MAPS[other]))
    assert made.mode == "replica"
    same(made, host)
    for number, chunks in made.all_chunks().items():
        for chunk, index in zip(chunks, made.index_map[number], strict=True):
            assert chunk.flags.c_contiguous
            np.testing.assert_array_equal(gpunp.asnumpy(chunk), host[index])


# Calls of one or two distributed arrays x, y and a row r, on the host or the device.
ELEMENTWISE = [
    lambda x, y, r: np.sqrt(x),
    lambda x, y, r: x + y,
    lambda x, y, r: x - y * 2,
    lambda x, y, r: 3 / x,
    lambda x, y, r: -x,
    lambda x, y, r: x * r + 1,
    lambda x, y, r: r - x,
    lambda x, y, r: np.maximum(x, y),
    lambda x, y, r: x > y,
    lambda x, y, r: np.divmod(x, y)[1],
    lambda x, y, r: np.add(x, y, dtype="f8"),
    lambda x, y, r: abs(x) ** 2,
    lambda x, y, r: (x / 2 + y / 2) * 4,
]


@pytest.mark.parametrize("number", range(len(ELEMENTWISE)))
@pytest.mark.parametrize("mode", MODES)
def test_elementwise(index_map, on_devices, rng, number, mode):
    call = ELEMENTWISE[number]
    a, b, row = values(rng, "f4"), values(rng, "f4"), values(rng, "f4", SHAPE[-1:])
    expected = call(a, b, row)
    x, y = distributed_array(a, index_map, mode), distributed_array(b, index_map, mode)
    for other in (y, distributed_array(b, on_devices(MAPS["rows"]))):
        for given in (row, gpunp.asarray(row)):
            same(call(x, other, given), expected)


def test_modes_that_are_kept(on_devices, rng):
    host = values(rng, "f4")
    x = distributed_array(host, on_devices(MAPS["replicas"]), SUM)
    assert [each.mode for each in (x + x, x - x, -x, x * 2, x / 2)] == [SUM] * 5
    assert [each.mode for each in (x + 1, x * x, 2 / x, abs(x))] == [REPLICA] * 4
    largest = x.change_mode(MAX)
    assert np.maximum(largest, largest).mode == MAX
    assert (-largest).mode == REPLICA


def test_outputs(index_map, rng):
    host = values(rng, "f4")
    x = distributed_array(host, index_map)
    out = distributed_array(np.zeros_like(host), index_map)
    assert np.add(x, x, out=out) is out
    same(out, host + host)
    x += x
    same(x, host + host)
    with pytest.raises(TypeError, match=r"Cannot cast ufunc 'add' output"):
        np.add(x, 1j, out=out)
    with pytest.raises(TypeError, match="out must be a DistributedArray, not ndarray"):
        np.add(x, 1, out=np.zeros(SHAPE))
    with pytest.raises(ValueError, match=r"out has shape \(2,\)"):
        np.add(x, 1, out=distributed_array(np.zeros(2), {0: slice(None)}))


def test_broadcast_operands_are_distributed_too(index_map, on_devices, rng):
    host, row = values(rng, "f8"), values(rng, "f8", (1, SHAPE[1]))
    x = distributed_array(host, index_map)
    y = distributed_array(row, on_devices({0: (0, slice(4)), 1: (0, slice(4, None))}))
    same(x * y, host * row)
    same(y - x, row - host)
    with pytest.raises(ValueError, match="no DistributedArray operand"):
        y + distributed_array(np.zeros((6, 1)), on_devices({0: slice(None)}))


REDUCTIONS = ("sum", "prod", "max", "min", "mean", "any", "all")
AXES = (None, 0, 1, -1, (0, 1), ())


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("mode", MODES)
def test_reductions(index_map, rng, name, mode):
    # Products of float16 overflow.
    for dtype in ("f4", "i4", "?", "u1", *(("f2",) if name != "prod" else ())):
        host = values(rng, dtype)
        x = distributed_array(host, index_map, mode)
        for axis in AXES:
            for keepdims in (False, True):
                expected = getattr(np, name)(host, axis=axis, keepdims=keepdims)
                found = getattr(np, name)(x, axis=axis, keepdims=keepdims)
                if axis is None and not keepdims:
                    assert isinstance(found, gpunp.ndarray)
                    found = gpunp.asnumpy(found)
                else:
                    found = found.get()
                assert found.dtype == expected.dtype, (dtype, axis)
                np.testing.assert_allclose(found, expected, rtol=1e-3 if dtype == "f2" else 1e-5)
        if name == "sum":
            same(x.sum(axis=0, dtype="c16"), host.sum(axis=0, dtype="c16"))
            same(np.add.reduce(x), np.add.reduce(host))


PRODUCTS = {
    "matched": ({0: slice(3), 1: slice(3, 7)}, {0: slice(None), 1: slice(None)}),
    "rows by rows": ({0: slice(3), 1: slice(3, 7)}, {0: slice(4), 1: slice(4, 9)}),
    "columns by rows": (
        {0: (slice(None), slice(4)), 1: (slice(None), slice(4, 9))},
        {0: slice(4), 1: slice(4, 9)},
    ),
    "blocks": (
        make_2d_index_map([0, 3, 7], [0, 4, 9], [[{0}, {1}], [{2}, {3}]]),
        make_2d_index_map([0, 4, 9], [0, 2, 5], [[{0}, {1}], [{2}, {3}]]),
    ),
    "replicated blocks": (
        make_2d_index_map([0, 7], [0, 1, 9], [[{0}, {0, 1}]]),
        make_2d_index_map([0, 1, 9], [0, 2, 5], [[{0}, {0}], [{1}, {0, 1}]]),
    ),
    "other cuts": (
        {0: (slice(None), slice(2)), 1: (slice(None), slice(2, 9))},
        {0: slice(5), 2: slice(5, 9)},
    ),
    "one and two": ({0: slice(None)}, {0: (slice(None), slice(2)), 1: (slice(None), slice(2, 5))}),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
@pytest.mark.parametrize("mode", ["replica", "sum"])
def test_products(on_devices, rng, name, dtype, mode):
    a, b = values(rng, dtype, (7, 9)), values(rng, dtype, (9, 5))
    maps = [on_devices(each) for each in PRODUCTS[name]]
    x, y = (distributed_array(each, index_map, mode) for each, index_map in zip((a, b), maps, strict=True))
    for multiply in (operator.matmul, np.matmul, matmul):
        found = multiply(x, y)
        assert found.mode == SUM
        same(found, a @ b)
        same(found.change_mode("replica"), a @ b)
    same((x @ y) @ distributed_array(np.eye(5, dtype=dtype), {0: slice(None)}), a @ b)


def test_product_of_the_documentation(on_devices):
    first = make_2d_index_map([0, 2], [0, 1, 3], [[{0}, {0, 1}]])
    second = make_2d_index_map([0, 1, 3], [0, 2, 4], [[{0}, {0}], [{1}, {0, 1}]])
    a = distributed_array(np.arange(6).reshape(2, 3), on_devices(first))
    b = distributed_array(np.arange(12).reshape(3, 4), on_devices(second))
    np.testing.assert_array_equal((a @ b).get(), [[20, 23, 26, 29], [56, 68, 80, 92]])


def test_conversions(index_map, rng):
    host = values(rng, "f4")
    x = distributed_array(host, index_map)
    same(x.astype("i8"), host.astype("i8"))
    assert x.astype("f4", copy=False) is x
    copied = x.copy()
    copied += 1
    same(x, host)
    out = np.zeros(SHAPE, "f4")
    assert x.get(out=out) is out
    np.testing.assert_array_equal(out, host)
    assert x.get(order="F").flags.f_contiguous
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == (SHAPE, 2, 48, 8)
    x.synchronize()
    assert "shape (6, 8), float32, mode replica, on devices" in repr(x)


def test_a_number_is_true_or_false(on_devices):
    one = distributed_array(np.ones((1, 1)), on_devices({0: slice(None)}))
    assert bool(one)
    with pytest.raises(ValueError, match="truth value"):
        bool(distributed_array(np.ones(2), on_devices({0: slice(None)})))


ERRORS = [
    (lambda x: np.asarray(x), TypeError, r"not copied to the host implicitly; use its method get\(\)"),
    (lambda x: x[0], TypeError, "cannot be indexed"),
    (lambda x: operator.setitem(x, 0, 1), TypeError, "cannot be assigned to"),
    (lambda x: x.reshape(-1), AttributeError, "has no 'reshape'"),
    (lambda x: x.nothing, AttributeError, "no attribute 'nothing'"),
    (lambda x: iter(x), TypeError, "not iterable"),
    (lambda x: np.sort(x), TypeError, "np.sort is not supported"),
    (lambda x: np.add.accumulate(x), TypeError, "np.add.accumulate is not supported"),
    (lambda x: np.add(x, 1, where=np.ones(8, bool)), TypeError, "where is not supported"),
    (lambda x: np.sum(x, where=np.ones(8, bool)), TypeError, "where is not supported"),
    (lambda x: np.sum(x, axis=2), IndexError, "axis 2 is out of bounds"),
    (lambda x: x.sum(out=np.zeros(())), TypeError, "out is not supported"),
    (lambda x: x + np.ones(3), ValueError, "broadcast"),
    (lambda x: x @ np.ones((8, 2)), TypeError, "b must be a DistributedArray, not ndarray"),
    (lambda x: x @ x, ValueError, "8 columns, b of shape .* has 6 rows"),
    (lambda x: x.change_mode("mean"), ValueError, "mode must be one of replica, sum"),
    (lambda x: x.reshard([0]), TypeError, "index_map must be a dict"),
    (lambda x: x.get(out=np.zeros(3)), ValueError, r"out has shape \(3,\)"),
    (lambda x: x.get(stream=1), ValueError, "stream must be None"),
    (lambda x: x.copy("F"), ValueError, "chunks are in order 'C'"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_what_is_refused(on_devices, number):
    call, error, message = ERRORS[number]
    x = distributed_array(np.ones(SHAPE), on_devices(MAPS["rows"]))
    with pytest.raises(error, match=message):
        call(x)


def test_elements_that_no_chunk_has(on_devices):
    x = distributed_array(np.ones(SHAPE), on_devices({0: slice(2), 1: slice(3, None)}))
    for call in (
        lambda: x.get(),
        lambda: x.reshard(on_devices({0: slice(None)})),
        lambda: distributed_array(np.ones(SHAPE), on_devices({0: slice(None)})) + x,
        lambda: distributed_array(np.ones((2, 6)), on_devices({0: slice(None)})) @ x,
    ):
        with pytest.raises(ValueError, match="no chunk holds some of the elements"):
            call()


def test_empty_arrays(on_devices):
    x = distributed_array(np.zeros((0, 3)), on_devices({0: slice(None), 1: slice(None)}))
    assert x.get().shape == (0, 3)
    assert x.size == 0


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1}, {"axis": (0, 1)}, {"keepdims": True}])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "any", "all"])
def test_reductions_of_no_elements(name, options, on_devices):
    host = np.zeros((0, 3), "f4")
    found = getattr(distributed_array(host, on_devices({0: slice(None), 1: slice(None)})), name)(**options)
    expected = getattr(host, name)(**options)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found.get(), expected)


def test_constructor(rng, on_devices):
    host = values(rng, "f4")
    x = distributed_array(host, on_devices(MAPS["blocks"]))
    again = DistributedArray(x.shape, x.dtype, x._chunks)
    same(again, host)
    same(again + x, host + host)


def test_sums_one_after_another(two_gpus):
    with two_gpus[0]:
        x = distributed_array(np.zeros((2000, 1000)), {0: slice(1000), 1: slice(1000, None)})
        totals = []
        for _ in range(200):
            x += 1
            totals.append(x.sum())
            # Results of a few bytes use the memory of those before.
            x.max()
        np.testing.assert_array_equal([float(total) for total in totals], np.arange(1, 201) * 2e6)


def test_copies_run_both_ways(two_gpus, rng):
    host = rng.random((2000, 3000))
    with two_gpus[0]:
        x = distributed_array(host, {0: slice(1000), 1: slice(1000, None)})
        y = x.reshard({0: slice(1000, None), 1: slice(1000)})
        for _ in range(20):
            x, y = y.reshard(x.index_map) + 1, x.reshard(y.index_map) + 1
        np.testing.assert_allclose(x.get(), host + 20)
        np.testing.assert_allclose(y.get(), host + 20)
        total = x.sum()
        assert total.device is two_gpus[0]
        np.testing.assert_allclose(float(total), (host + 20).sum())
    with two_gpus[1]:
        assert x.sum().device is two_gpus[1]
        product = x @ distributed_array(host.T, {0: slice(1500), 1: slice(1500, None)})
        np.testing.assert_allclose(product.get(), (host + 20) @ host.T)
