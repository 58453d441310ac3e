"""dask.array with device arrays as chunks: results agree with NumPy's, and chunks stay on the device."""

import inspect

import numpy as np
import pytest

import gpunp

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array")
pytest.importorskip("dask.array.stats")

_RNG = np.random.default_rng(20250103)
A = _RNG.normal(size=(12, 10))
TALL = _RNG.normal(size=(40, 4))
SQUARE = TALL.T @ TALL + np.eye(4)
# Name of a parameter to values and chunks.
ARRAYS = {
    "a": (A, (5, 4)),
    "b": (_RNG.normal(size=(12, 10)), (5, 4)),
    "gaps": (np.where(A > 1, np.nan, A), (5, 4)),
    "z": (A + 1j * A[::-1], (5, 4)),
    "v": (_RNG.normal(size=40), 13),
    "counts": (_RNG.integers(0, 10, 40), 13),
    "tall": (TALL, (10, 4)),
    "right": (_RNG.normal(size=40), 10),
    "square": (np.kron(SQUARE, np.eye(3)) + np.eye(12) * 9, (6, 6)),
    "general": (_RNG.normal(size=(12, 12)) + 6 * np.eye(12), (4, 4)),
    "side": (_RNG.normal(size=12), 6),
    "sides": (_RNG.normal(size=(12, 3)), (4, 3)),
}


def assigned(target, key, value):
    """Return the target after an assignment."""
    target[key] = value
    return target


def product(parts):
    """Multiply the factors of a decomposition: the product does not depend on their signs."""
    left, *middle, right = parts
    return (left * middle[0] if middle else left) @ right


