"""The array API standard: results agree with array-api-strict, which refuses undefined operations."""

import pickle

import array_api_2025_12 as standard
import numpy as np
import pytest
from array_api_2025_12 import SIGNATURES

import gpunp

VALUES = [[0.5, -1.5, 2.0], [3.0, -0.25, 1.0]]
TOLERANCE = {"float32": 1e-5, "complex64": 1e-5}


def host_of(result):
    """Flatten a result of either library; convert its arrays to NumPy's and keep the rest."""
    if isinstance(result, tuple | list):
        return [part for one in result for part in host_of(one)]
    if isinstance(result, gpunp.ndarray):
        return [gpunp.asnumpy(result)]
    if hasattr(result, "__array_namespace__"):
        return [np.asarray(result)]
    return [result]


def compare(call, *arrays):
    """Compare a call of gpunp and of array-api-strict; return False if the latter refuses it."""
    strict = pytest.importorskip("array_api_strict")
    try:
        with np.errstate(all="ignore"):
            expected = call(strict, *(strict.asarray(a) for a in arrays))
    except TypeError:
        return False
    result = call(gpunp, *(gpunp.asarray(a) for a in arrays))
    pairs = list(zip(host_of(result), host_of(expected), strict=True))
    for ours, theirs in pairs:
        if not isinstance(theirs, np.ndarray):
            # array-api-strict wraps dtypes in its own objects.
            theirs = getattr(theirs, "_np_dtype", theirs)
            assert ours == theirs
            continue
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        tolerance = TOLERANCE.get(str(theirs.dtype), 1e-12)
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    return bool(pairs)


def host(name, seed=0):
    values = np.roll(np.array(VALUES), seed)
    if name.startswith("complex"):
        return (values + 1j * values[::-1]).astype(name)
    return np.abs(values).astype(name) if name.startswith(("u", "b")) else values.astype(name)


def elementwise(count):
    names = ("x",) if count == 1 else ("x1", "x2")
    return [name for name, found in SIGNATURES.items() if tuple(found.parameters) == names]


# Every dtype with itself, and an example of every kind of promotion.
PAIRS = (
    *((name, name) for name in standard.DTYPES),
    ("int8", "int32"),
    ("uint16", "uint8"),
    ("uint8", "int16"),
    ("int64", "uint32"),
    ("float32", "float64"),
    ("complex64", "float64"),
    ("float32", "complex64"),
    ("complex128", "complex64"),
)
SQUARE = {name for name in elementwise(1) + elementwise(2) if name.startswith("linalg.")}


@pytest.mark.parametrize("name", sorted(set(elementwise(1)) - SQUARE))
def test_functions_of_one_array(name):
    def call(xp, x):
        result = getattr(xp, name)(x)
        return [result.values, result.counts] if name == "unique_counts" else result

    taken = [compare(call, host(dtype)) for dtype in standard.DTYPES]
    assert any(taken)


@pytest.mark.parametrize("name", sorted({*elementwise(2)} - SQUARE - {"matmul"}))
def test_functions_of_two_arrays(name):
    def call(xp, x, y):
        return getattr(xp, name)(x, y)

    positive = name in ("bitwise_left_shift", "bitwise_right_shift", "pow")
    taken = 0
    for first, second in PAIRS:
        x, y = host(first), host(second, 1)
        if positive:
            # The standard leaves negative shifts, and negative powers of integers, undefined.
            y = np.abs(y).astype(second)
        taken += compare(call, x, y)
    assert taken


def matrix(dtype="float64", batch=()):
    values = np.random.default_rng(3).normal(size=(*batch, 3, 3))
    return (values @ np.swapaxes(values, -1, -2) + 3 * np.eye(3)).astype(dtype)


