"""`ElementwiseKernel` against NumPy: documented examples, dtypes, layouts, scalars, raw arrays, errors."""

import threading

import numpy as np
import pytest

import gpunp
from gpunp.array.dtype import DTYPES

kernel = gpunp.ElementwiseKernel
squared_diff = kernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
add = kernel("T x, T y", "T z", "z = x + y", "add")


def values(dtype, *shape):
    """Small whole numbers, so that every dtype computes them exactly."""
    return (
        (np.arange(np.prod(shape, dtype=int)) % 7 - (np.dtype(dtype).kind in "ifc") * 3)
        .astype(dtype)
        .reshape(shape)
    )


def check(result, expected):
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.get(), expected)


def test_documented_examples():
    x, y = np.arange(10, dtype="f4").reshape(2, 5), np.arange(5, dtype="f4")
    a, b = gpunp.asarray(x), gpunp.asarray(y)
    fixed = kernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    check(fixed(a, b), (x - y) ** 2)
    check(fixed(a, 5), (x - 5) ** 2)
    z = gpunp.empty((2, 5), "f4")
    assert fixed(a, b, z) is z
    check(z, (x - y) ** 2)
    generic = kernel("T x, T y", "T z", "T diff = x - y;\nz = diff * diff;", "squared_diff_generic")
    check(generic(a, b), (x - y) ** 2)
    check(generic(a.astype("i8"), b.astype("i8")), ((x - y) ** 2).astype("i8"))
    wider = kernel("X x, Y y", "Z z", "z = (x - y) * (x - y)", "squared_diff_super_generic")
    z = gpunp.empty((2, 5), "f8")
    check(wider(a, b.astype("i4"), z), ((x - y) ** 2).astype("f8"))
    reverse = kernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse")
    check(reverse(b, b), y + y[::-1])
    everything = kernel("raw T x, raw T y", "raw T z", "z[i] = x[i] * y[n - 1 - i]", "everything_raw")
    z = gpunp.zeros(5, "f4")
    everything(b, b, z, size=4)
    check(z, np.append(y[:4] * y[3::-1], np.float32(0)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    x, y = values(dtype, 3, 37), values(dtype, 37)
    operation = "z = x || y" if dtype.kind == "b" else "z = x + y"
    check(kernel("T x, T y", "T z", operation)(gpunp.asarray(x), gpunp.asarray(y)), x + y)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_scalars_of_all_dtypes(dtype):
    x = values(dtype, 21)
    fill = kernel("T a, bool b, T x, T c", "T z", "z = b ? (T)(a + x + c) : x", "scalars")
    for number in (1, np.float32(1), np.int8(1), True):
        check(fill(number, True, gpunp.asarray(x), np.True_), x + dtype.type(1) + dtype.type(1))


LAYOUTS = {
    "c": lambda a: (a, a[::-1].copy()),
    "f": lambda a: (a.copy("F"), a[::-1].copy("F")),
    "one transposed": lambda a: (a, a.copy("F")),
    "axes moved": lambda a: (a.transpose(2, 0, 1), a.transpose(2, 0, 1)[::-1]),
    "negative": lambda a: (a[:, ::-1], a[::-1, :, ::-1]),
    "all negative": lambda a: (a[::-1, ::-1, ::-1], a[::-1, ::-1, ::-1]),
    "steps": lambda a: (a[::2, :, 1::3], a[1::2, :, ::3][:, :, : a[:, :, 1::3].shape[2]]),
    "offset": lambda a: (a[:, :, 1:], a[:, :, :-1]),
    "aligned rows": lambda a: (a[:, :, :64], a[::-1, :, :64]),
    "short rows": lambda a: (a[:, :, :3], a[:, :, 3:6]),
    "row": lambda a: (a, a[0, 0]),
    "column": lambda a: (a, a[:, :, :1]),
    "outer": lambda a: (a[0, 0], a[:, :1, :1]),
    "number": lambda a: (a[1], a[0, 0, 0]),
    "stride 0": lambda a: (np.broadcast_to(a[0, 0], a.shape), np.broadcast_to(a[0, :1, :1], a.shape)),
    "no axes": lambda a: (a[0, 0, 0], a[1, 1, 1]),
    "one element": lambda a: (a[:1, :1, :1], a[0, 0, :1]),
    "nothing": lambda a: (a[:0], a[0]),
    "nothing broadcast": lambda a: (a[:, :, :0], a[:, :, :1]),
}
# Those in which vectors of other widths may go wrong.
LAYOUTS_OF_ALL = ("c", "one transposed", "offset", "aligned rows", "short rows", "row")


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [
        *((name, "f4") for name in LAYOUTS),
        *((name, dtype) for name in LAYOUTS_OF_ALL for dtype in ("u1", "c16")),
    ],
)
def test_layouts(layout, dtype):
    base = values(dtype, 4, 5, 66)
    x, y = LAYOUTS[layout](base)
    a, b = LAYOUTS[layout](gpunp.asarray(base))
    assert a.strides == x.strides or x.size <= 1
    result = add(a, b)
    check(result, np.asarray(x + y))
    assert result.flags.c_contiguous
    # Into outputs of other layouts, and for operations that depend on the order of the elements.
    out = gpunp.zeros(result.shape[::-1], dtype).T
    add(a, b, out)
    check(out, np.asarray(x + y))
    if dtype == "f4":
        number = kernel("T x, T y", "int64 z", "z = i", "number")
        check(number(a, b), np.arange(result.size).reshape(result.shape))
        out = gpunp.zeros(result.shape[::-1], "i8").T[..., ::-1] if result.ndim else gpunp.zeros((), "i8")
        number(a, b, out)
        check(out, np.arange(result.size).reshape(result.shape))


@pytest.mark.parametrize("size", [1, 3, 4, 5, 127, 128, 1023, 1024, 1025, 4099, 100_003])
@pytest.mark.parametrize("block_size", [128, 96, 1024])
def test_sizes(size, block_size):
    x = values("f4", size)
    check(add(gpunp.asarray(x), 1, block_size=block_size), x + 1)
    # Mixed sizes: the vectors of some operands are shorter than those of others.
    mixed = kernel("uint8 x, float64 y", "int16 z", "z = x + y", "mixed")
    b, d = values("u1", size), values("f8", size)
    check(mixed(gpunp.asarray(b), gpunp.asarray(d), block_size=block_size), (b + d).astype("i2"))


def test_many_axes():
    shape = (2, 1, 3) * 2 + (1,) * 50 + (2, 3)
    x = values("f4", *shape)
    check(add(gpunp.asarray(x), gpunp.asarray(x[..., :1])), x + x[..., :1])
    # None of these axes can be merged.
    x = values("i4", *(3,) * 8)[(slice(None, None, 2),) * 8]
    check(add(gpunp.asarray(values("i4", *(3,) * 8))[(slice(None, None, 2),) * 8], 5), x + 5)


def test_many_parameters():
    names = [f"x{k}" for k in range(40)]
    total = kernel(", ".join(f"float64 {name}" for name in names), "float64 z", f"z = {' + '.join(names)}")
    check(total(*(gpunp.asarray(np.full(9, float(k))) for k in range(40))), np.full(9, 780.0))
    with pytest.raises(ValueError, match="at most 64 parameters"):
        kernel(", ".join(f"T y{k}" for k in range(64)), "T z", "")


SCALARS = [
    ((3, 4), 1),
    ((2.5, 1), 2.25),
    ((np.float32(2.5), 1), np.float32(2.25)),
    ((np.int8(5), np.int16(2)), np.int16(9)),
    ((2j, 1), (2j - 1) ** 2),
]


@pytest.mark.parametrize(("args", "expected"), SCALARS)
def test_only_scalars(args, expected):
    check(squared_diff(*args), np.asarray(expected))


def test_host_arrays():
    x, y = values("f4", 3, 4), values("f4", 4)
    check(add(gpunp.asarray(x), y), x + y)
    check(add(gpunp.asarray(x.astype("i8")), [1, 2, 3, 4]), x.astype("i8") + np.arange(1, 5))
    check(add(gpunp.asarray(x), np.float64(2)), x + np.float32(2))
    check(add(gpunp.asarray(x), np.array(2)), x + np.float32(2))
    check(add(x, y), x + y)
    with gpunp.config.using(host_operands="error"), pytest.raises(TypeError, match="add"):
        add(gpunp.asarray(x), y)


def test_outputs():
    x = gpunp.asarray(values("f4", 6))
    both = kernel("T x", "T y, float64 z", "y = x + 1; z = x * 2.0", "both")
    y, z = both(x)
    check(y, values("f4", 6) + 1)
    check(z, values("f8", 6) * 2.0)
    given = gpunp.empty(6, "f4"), gpunp.empty(6, "f8")
    result = both(x, *given)
    assert isinstance(result, tuple)
    assert result[0] is given[0]
    assert result[1] is given[1]
    (single,) = kernel("T x", "T y", "y = x", return_tuple=True)(x)
    check(single, x.get())
    nothing = kernel("T x", "T y", "y = x", no_return=True, return_tuple=True)
    assert nothing(x) is None
    assert nothing(x, given[0]) is None
    check(given[0], x.get())
    # Inputs are broadcast to outputs.
    out = gpunp.zeros((2, 6), "f4")
    add(x, 1, out)
    check(out, np.tile(x.get() + 1, (2, 1)))


def test_outputs_are_read():
    x, before = values("f4", 5, 103), np.arange(5 * 103, dtype="f4").reshape(5, 103)
    for slices in ((...,), (..., slice(1, None)), (..., slice(None, None, 2))):
        out = gpunp.asarray(before.copy())
        kernel("T x", "T z", "if (x > 0) z = x")(gpunp.asarray(x)[slices], out[slices])
        expected = before.copy()
        expected[slices] = np.where(x > 0, x, before)[slices]
        check(out, expected)
        kernel("T x", "T z", "z += x", "more")(gpunp.asarray(x)[slices], out[slices])
        expected[slices] += x[slices]
        check(out, expected)


def test_address_of_an_output():
    out = gpunp.ones((3, 50), "f4")
    in_memory = kernel("T x", "T z", "atomicAdd(&z, x); T* p = &z; if (*p > 2) *p = -1", "in_memory")
    in_memory(gpunp.asarray(values("f4", 3, 50)), out)
    expected = 1 + values("f4", 3, 50)
    check(out, np.where(expected > 2, np.float32(-1), expected))


def test_overlap():
    x = np.arange(3000, dtype="f4")
    for target, source in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None)), (..., ...)):
        a, expected = gpunp.asarray(x), x.copy()
        add(a[source], 1, a[target])
        expected[target] = x[source] + 1
        check(a, expected)
    a = gpunp.asarray(x)
    add(a[::-1], 0, a)
    check(a, x[::-1])


