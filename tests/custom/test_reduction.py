"""`ReductionKernel` against NumPy: documented examples, dtypes, layouts, axes, accumulators."""

import numpy as np
import pytest
from exact import check, values
from threads import run_together

import gpunp
from gpunp.array.dtype import DTYPES

kernel = gpunp.ReductionKernel
l2norm = kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
total = kernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
largest = kernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")

ARGMAX = """
template <class T>
struct Best {
    T value;
    ptrdiff_t place;
    __device__ Best(T value, ptrdiff_t place) : value(value), place(place) {}
};
template <class T>
__device__ Best<T> better(const Best<T>& a, const Best<T>& b) {
    if (a.value == b.value) return a.place < b.place ? a : b;
    return a.value > b.value ? a : b;
}
"""
argmax = kernel("T x", "int64 y", "Best<T>(x, i)", "better(a, b)", "y = a.place", None, "argmax", "Best<T>",
                preamble=ARGMAX)  # fmt: skip


def test_documented_example():
    x = np.arange(10, dtype="f4").reshape(2, 5)
    result = l2norm(gpunp.asarray(x), axis=1)
    assert result.dtype == "f4"
    np.testing.assert_allclose(result.get(), [5.477226, 15.9687195], rtol=1e-6)


def test_mean_by_sizes():
    post = "y = a / (_in_ind.size() / _out_ind.size())"
    mean = kernel("T x", "float64 y", "x", "a + b", post, "0", "mean", "double")
    x = values("f4", 12, 33)
    for axis in (None, 0, 1):
        np.testing.assert_allclose(
            mean(gpunp.asarray(x), axis=axis).get(), x.mean(axis, dtype="f8"), rtol=1e-15
        )


# Axes of an array of four dimensions.
AXES = [None, 0, 1, 2, 3, -1, (0, 1), (2, 3), (0, 2), (1, 3), (3, 0), (-2, 0, 3), (0, 1, 2, 3), ()]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
def test_axes(axis, keepdims):
    x = values("i8", 3, 4, 5, 6)
    check(total(gpunp.asarray(x), axis=axis, keepdims=keepdims), x.sum(axis, keepdims=keepdims))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    x = values(dtype, 5, 67)
    add = kernel("T x", "T y", "x", "a || b" if dtype.kind == "b" else "a + b", "y = a", "0", "add")
    for axis in (None, 0, 1):
        expected = x.any(axis) if dtype.kind == "b" else x.sum(axis, dtype=dtype)
        check(add(gpunp.asarray(x), axis=axis), expected)
    if dtype.name in ("int8", "float16", "float64", "complex128"):
        # The third kernel takes elements one at a time: a dtype of each size will do.
        for axis in (None, 0, 1):
            check(add(gpunp.asarray(x)[:, ::-2], axis=axis), add_of(x[:, ::-2], axis))


def add_of(x, axis):
    return x.any(axis) if x.dtype.kind == "b" else x.sum(axis, dtype=x.dtype)