CALLS = {
    "arange": lambda xp, x: [
        xp.arange(5),
        xp.arange(1, 9, 3),
        xp.arange(5, stop=2, step=-1.5),
        xp.arange(3.0),
    ],
    "asarray": lambda xp, x: [xp.asarray([[1, 2], [3, 4]]), xp.asarray(x, copy=True), xp.asarray(2.5)],
    "astype": lambda xp, x: [xp.astype(x, xp.float32), xp.astype(x, xp.float64, copy=False)],
    "argmax": lambda xp, x: [xp.argmax(x), xp.argmax(x, axis=1), xp.argmax(x, axis=0, keepdims=True)],
    "argmin": lambda xp, x: [xp.argmin(x), xp.argmin(x, axis=1), xp.argmin(x, axis=0, keepdims=True)],
    "argsort": lambda xp, x: [xp.argsort(x, axis=0), xp.argsort(x, descending=True, stable=True)],
    "sort": lambda xp, x: [xp.sort(x, axis=0), xp.sort(x, descending=True, stable=True)],
    "broadcast_arrays": lambda xp, x: xp.broadcast_arrays(x, x[0, ...], x[:, :1]),
    "broadcast_shapes": lambda xp, x: [xp.broadcast_shapes((2, 1), (3,)) == (2, 3)],
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 2, 3)),
    "can_cast": lambda xp, x: [xp.can_cast(x, xp.complex128), xp.can_cast(xp.int32, xp.int8)],
    "clip": lambda xp, x: [
        xp.clip(x, -1, 1),
        xp.clip(x, min=0.5),
        xp.clip(x, max=x[0, ...]),
        xp.clip(x),
        xp.clip(x, 0.0, max=1.0),
    ],
    "concat": lambda xp, x: [xp.concat([x, x]), xp.concat((x, x), axis=1), xp.concat([x, x], axis=None)],
    "count_nonzero": lambda xp, x: [xp.count_nonzero(x, axis=0), xp.count_nonzero(x, axis=1, keepdims=True)],
    "cumulative_prod": lambda xp, x: [
        xp.cumulative_prod(x, axis=1),
        xp.cumulative_prod(x, axis=0, include_initial=True),
    ],
    "cumulative_sum": lambda xp, x: [
        xp.cumulative_sum(x, axis=1, dtype=xp.float32),
        xp.cumulative_sum(x, axis=0, include_initial=True),
    ],
    "diff": lambda xp, x: [xp.diff(x), xp.diff(x, axis=0, n=1, prepend=x[:1, :]), xp.diff(x, append=x)],
    "empty": lambda xp, x: xp.empty((0, 2), dtype=xp.int8),
    "empty_like": lambda xp, x: xp.empty_like(x[:0, :], dtype=xp.int8),
    "expand_dims": lambda xp, x: [xp.expand_dims(x, 1), xp.expand_dims(x, axis=-1)],
    "eye": lambda xp, x: [xp.eye(2), xp.eye(2, 3, k=1, dtype=xp.int16), xp.eye(3, k=-1)],
    "finfo": lambda xp, x: [
        [float(part) for part in (i.eps, i.max, i.min, i.smallest_normal)] + [i.bits]
        for i in (xp.finfo(xp.float32), xp.finfo(xp.complex128))
    ],
    "flip": lambda xp, x: [xp.flip(x), xp.flip(x, axis=1), xp.flip(x, axis=(0, 1))],
    "from_dlpack": lambda xp, x: [xp.from_dlpack(x), xp.from_dlpack(x, copy=True)],
    "full": lambda xp, x: [
        xp.full((2, 2), 3),
        xp.full(2, 1.5),
        xp.full((), True),
        xp.full(2, 1, dtype=xp.uint8),
    ],
    "full_like": lambda xp, x: [xp.full_like(x, 2), xp.full_like(x, 1, dtype=xp.int8)],
    "iinfo": lambda xp, x: [
        [i.bits, int(i.max), int(i.min)] for i in (xp.iinfo(xp.int16), xp.iinfo(xp.uint64))
    ],
    "isdtype": lambda xp, x: [xp.isdtype(x.dtype, "real floating"), xp.isdtype(xp.int8, ("bool", xp.int8))],
    "isin": lambda xp, x: [
        xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1])),
        xp.isin(xp.asarray([1, 2]), 2),
    ],
    "linspace": lambda xp, x: [
        xp.linspace(0, 1, 5),
        xp.linspace(1, 3, num=4, endpoint=False),
        xp.linspace(0, 1j, 3),
        xp.linspace(0, 4, 3, dtype=xp.float32),
    ],
    "matmul": lambda xp, x: [xp.matmul(x, x.mT), xp.matmul(x, x[0, :])],
    "matrix_transpose": lambda xp, x: xp.matrix_transpose(x),
    "max": lambda xp, x: [xp.max(x), xp.max(x, axis=(0, 1), keepdims=True)],
    "mean": lambda xp, x: [xp.mean(x), xp.mean(x, axis=(0, 1), keepdims=True)],
    "meshgrid": lambda xp, x: [
        *xp.meshgrid(x[0, :], x[:, 0]),
        *xp.meshgrid(x[0, :], x[:, 0], indexing="ij"),
    ],
    "min": lambda xp, x: [xp.min(x), xp.min(x, axis=1, keepdims=True)],
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, 1),
    "nonzero": lambda xp, x: xp.nonzero(x),
    "permute_dims": lambda xp, x: [xp.permute_dims(x, (1, 0)), xp.permute_dims(x, axes=(0, 1))],
    "prod": lambda xp, x: [xp.prod(x), xp.prod(x, axis=1), xp.prod(x, axis=0, dtype=xp.float32)],
    "repeat": lambda xp, x: [
        xp.repeat(x, 2),
        xp.repeat(x, 2, axis=1),
        xp.repeat(x, xp.asarray([1, 2]), axis=0),
    ],
    "reshape": lambda xp, x: [xp.reshape(x, (3, 2)), xp.reshape(x, shape=(-1,), copy=True)],
    "result_type": lambda xp, x: [
        xp.result_type(x, xp.float32),
        xp.result_type(xp.int8, xp.uint8),
        xp.result_type(xp.asarray(1, dtype=xp.float32), 2.5),
    ],
    "roll": lambda xp, x: [xp.roll(x, 1), xp.roll(x, (1, -1), axis=(0, 1))],
    "searchsorted": lambda xp, x: [
        xp.searchsorted(xp.asarray([1.0, 2.0, 3.0]), x),
        xp.searchsorted(xp.asarray([3.0, 1.0, 2.0]), x, side="right", sorter=xp.asarray([1, 2, 0])),
    ],
    "squeeze": lambda xp, x: [xp.squeeze(x[:, :1], 1), xp.squeeze(x[:1, :1], axis=(0, 1))],
    "stack": lambda xp, x: [xp.stack([x, x]), xp.stack((x, x), axis=-1)],
    "std": lambda xp, x: [xp.std(x), xp.std(x, axis=1, correction=1.0, keepdims=True)],
    "sum": lambda xp, x: [
        xp.sum(x),
        xp.sum(x, axis=(0, 1)),
        xp.sum(x, axis=0, dtype=xp.float32, keepdims=True),
    ],
    "take": lambda xp, x: [xp.take(x[0, :], xp.asarray([2, 0])), xp.take(x, xp.asarray([1, 1]), axis=0)],
    "take_along_axis": lambda xp, x: [
        xp.take_along_axis(x, xp.argsort(x)),
        xp.take_along_axis(x, xp.argsort(x, axis=0), axis=0),
    ],
    "tensordot": lambda xp, x: [
        xp.tensordot(x, x),
        xp.tensordot(x, x, axes=((0,), (0,))),
        xp.tensordot(x, x, axes=0),
    ],
    "tile": lambda xp, x: xp.tile(x, (2, 1, 2)),
    "tril": lambda xp, x: [xp.tril(x), xp.tril(x, k=1)],
    "triu": lambda xp, x: [xp.triu(x), xp.triu(x, k=-1)],
    "unique_all": lambda xp, x: [*xp.unique_all(xp.asarray([3, 1, 3]))][0::2],
    "unique_inverse": lambda xp, x: [*xp.unique_inverse(xp.asarray([3, 1, 3]))],
    "unstack": lambda xp, x: [*xp.unstack(x), *xp.unstack(x, axis=1)],
    "var": lambda xp, x: [xp.var(x), xp.var(x, axis=0, correction=1)],
    "vecdot": lambda xp, x: [xp.vecdot(x, x), xp.vecdot(x, x, axis=0 - 1), xp.vecdot(x * 1j, x + 1j)],
    "where": lambda xp, x: [xp.where(x > 0, x, -x), xp.where(x > 0, x, 0.0)],
    "ones_like": lambda xp, x: [xp.ones_like(x), xp.ones_like(x, dtype=xp.bool)],
    "zeros_like": lambda xp, x: [xp.zeros_like(x), xp.zeros_like(x, dtype=xp.uint16)],
    "ones": lambda xp, x: [xp.ones(3), xp.ones((2, 0), dtype=xp.complex64)],
    "zeros": lambda xp, x: [xp.zeros(3), xp.zeros((), dtype=xp.bool)],
    "all": lambda xp, x: [xp.all(x > 0), xp.all(x > 0, axis=1, keepdims=True)],
    "any": lambda xp, x: [xp.any(x > 0), xp.any(x > 2, axis=(0, 1))],
    "linalg.cholesky": lambda xp, m: [xp.linalg.cholesky(m), xp.linalg.cholesky(m, upper=True)],
    "linalg.cross": lambda xp, m: xp.linalg.cross(m, m[::-1, :], axis=-1),
    "linalg.det": lambda xp, m: xp.linalg.det(m),
    "linalg.diagonal": lambda xp, m: xp.linalg.diagonal(m, offset=1),
    "linalg.eigh": lambda xp, m: xp.linalg.eigh(m).eigenvalues,
    "linalg.eigvalsh": lambda xp, m: xp.linalg.eigvalsh(m),
    "linalg.inv": lambda xp, m: xp.linalg.inv(m),
    "linalg.matmul": lambda xp, m: xp.linalg.matmul(m, m),
    "linalg.matrix_norm": lambda xp, m: [
        xp.linalg.matrix_norm(m),
        *(xp.linalg.matrix_norm(m, ord=n, keepdims=True) for n in (1, 2, xp.inf, "nuc")),
    ],
    "linalg.matrix_power": lambda xp, m: [xp.linalg.matrix_power(m, 3), xp.linalg.matrix_power(m, -1)],
    "linalg.matrix_rank": lambda xp, m: [xp.linalg.matrix_rank(m), xp.linalg.matrix_rank(m, rtol=0.5)],
    "linalg.matrix_transpose": lambda xp, m: xp.linalg.matrix_transpose(m),
    "linalg.outer": lambda xp, m: xp.linalg.outer(m[0, :], m[1, :]),
    "linalg.pinv": lambda xp, m: [xp.linalg.pinv(m), xp.linalg.pinv(m, rtol=1e-3)],
    "linalg.qr": lambda xp, m: [xp.matmul(*xp.linalg.qr(m)), xp.abs(xp.linalg.qr(m, mode="complete").R)],
    "linalg.slogdet": lambda xp, m: [xp.linalg.slogdet(m).sign, xp.linalg.slogdet(m).logabsdet],
    "linalg.solve": lambda xp, m: [xp.linalg.solve(m, m[:, 0]), xp.linalg.solve(m, m)],
    "linalg.svd": lambda xp, m: [xp.linalg.svd(m).S, xp.linalg.svd(m, full_matrices=False).S],
    "linalg.svdvals": lambda xp, m: xp.linalg.svdvals(m),
    "linalg.tensordot": lambda xp, m: xp.linalg.tensordot(m, m, axes=1),
    "linalg.trace": lambda xp, m: [xp.linalg.trace(m), xp.linalg.trace(m, offset=1, dtype=xp.float32)],
    "linalg.vecdot": lambda xp, m: xp.linalg.vecdot(m, m, axis=-1),
    "linalg.vector_norm": lambda xp, m: [
        xp.linalg.vector_norm(m),
        *(xp.linalg.vector_norm(m, axis=1, ord=n, keepdims=True) for n in (0, 1, 3, xp.inf, -xp.inf)),
    ],
    "linalg.eig": lambda xp, m: xp.sort(xp.real(xp.linalg.eig(m).eigenvalues)),
    "linalg.eigvals": lambda xp, m: xp.sort(xp.real(xp.linalg.eigvals(m))),
    "fft.fft": lambda xp, m: [
        xp.fft.fft(xp.astype(m, xp.complex128)),
        xp.fft.fft(m * 1j, n=5, axis=0, norm="ortho"),
    ],
    "fft.ifft": lambda xp, m: xp.fft.ifft(m * 1j, n=2, norm="forward"),
    "fft.fftn": lambda xp, m: [xp.fft.fftn(m * 1j), xp.fft.fftn(m * 1j, s=(2, 4), axes=(0, 1))],
    "fft.ifftn": lambda xp, m: xp.fft.ifftn(m * 1j, axes=(1,)),
    "fft.rfft": lambda xp, m: [xp.fft.rfft(m), xp.fft.rfft(m, n=4, axis=0)],
    "fft.irfft": lambda xp, m: [xp.fft.irfft(m * (1 + 1j)), xp.fft.irfft(m * 1j, n=5, axis=0)],
    "fft.rfftn": lambda xp, m: xp.fft.rfftn(m, axes=(0, 1)),
    "fft.irfftn": lambda xp, m: xp.fft.irfftn(m * (1 + 1j), s=(3, 4), axes=(0, 1)),
    "fft.hfft": lambda xp, m: xp.fft.hfft(m * (1 + 1j), n=4),
    "fft.ihfft": lambda xp, m: xp.fft.ihfft(m),
    "fft.fftfreq": lambda xp, m: [xp.fft.fftfreq(5, d=0.5), xp.fft.fftfreq(4, dtype=xp.float32)],
    "fft.rfftfreq": lambda xp, m: [xp.fft.rfftfreq(5, d=0.5), xp.fft.rfftfreq(4, dtype=xp.float32)],
    "fft.fftshift": lambda xp, m: [xp.fft.fftshift(m * 1j), xp.fft.fftshift(m * 1j, axes=(0,))],
    "fft.ifftshift": lambda xp, m: [xp.fft.ifftshift(m * 1j), xp.fft.ifftshift(m * 1j, axes=(0,))],
}