def test_statements():
    x = values("i4", 200)
    a = gpunp.asarray(x)
    # return, continue and break end the operation of an element.
    for word in ("return", "continue", "break"):
        check(
            kernel("T x", "T z", f"z = 1;\nif (x < 0) {word};\nz = 2; // done", "leave")(a),
            np.where(x < 0, 1, 2).astype("i4"),
        )
    loops = kernel(
        "T x", "T z", "z = 0; for (int k = 0; k < x; k++) { if (k == 2) continue; z += k; }", "loops"
    )
    check(loops(a), np.array([sum(k for k in range(v) if k != 2) for v in x], "i4"))
    parts = kernel(
        "T x, T a",
        "T z",
        "z = twice(x) + a + b",
        "parts",
        preamble="#define TWO 2\n__device__ T twice(T x) { return TWO * x; }",
        loop_prep="const T b = a * 10; T count = 0;",
        after_loop="count++;",
    )
    check(parts(a, 3), 2 * x + 33)
    macro = kernel("T x", "int64 z", "z = INDEX", "macro", preamble="#define INDEX (i + n)")
    check(macro(a.reshape(10, 20).T), (np.arange(200) + 200).reshape(20, 10))
    options = kernel("T x", "T z", "z = x + SHIFT", "options", options=("-DSHIFT=5",))
    check(options(a), x + 5)
    check(kernel("T x", "T z", "z = max(x, T(1))")(a), np.maximum(x, 1))