ELEMENTS = {
    "elementwise": lambda a, b: da.sqrt(da.exp(a) * 2 + da.sin(b) ** 2) - a / 3,
    "comparisons": lambda a, b: (a > b) & (a < 1) | ~(b == a),
    "NumPy's ufuncs and functions": lambda a: np.hypot(a, 2.0) + np.mean(a, axis=0),
    "a device array as operand": lambda a, like: a + like(A[0]) - (like(A[1]) - a),
    "a host array as operand": lambda a: a * A,
    "where": lambda a, b: da.where(a > 0, a, b) + da.where(a > 0, 1.0, a),
    "clip and round": lambda a: da.round(da.clip(a, -1, 1), 1),
    "astype": lambda a: a.astype("f4"),
    "complex": lambda z: z.real + z.imag + da.angle(z) + abs(z.conj()),
    "modf and divmod": lambda a: [*da.modf(a), *da.divmod(a, 2.0)],
    "isclose": lambda a, b: da.isclose(a, b),
    "select and piecewise": lambda v: (
        da.select([v > 1, v < -1], [v, -v], 0) + da.piecewise(v, [v < 0, v >= 0], [lambda x: -x, lambda x: x])
    ),
    "choose": lambda counts, v: da.choose(counts % 2, [v, -v]),
    "nan_to_num": lambda gaps: da.nan_to_num(gaps),
    "like": lambda a: da.full_like(a, 3) + da.ones_like(a) + da.zeros_like(a),
    "interp": lambda v: da.map_blocks(np.interp, v, np.arange(4.0), np.arange(4.0) ** 2),
}
REDUCTIONS = {
    "sum": lambda a: [a.sum(), a.sum(axis=0), a.sum(axis=1, keepdims=True)],
    "mean": lambda a: [a.mean(), a.mean(axis=0)],
    "std and var": lambda a: [a.std(axis=1, ddof=1), a.var()],
    "moment": lambda a: da.reductions.moment(a, 3, axis=0),
    "prod": lambda a: a.prod(axis=1),
    "min, max and ptp": lambda a: [a.max(axis=0) - a.min(axis=0), da.ptp(a, axis=0)],
    "any and all": lambda a: (a > 0).any(axis=0) & (a > -9).all(axis=0),
    "argmin and argmax": lambda a: [a.argmin(axis=0), a.argmax(), a.argmax(axis=1)],
    "nan functions": lambda gaps: [
        da.nansum(gaps, axis=0),
        da.nanmean(gaps),
        da.nanstd(gaps, axis=1),
        da.nanvar(gaps, axis=0),
        da.nanmin(gaps, axis=0),
        da.nanmax(gaps),
        da.nanprod(gaps, axis=0),
        da.nanargmax(gaps, axis=0),
    ],
    "median": lambda a, gaps: [da.median(a, axis=0), da.nanmedian(gaps, axis=0)],
    "average": lambda a, b: da.average(a, axis=0, weights=abs(b)),
    "reduction": lambda a: da.reduction(a, np.sum, np.sum, axis=0, dtype=float),
    "count_nonzero": lambda counts: da.count_nonzero(counts),
    "cumsum": lambda a: [a.cumsum(axis=0), da.cumsum(a, axis=0, method="blelloch"), da.cumsum(a, axis=None)],
    "cumprod": lambda a, gaps: [a.cumprod(axis=1), da.nancumsum(gaps, axis=0), da.nancumprod(gaps, axis=1)],
}
STATISTICS = {
    "percentile": lambda v: [da.percentile(v, [10, 50, 90]), da.percentile(v, [10, 90], method="lower")],
    "percentile of integers": lambda counts: da.percentile(counts, [25, 75]),
    "quantile": lambda a, gaps: [
        da.quantile(a.rechunk((12, 4)), 0.3, axis=0),
        da.nanquantile(gaps.rechunk((12, 4)), 0.3, axis=0),
    ],
    "histogram": lambda v: [
        da.histogram(v, bins=8, range=(-3, 3))[0],
        da.histogram(v, bins=np.linspace(-3, 3, 5))[0],
        da.histogram(v, bins=8, range=(-3, 3), weights=v * v, density=True)[0],
    ],
    "bincount": lambda counts, v: [
        da.bincount(counts, minlength=12),
        da.bincount(counts, weights=v, minlength=10),
    ],
    "unique and union1d": lambda counts: [da.unique(counts), da.union1d(counts, counts + 3)],
    "digitize": lambda v: da.digitize(v, np.array([-1, 0, 1.0])),
    "searchsorted": lambda v: da.searchsorted(da.map_blocks(np.sort, v.rechunk(-1)).rechunk(7), v),
    "isin": lambda counts: [da.isin(counts, [2, 3, 5]), da.isin(counts, counts[:2])],
    "cov and corrcoef": lambda tall: [da.cov(tall.T), da.corrcoef(tall.T)],
    "topk": lambda v, a: [da.topk(v, 5), da.argtopk(v, 5), da.topk(a, -2, axis=0)],
    "stats": lambda a: [da.stats.skew(a), da.stats.kurtosis(a), da.stats.moment(a, 4)],
}
PLACES = {
    "slices": lambda a: [a[2:9:2, ::-1], a[:, None, 3], a[..., -1]],
    "lists of indices": lambda a: [a[[1, 5, 2, 11]], a[:, [3, 1, 9]], a[np.array([3, 3, 0])]],
    "device indices": lambda a, like: a[:, da.from_array(like(np.array([1, 2, 3])))],
    "vindex": lambda a, like: [
        a.vindex[[1, 2, 3], [4, 5, 6]],
        a.vindex[like(np.array([1, 2, 3])), like(np.array([4, 5, 6]))],
    ],
    "masks": lambda v, a: [v[v > 0], a[a > 0]],
    "blocks": lambda a: a.blocks[1],
    "take and compress": lambda a: [
        da.take(a, [1, 3], axis=1),
        da.compress(np.array([True] * 6 + [False] * 6), a, axis=0),
        da.extract(a > 0, a),
    ],
    "delete, insert, append": lambda a, b: [
        da.delete(a, [1, 4], axis=0),
        da.insert(a, 2, 5.0, axis=1),
        da.append(a, b, axis=0),
    ],
    "assignment": lambda a, b: [
        assigned(a.copy(), a < 0, 0),
        assigned(a.copy(), (slice(2, 5), 3), 7.0),
        assigned(a.copy(), slice(0, 3), b[3:6]),
        assigned(a.copy(), [1, 3, 5], -1.0),
    ],
    "assignment at device indices": lambda v, like: [
        assigned(v.copy(), da.from_array(like(np.array([2, 30, 17]))), -1.0),
        assigned(v.copy(), da.from_array(like(np.array([2, 30, 17])), chunks=2), v[:3]),
    ],
    "unravel_index": lambda counts: da.unravel_index(counts, (4, 5)),
    "diagonals": lambda square, v: [da.diag(square), da.diag(v), da.diagonal(square, 1)],
    "triangles": lambda square: [da.tril(square), da.triu(square, 1)],
}
SHAPES = {
    "reshape and ravel": lambda a: [a.reshape(120), a.ravel(), a.T.reshape(2, 5, 12)],
    "axes": lambda a: [a.T, da.swapaxes(a, 0, 1), da.moveaxis(a, 0, 1), da.expand_dims(a, 1)],
    "squeeze and flip": lambda a: [a[:, :1].squeeze(), da.flip(a, 0), da.rot90(a)],
    "broadcast_to": lambda a: da.broadcast_to(a, (2, 12, 10)),
    "concatenate and stack": lambda a, b: [da.concatenate([a, b], axis=1), da.stack([a, b], axis=1)],
    "block": lambda a, b: [da.block([[a, b], [b, a]]), da.vstack([a, b]), da.dstack([a, b])],
    "pad": lambda a: [
        da.pad(a, ((1, 2), (0, 3)), mode="reflect"),
        da.pad(a, 2, mode="constant", constant_values=7),
        da.pad(a, 2, mode="edge"),
        da.pad(a, 2, mode="wrap"),
        da.pad(a, 2, mode="linear_ramp", end_values=1),
    ],
    "roll, tile, repeat": lambda a: [da.roll(a, 3, axis=0), da.tile(a, (2, 1)), da.repeat(a, 3, axis=1)],
    "rechunk": lambda a: a.rechunk((3, 10)),
    "shuffle": lambda a: da.shuffle(a, [[5, 3, 1], [0, 2, 4]], axis=0),
    "coarsen": lambda a: da.coarsen(np.mean, a.rechunk((4, 5)), {0: 2, 1: 5}),
    "sliding windows": lambda v: da.lib.stride_tricks.sliding_window_view(v, 3),
    "diff and gradient": lambda a, v: [
        da.diff(a, axis=0),
        da.diff(a, axis=0, prepend=0),
        da.ediff1d(v),
        *da.gradient(a.rechunk((6, 5)), 2.0, 3.0),
    ],
}
FUNCTIONS = {
    "map_blocks": lambda a: da.map_blocks(lambda x: x * 2 + 1, a),
    "map_overlap": lambda a: [
        da.map_overlap(lambda x: x + np.roll(x, 1, 0), a, depth=1, boundary="reflect"),
        da.map_overlap(lambda x: x * 2, a, depth=1, boundary=3.0),
        da.map_overlap(lambda x: np.cumsum(x, 0), a, depth={0: 1, 1: 0}, boundary={0: "periodic", 1: "none"}),
    ],
    "apply_along_axis": lambda a: [
        da.apply_along_axis(np.sum, 0, a),
        da.apply_along_axis(lambda x: x / x.max(), 1, a, dtype=float, shape=(10,)),
        da.apply_over_axes(np.sum, a, [0, 1]),
    ],
    "apply_gufunc": lambda a: list(
        da.apply_gufunc(
            lambda x: (x.mean(-1), x.std(-1)),
            "(i)->(),()",
            a,
            output_dtypes=(float, float),
            allow_rechunk=True,
        )
    ),
    "persist": lambda a: a.persist() + 1,
}
PRODUCTS = {
    "matmul and dot": lambda a, b, v: [a @ b.T, da.dot(a.T, b), da.vdot(v, v), da.outer(v, v)],
    "tensordot": lambda a, b: da.tensordot(a, b, axes=([0], [0])),
    "einsum": lambda a, b: da.einsum("ij,kj->ik", a, b),
    "svd": lambda tall: [da.linalg.svd(tall)[1], product(da.linalg.svd(tall))],
    "svd_compressed": lambda tall: da.linalg.svd_compressed(tall, 3, seed=1)[1],
    "qr": lambda tall: [product(da.linalg.qr(tall)), product(da.linalg.sfqr(tall.T))],
    "lu": lambda general: list(da.linalg.lu(general)),
    "inv": lambda general: da.linalg.inv(general),
    "solve": lambda general, sides, square, side: [
        da.linalg.solve(general, sides),
        da.linalg.solve(square, side),
        da.linalg.solve(square, side, assume_a="pos"),
    ],
    "solve_triangular": lambda square, side: [
        da.linalg.solve_triangular(da.tril(square), side, lower=True),
        da.linalg.solve_triangular(da.triu(square), side),
    ],
    "cholesky": lambda square: [da.linalg.cholesky(square), da.linalg.cholesky(square, lower=True)],
    "lstsq": lambda tall, right: list(da.linalg.lstsq(tall, right)),
    "norm": lambda a, tall: [da.linalg.norm(a), da.linalg.norm(a, axis=1), da.linalg.norm(tall, "nuc")],
    "fft": lambda a: [
        da.fft.fft(a.rechunk((5, 10))),
        da.fft.ifft(a.rechunk((5, 10)), n=16),
        da.fft.rfft2(a.rechunk((12, 10))),
        da.fft.fftshift(a),
    ],
}
CASES = {
    f"{chapter}: {name}": case
    for chapter, cases in (
        ("elements", ELEMENTS),
        ("reductions", REDUCTIONS),
        ("statistics", STATISTICS),
        ("places", PLACES),
        ("shapes", SHAPES),
        ("functions", FUNCTIONS),
        ("products", PRODUCTS),
    )
    for name, case in cases.items()
}


def computed(case, like):
    """Compute a case with chunks made by ``like``; return the results as a sequence."""
    names = inspect.signature(case).parameters
    arguments = {
        name: like if name == "like" else da.from_array(like(ARRAYS[name][0]), chunks=ARRAYS[name][1])
        for name in names
    }
    found = case(**arguments)
    return dask.compute(*(found if isinstance(found, list | tuple) else [found]), scheduler="sync")


@pytest.mark.filterwarnings("ignore:.*(All-NaN|invalid value|Degrees of freedom):RuntimeWarning")
@pytest.mark.parametrize("name", CASES)
def test_same_as_with_numpy(name):
    expected = computed(CASES[name], np.copy)
    found = computed(CASES[name], gpunp.asarray)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, gpunp.ndarray), f"a {type(one).__name__}"
        assert one.dtype == other.dtype
        np.testing.assert_allclose(gpunp.asnumpy(one), other, rtol=1e-9, atol=1e-10)


def test_there_are_the_operations_of_a_tour():
    assert len(CASES) >= 44