@pytest.mark.parametrize("path", CALLS)
def test_calls(path):
    assert compare(CALLS[path], matrix() if "." in path else host("float64"))


def test_every_function_is_called():
    assert set(SIGNATURES) - set(CALLS) - set(elementwise(1)) - set(elementwise(2)) == set()


# The shape of the result depends on the data; for `repeat`, on repetitions that are on the device.
DATA_DEPENDENT = {"nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values", "repeat"}
# Of a few elements on the CPU device, these do not wait.
FEW_ON_HOST = {"unique_values", "matmul", "tensordot"}
# On the CPU device the host's BLAS computes these, after a wait for queued work.
ON_HOST = {"matmul", "tensordot", "vecdot"}


def calls_without_waiting():
    yield from ((name, call) for name, call in CALLS.items() if not name.startswith("linalg."))
    for count in (1, 2):
        for name in sorted(set(elementwise(count)) - SQUARE - {"matmul"}):
            yield name, lambda xp, x, name=name, count=count: getattr(xp, name)(*[x] * count)


@pytest.mark.parametrize(("name", "call"), list(calls_without_waiting()))
def test_what_may_be_asynchronous_does_not_wait(name, call, device):
    transform = name.startswith("fft.") and not name.endswith(("freq", "shift"))
    on_host = device.is_cpu and (name in ON_HOST or transform)
    few = device.is_cpu and name in FEW_ON_HOST
    expected = None if (name in DATA_DEPENDENT or on_host) and not few else (0, 0)
    char = "int64" if name.startswith("bitwise") else "float64"
    x = gpunp.asarray(matrix() if "." in name else host(char))
    waits, _, downloads = device.transfer_counts
    call(gpunp, x)
    waits_after, _, downloads_after = device.transfer_counts
    made = waits_after - waits, downloads_after - downloads
    assert made == expected if expected else sum(made) > 0


INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("char", "efd")
@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (INF, 1.5, INF),
        (INF, -1.5, -INF),
        (-INF, 2.0, -INF),
        (-INF, -2.0, INF),
        (1.0, -INF, -0.0),
        (-1.0, INF, -0.0),
        (1.0, INF, 0.0),
        (INF, INF, NAN),
        (NAN, 1.0, NAN),
        (1.0, NAN, NAN),
        (7.5, -2.0, -4.0),
    ],
)
def test_floor_division_at_infinity(x, y, expected, char):
    a, b = gpunp.asarray(x, dtype=char), gpunp.asarray(y, dtype=char)
    target = a.copy()
    target //= b
    for result in (gpunp.floor_divide(a, b), a // b, target):
        np.testing.assert_array_equal(gpunp.asnumpy(result), np.asarray(expected, char))
        assert np.signbit(gpunp.asnumpy(result)) == np.signbit(expected) or np.isnan(expected)
    with np.errstate(all="ignore"):
        theirs = np.floor_divide(np.asarray(x, char), np.asarray(y, char))
    np.testing.assert_array_equal(gpunp.asnumpy(np.floor_divide(a, b)), theirs)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("expm1", complex(-0.0, 0), complex(0, 0)),
        ("expm1", complex(0, -0.0), complex(0, -0.0)),
        ("expm1", complex(INF, 0), complex(INF, 0)),
        ("expm1", complex(-INF, INF), complex(-1, 0)),
        ("expm1", complex(-INF, NAN), complex(-1, 0)),
        ("expm1", complex(INF, INF), complex(INF, NAN)),
        ("expm1", complex(INF, NAN), complex(INF, NAN)),
        ("expm1", complex(NAN, 0), complex(NAN, 0)),
        ("expm1", complex(2, NAN), complex(NAN, NAN)),
        ("expm1", complex(1, 0), complex(np.expm1(1), 0)),
        ("tanh", complex(INF, 2), complex(1, 0)),
        ("tanh", complex(INF, -2), complex(1, -0.0)),
        ("tanh", complex(-INF, 2), complex(-1, 0)),
        ("tanh", complex(0, 0), complex(0, 0)),
        ("tanh", complex(1, 2), np.tanh(complex(1, 2))),
    ],
)
def test_complex_functions_at_infinity(name, x, expected, char):
    result = gpunp.asnumpy(getattr(gpunp, name)(gpunp.asarray(x, dtype=char)))
    np.testing.assert_allclose(result, np.asarray(expected, char), rtol=1e-6)
    for part in ("real", "imag"):
        value = getattr(expected, part)
        assert np.isnan(value) or np.signbit(getattr(result, part)) == np.signbit(value)
    with np.errstate(all="ignore"):
        theirs = getattr(np, name)(np.asarray(x, char))
    ours = gpunp.asnumpy(getattr(np, name)(gpunp.asarray(x, dtype=char)))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_where_nothing_differs_the_loops_are_numpys():
    assert gpunp.floor_divide(gpunp.asarray([7, -7]), 2).dtype == np.int64
    assert gpunp.floor_divide(gpunp.asarray([7, -7], dtype="i1"), 2).tolist() == [3, -4]
    assert gpunp.tanh(gpunp.asarray(np.inf, dtype="f2")).dtype == np.float16
    assert gpunp.floor_divide.types == [t for t in gpunp.remainder.types if t in gpunp.floor_divide.types]
    assert str(gpunp.tanh) == "<gpunp ufunc 'tanh'>"
    assert pickle.loads(pickle.dumps(gpunp.tanh)) is gpunp.tanh
    with pytest.raises(TypeError, match="floor_divide"):
        gpunp.floor_divide(1j * gpunp.ones(2), 2)