def test_types_in_operations():
    z = values("c8", 40) + np.complex64(1j)
    norms = kernel("complex64 z", "float32 r", "r = norm(z) + z.real() * z.imag()", "norms")
    check(norms(gpunp.asarray(z)), (z.real**2 + z.imag**2 + z.real * z.imag).astype("f4"))
    h = values("f2", 40)
    check(
        kernel("float16 h", "float16 r", "r = h * h + float16(0.5)")(gpunp.asarray(h)),
        h * h + np.float16(0.5),
    )
    sizes = kernel("Key k", "int32 z", "z = sizeof(Key)", "sizes")
    for dtype in DTYPES:
        check(sizes(gpunp.asarray(values(dtype, 2))), np.full(2, dtype.itemsize, "i4"))


RAW = {
    "c": lambda a: a,
    "f": lambda a: a.T,
    "steps": lambda a: a[::2, ::3],
    "negative": lambda a: a[::-1, ::-1],
    "vector": lambda a: a[0],
    "column": lambda a: a[:, 1],
}


@pytest.mark.parametrize("layout", RAW)
@pytest.mark.parametrize("reduce_dims", [True, False])
def test_raw(layout, reduce_dims):
    x = values("f4", 6, 9)
    y, b = RAW[layout](x), RAW[layout](gpunp.asarray(x))
    gather = kernel("raw T x, int32 k", "T z", "z = x[k]", "gather", reduce_dims=reduce_dims)
    order = np.random.default_rng(1).permutation(y.size).astype("i4")
    check(gather(b, gpunp.asarray(order)), y.ravel()[order])
    extents = kernel(
        "raw T x",
        "int64 z",
        "z = i == 0 ? x.size() : i == 1 ? x.ndim : i % 2 ? x.strides()[i / 2 - 1] : x.shape()[i / 2 - 1]",
        "extents",
        reduce_dims=reduce_dims,
    )
    expected = [y.size, y.ndim, *(k for pair in zip(y.shape, y.strides, strict=True) for k in pair)]
    check(extents(b, size=2 + 2 * y.ndim), np.array(expected))
    if y.ndim == 2:
        swap = kernel("int32 r, int32 c, raw T x", "T z", "z = x[{r, c}]", "swap", reduce_dims=reduce_dims)
        rows, columns = np.indices(y.shape, dtype="i4")
        check(swap(gpunp.asarray(rows), gpunp.asarray(columns), b), y)