LAYOUTS = {
    "c": lambda a: a,
    "f": lambda a: a.transpose(2, 1, 0),
    "axes moved": lambda a: a.transpose(2, 0, 1),
    "negative": lambda a: a[::-1, :, ::-1],
    "steps": lambda a: a[::2, 1:, ::3],
    "offset": lambda a: a[:, :, 1:],
    "aligned rows": lambda a: a[:, :, :64],
    "short rows": lambda a: a[:, :, :3],
    "one column": lambda a: a[:, :, 5:6],
    "one row": lambda a: a[1:2, 2:3],
    "one element": lambda a: a[:1, :1, :1],
    "stride 0": lambda a: np.broadcast_to(a[:, :1], a.shape),
}


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, dtype):
    base = values(dtype, 6, 5, 70)
    x, a = LAYOUTS[layout](base), LAYOUTS[layout](gpunp.asarray(base))
    add = kernel("T x", "double y", "abs(x)" if dtype == "c16" else "x", "a + b", "y = a", "0", "add")
    for axis in (None, 0, 1, 2, (0, 1), (1, 2), (0, 2)):
        expected = (np.abs(x) if dtype == "c16" else x).sum(axis, dtype="f8")
        np.testing.assert_allclose(add(a, axis=axis).get(), expected, rtol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_index(layout):
    """The index is that of the C order of the elements, whatever their order in memory."""
    base = values("f4", 6, 5, 70)
    x, a = LAYOUTS[layout](base), LAYOUTS[layout](gpunp.asarray(base))
    check(argmax(a), np.int64(x.argmax()))
    numbers = np.arange(x.size).reshape(x.shape)
    weighted = kernel(
        "float32 x", "int64 y, int64 z", "x * i", "a + b", "y = a; z = i", "0", "weighted", "long long"
    )
    for axis in (0, 1, 2, (0, 2), (0, 1, 2)):
        y, z = weighted(a, axis=axis)
        expected = (x * numbers).sum(axis, dtype="i8")
        check(y, expected)
        check(z, np.arange(expected.size).reshape(expected.shape))
    along = argmax(a, axis=2)
    check(
        along,
        numbers.reshape(-1, x.shape[2])[np.arange(x[..., 0].size), x.argmax(2).ravel()].reshape(along.shape),
    )


SIZES = [1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1025, 4095, 4097, 65_537, 1_000_003]


@pytest.mark.parametrize("size", SIZES)
def test_sizes(size):
    x = values("i4", size)
    check(total(gpunp.asarray(x)), x.sum(dtype="i4"))
    check(total(gpunp.asarray(x)[1:]), x[1:].sum(dtype="i4"))
    check(largest(gpunp.asarray(x)), x.max())
    check(argmax(gpunp.asarray(x)), np.int64(x.argmax()))


PAIR = """
template <class T>
struct Pair {
    T low, high;
};
template <class T>
__device__ Pair<T> merge(Pair<T> a, Pair<T> b) {
    return {min(a.low, b.low), max(a.high, b.high)};
}
"""
pair = kernel(
    *("T x", "T low, T high", "Pair<T>{x, x}", "merge(a, b)", "low = a.low; high = a.high", None),
    *("pair", "Pair<T>"),
    preamble=PAIR,
)

SHAPES = [
    *((n, 3) for n in (1, 31, 257, 100_003)),
    *((n, 33) for n in (5, 300, 20_000)),
    *((3, n) for n in (31, 257, 5000, 300_001)),
    *((n, 1000) for n in (7, 129, 2000)),
    *((300, 2), (70_000, 4), (4, 70_000), (1025, 257), (2, 3, 50_000), (50_000, 3, 2), (129, 3, 130)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rows_and_columns(shape):
    x = values("f4", *shape)
    a = gpunp.asarray(x)
    for axis in range(x.ndim):
        check(total(a, axis=axis), x.sum(axis, dtype="f8").astype("f4"))
        check(total(a[:, 1:], axis=axis), x[:, 1:].sum(axis, dtype="f8").astype("f4"))
        low, high = pair(a, axis=axis)
        check(low, x.min(axis))
        check(high, x.max(axis))


def test_same_results_in_each_run():
    x = gpunp.asarray(np.random.default_rng(1).standard_normal((1000, 3001)).astype("f4"))
    for axis in (None, 0, 1):
        first = total(x, axis=axis).get()
        for _ in range(3):
            np.testing.assert_array_equal(total(x, axis=axis).get(), first)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_accuracy(axis):
    """Rounding errors stay near those of NumPy's pairwise sums."""
    x = np.random.default_rng(2).random((2000, 2001), dtype="f4")
    np.testing.assert_allclose(total(gpunp.asarray(x), axis=axis).get(), x.sum(axis, dtype="f8"), rtol=2e-6)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((20, 33), (20, 33)),
        ((20, 33), (33,)),
        ((20, 33), (20, 1)),
        ((20, 1), (1, 33)),
        ((20, 33), ()),
        ((3, 1, 40), (5, 40)),
        ((3, 5, 40), (5, 1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtypes", ["f4 f4", "f4 f8", "i1 c16", "f2 i8"])
def test_several_inputs(first, second, dtypes):
    one, other = dtypes.split()
    x, y = values(one, *first), values(other, *second)
    dot = kernel("X x, Y y", "Z z", "(Z)x * (Z)y", "a + b", "z = a", "0", "dot")
    for axis in (None, 0, 1, -1):
        kind = "c16" if "c" in dtypes else "f8"
        expected = (x.astype(kind) * y.astype(kind)).sum(axis)
        out = gpunp.empty(expected.shape, kind)
        assert dot(gpunp.asarray(x), gpunp.asarray(y), out, axis=axis) is out
        check(out, expected)


def test_offsets_that_differ():
    x = values("f4", 4000)
    dot = kernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
    for i, j in ((0, 1), (1, 1), (3, 2), (4, 0)):
        check(
            dot(gpunp.asarray(x)[i : i + 3990], gpunp.asarray(x)[j : j + 3990]),
            x[i : i + 3990] @ x[j : j + 3990],
        )


def test_numbers_and_raw_arrays():
    x, w = values("f4", 6, 40), values("f4", 40)
    scaled = kernel("T x, T scale, float64 shift", "T y", "x * scale + shift", "a + b", "y = a * scale", "0")
    for axis in (None, 0, 1):
        check(scaled(gpunp.asarray(x), 2, 3.0, axis=axis), (x * 2 + 3).sum(axis, dtype="f4") * np.float32(2))
    weighted = kernel("T x, raw T w", "T y", "x * w[i % w.size()]", "a + b", "y = a + w[0]", "0", "weighted")
    for axis in (None, 0, 1):
        for weights, device_weights in ((w, gpunp.asarray(w)), (w[::-1], gpunp.asarray(w)[::-1])):
            check(
                weighted(gpunp.asarray(x), device_weights, axis=axis),
                (x * weights).sum(axis, dtype="f4") + weights[0],
            )
    # Host arrays are uploaded; a number alone has no dimensions.
    check(weighted(gpunp.asarray(x), w), (x * w).sum(dtype="f4") + w[0])
    check(total(gpunp.asarray(np.float32(3))), np.float32(3))
    check(total(2.5), np.float64(2.5))
    put = kernel("T x, T unused", "raw T y", "x", "a + b", "y[2 * i] = a", "0", "put")
    y = gpunp.zeros(12, "f4")
    put(gpunp.asarray(x), 0, y, axis=1)
    check(y[::2], x.sum(1))
    check(y[1::2], np.zeros(6, "f4"))


def test_outputs():
    x = values("f4", 8, 50)
    a = gpunp.asarray(x)
    out = gpunp.empty(8, "f8")
    mixed = kernel("X x", "Y y", "x", "a + b", "y = a", "0", "mixed")
    assert mixed(a, out=out, axis=1) is out
    check(out, x.sum(1, dtype="f8"))
    strided = gpunp.zeros((8, 3), "f4")
    total(a, strided[:, 1], axis=1)
    check(strided, np.stack([np.zeros(8), x.sum(1), np.zeros(8)], 1).astype("f4"))
    total(a, out=strided[::-1, 2], axis=1)
    check(strided[::-1, 2], x.sum(1))
    two = kernel("T x", "T y, int32 z", "x", "a + b", "y = a; z = 2 * a", "0", "two")
    y, z = two(a, axis=0)
    check(y, x.sum(0))
    check(z, (2 * x.sum(0)).astype("i4"))
    y, z = gpunp.empty((1, 50), "f4"), gpunp.empty((1, 50), "i4")
    assert two(a, out=(y, z), axis=0, keepdims=True)[1] is z
    check(z, (2 * x.sum(0, keepdims=True)).astype("i4"))
    # Expressions may read outputs.
    grow = kernel("T x", "T y", "x", "a + b", "y += a", "0", "grow")
    y = gpunp.ones(8, "f4")
    grow(a, y, axis=1)
    check(y, x.sum(1) + 1)


def test_outputs_that_overlap_inputs():
    x = values("f4", 300, 300)
    a = gpunp.asarray(x)
    total(a, a[:, 7], axis=1)
    y = x.copy()
    y[:, 7] = x.sum(1)
    check(a, y)
    total(a, a[150], axis=0)
    y[150] = y.sum(0)
    check(a, y)
    same = gpunp.asarray(x)
    total(same, same, axis=())
    check(same, x)


EMPTY = [
    ((0,), None),
    ((0, 5), 0),
    ((0, 5), 1),
    ((5, 0), 0),
    ((5, 0), 1),
    ((3, 0, 2), (0, 1)),
    ((3, 0, 2), 0),
]


@pytest.mark.parametrize(("shape", "axis"), EMPTY, ids=str)
def test_nothing(shape, axis):
    x = np.zeros(shape, "f4")
    check(total(gpunp.asarray(x), axis=axis), x.sum(axis))
    if x.sum(axis).size:
        with pytest.raises(
            ValueError, match="zero-size array to reduction operation largest which has no ident"
        ):
            largest(gpunp.asarray(x), axis=axis)
    else:
        check(largest(gpunp.asarray(x), axis=axis), x.max(axis))


def test_many_axes():
    x = values("i4", *(3,) * 8)[(slice(None, None, 2),) * 8]
    a = gpunp.asarray(values("i4", *(3,) * 8))[(slice(None, None, 2),) * 8]
    for axis in (None, 3, (0, 2, 4, 6), (1, 3, 5, 7)):
        check(total(a, axis=axis), x.sum(axis, dtype="i4"))
    wide = np.arange(2**13, dtype="i4").reshape((2,) * 13)
    order = (slice(None),) * 13
    moved = gpunp.asarray(wide).transpose(0, 2, 4, 6, 8, 10, 12, 1, 3, 5, 7, 9, 11)[order]
    check(total(moved, axis=(0, 2, 4, 6, 8)), moved.get().sum((0, 2, 4, 6, 8), dtype="i4"))


def test_threads():
    x = values("f4", 64, 1000)
    fresh = kernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")

    def work():
        for axis in (None, 0, 1) * 5:
            check(fresh(gpunp.asarray(x), axis=axis), (x * x).sum(axis, dtype="f4"))

    run_together(*[work] * 4)


def test_streams(device):
    if device.kind != "cuda":
        pytest.skip("the CPU device has no streams")
    x = values("f4", 1 << 20)
    a = gpunp.asarray(x)
    device.stream.synchronize()
    streams = [gpunp.cuda.Stream(non_blocking=True) for _ in range(3)]
    results = [total(a, stream=stream) for stream in streams]
    for stream, result in zip(streams, results, strict=True):
        stream.synchronize()
        check(result, x.sum(dtype="f4"))


@pytest.mark.large
def test_many_elements(device):
    x = gpunp.ones(2**31 + 1000, "i1")
    count = kernel("T x", "int64 y", "x", "a + b", "y = a", "0", "count")
    assert count(x).item() == 2**31 + 1000
    assert count(x[::2]).item() == 2**30 + 500