def test_raw_outputs():
    histogram = kernel("int32 x", "raw int32 counts", "atomicAdd(&counts[x], 1)", "histogram", no_return=True)
    x = np.random.default_rng(2).integers(0, 10, 1000, dtype="i4")
    counts = gpunp.zeros((10, 2), "i4")[:, 1]
    histogram(gpunp.asarray(x), counts)
    check(counts, np.bincount(x, minlength=10).astype("i4"))
    check(
        kernel("raw int32 x", "int32 z", "z = x[0] + (int)i")(gpunp.asarray(x), size=3),
        x[0] + np.arange(3, dtype="i4"),
    )
    check(kernel("", "int64 z", "z = i * i")(size=5), np.arange(5) ** 2)
    check(kernel("int64 a", "int64 z", "z = a * i")(3, size=5), np.arange(5) * 3)
    check(kernel("", "int64 z", "z = i * i")(gpunp.zeros((2, 3), "i8")), np.arange(6).reshape(2, 3) ** 2)
    check(kernel("raw int32 x", "int32 z", "z = x[0]")(gpunp.asarray(x), size=0), np.empty(0, "i4"))


def test_indices_of_axes():
    place = kernel("T x", "int64 z", "const ptrdiff_t* at = _ind.get(); z = 100 * at[0] + at[1]", "place")
    rows, columns = np.indices((30, 40))
    check(place(gpunp.zeros((30, 40))), 100 * rows + columns)
    check(place(gpunp.zeros((40, 30)).T), 100 * rows + columns)


def test_attributes():
    f = kernel("T x, raw float32 y", "T z", "z = x", "f", False, "// nothing", True, loop_prep="int k;")
    assert (f.nin, f.nout, f.nargs) == (2, 1, 3)
    assert [str(p) for p in f.in_params] == ["T x", "raw float32 y"]
    assert [str(p) for p in f.out_params] == ["T z"]
    assert f.params == f.in_params + f.out_params
    assert (f.name, f.__name__, f.operation, f.preamble) == ("f", "f", "z = x", "// nothing")
    assert (f.reduce_dims, f.no_return, f.return_tuple) == (False, True, False)
    assert f.kwargs == {"loop_prep": "int k;"}
    assert "raw float32 y" in repr(f)
    with pytest.raises(ValueError, match="not been compiled"):
        f.cached_code  # noqa: B018
    f(gpunp.zeros(3), gpunp.zeros(3, "f4"))
    assert "z = x" in f.cached_code
    assert list(f.cached_codes.values()) == [f.cached_code]


def test_one_kernel_serves_all_sizes():
    f = kernel("T x", "T z", "z = -x", "f")
    for size in (1, 2, 1000):
        f(gpunp.zeros(size))
        f(gpunp.zeros((size, 4)))
    assert len(f.cached_codes) == 1


def test_threads(device):
    f = kernel("T x, T y", "T z", "z = x * y + 7", "threads")
    x = np.arange(1000.0)
    a, failed = gpunp.asarray(x), []

    def work(k):
        with device:
            results = [f(a, float(k)).get() for _ in range(20)]
            failed.extend(k for result in results if not np.array_equal(result, x * k + 7))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(f.cached_codes) == 1


def test_streams(device):
    if device.is_cpu:
        pytest.skip("the CPU device has no streams")
    stream = gpunp.cuda.Stream()
    x = gpunp.ones(1000)
    gpunp.Device("cuda").synchronize()
    result = add(x, 1, stream=stream)
    stream.synchronize()
    check(result, np.full(1000, 2.0))


@pytest.mark.large
def test_more_than_32_bits(device):
    if device.is_cpu:
        pytest.skip("takes minutes on the host")
    size = (1 << 31) + 1000
    increment = kernel("uint8 x", "uint8 z", "z = x + (i & 1) + (i >> 31)", "increment")
    x = gpunp.zeros(size, "u1")
    increment(x, x)
    assert x[-1000:].get().tolist() == [1, 2] * 500
    assert x[:4].get().tolist() == [0, 1, 0, 1]
    last = kernel("raw uint8 x", "uint8 z", "z = x[x.size() - 1 - i]", "last")
    for raw in (x, x[::-1]):
        assert last(raw, size=4).get().tolist() == raw[-4:].get()[::-1].tolist()
    # More elements in rows that are not aligned than 32 bits count.
    side = (1 << 16) + 1
    column, out = np.arange(side) % 251, gpunp.zeros((side, side + 3), "u1")
    rows = kernel("uint8 x", "uint8 z", "z = x", "rows")
    rows(gpunp.asarray(column.astype("u1"))[:, np.newaxis], out[:, :side])
    assert any("Loop<2, 1, 1, true" in text for text in rows.cached_codes.values())
    for at in (0, 1, side // 2, side):
        check(out[:, at], (column if at < side else column * 0).astype("u1"))
