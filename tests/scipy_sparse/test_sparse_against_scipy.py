"""Random structures through all kinds of operations: values, dtypes, parts, errors, warnings as SciPy's."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sparse_arrays import FORMATS, assert_same, assert_same_parts, on_device, random_structure

pytestmark = pytest.mark.usefixtures("functions")

REDUCTIONS = ("sum", "mean", "max", "min", "nanmax", "nanmin", "argmax", "argmin", "count_nonzero")
AXES = (None, 0, 1, -1, -2, 2, (0,), 0.5)
UNARY = {
    **{
        f"{name}, axis {axis}": lambda a, name=name, axis=axis: getattr(a, name)(axis=axis)
        for name in REDUCTIONS
        for axis in AXES
    },
    **{
        f"{name} of what is stored": lambda a, name=name: getattr(a, name)(axis=1, explicit=True)
        for name in ("max", "min", "argmax", "argmin")
    },
    "sum, dtype": lambda a: a.sum(axis=1, dtype="c16"),
    "mean, dtype": lambda a: a.mean(axis=0, dtype="f4"),
    "getnnz": lambda a: a.getnnz(axis=0),
    "astype": lambda a: a.astype("f4"),
    "astype of objects": lambda a: a.astype(object) if a.format != "dia" else a.T,
    "safe astype": lambda a: a.astype("i1", casting="safe"),
    "power": lambda a: a.power(3, dtype="f8"),
    "operator of powers": lambda a: a**2,
    "product with itself": lambda a: a @ a.T,
    "diagonal": lambda a: a.diagonal(-1),
    "trace": lambda a: a.trace(offset=1),
    "blocks": lambda a: a.tobsr(blocksize=(2, 3)),
    "reshaped": lambda a: a.reshape((-1, 2)),
    "reshaped in Fortran's order": lambda a: a.reshape(a.shape[::-1], order="F"),
    "transposed by axes": lambda a: a.transpose(axes=(0, 1)),
    "sorted": lambda a: a.tocsr().sorted_indices(),
    "lower triangle": lambda a: sp.tril(a, k=-1),
    "upper triangle": lambda a: sp.triu(a, k=1, format="csc"),
    "blocks of blocks": lambda a: sp.block_array([[a, None], [None, a]]),
    "block diagonal": lambda a: sp.block_diag((a, 3, a), format="csr"),
    "kron": lambda a: sp.kron(a, a, format="csr") if a.shape[0] * a.shape[1] < 50 else a,
    "sum of krons": lambda a: sp.kronsum(a, a) if a.shape[0] < 9 else a,
    "swapped": lambda a: sp.swapaxes(a, 0, -1),
    "norm": lambda a: sp.linalg.norm(a, axis=1, ord=1),
    "signs": lambda a: np.sign(a.astype("f8")),
    "comparison": lambda a: a > 1,
    "comparison with what 0 is": lambda a: a <= 0,
    "maximum with a number": lambda a: a.maximum(1),
    "quotient": lambda a: a / 2,
    **{f"to {name}": lambda a, name=name: a.asformat(name) for name in FORMATS},
    **{f"made {name}": lambda a, name=name: getattr(sp, f"{name}_array")(a, dtype="f8") for name in FORMATS},
}


def _in_place(change):
    def call(a, *values):
        a = a.copy()
        change(a, *values)
        return a

    return call


UNARY |= {
    "duplicates summed": _in_place(lambda a: a.sum_duplicates()),
    "zeros eliminated": _in_place(lambda a: a.eliminate_zeros()),
    "diagonal set": _in_place(lambda a: a.setdiag(5)),
    "diagonal of values set": _in_place(lambda a: a.setdiag([1, 2], -1)),
    "resized": _in_place(lambda a: a.resize(4, 3)),
}
BINARY = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "times": lambda a, b: a.multiply(b),
    "product": lambda a, b: a @ b.T,
    "quotient": lambda a, b: a / b,
    "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b),
    "less": lambda a, b: a < b,
    "not less": lambda a, b: a >= b,
    "different": lambda a, b: a != b,
    "equal": lambda a, b: a == b,
    "beside": lambda a, b: sp.hstack([a, b]),
    "above": lambda a, b: sp.vstack([a, b], format="csr"),
    "in place": _in_place(lambda a, b: a.__iadd__(b)),
}
DENSE = {
    "sum": lambda a, x, v: a + x,
    "difference": lambda a, x, v: x - a,
    "product": lambda a, x, v: a @ x.T,
    "product from the left": lambda a, x, v: x.T @ a,
    "vector": lambda a, x, v: a @ v,
    "times": lambda a, x, v: a.multiply(x),
    "times a row": lambda a, x, v: a.multiply(v),
    "maximum": lambda a, x, v: a.maximum(x),
    "less": lambda a, x, v: a < x,
}


def outcome(function, *args):
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            found, error = function(*args), None
        except Exception as raised:
            found, error = None, raised
    return found, type(error), {each.category for each in caught} - {DeprecationWarning}


def check(function, *hosts):
    devices = [on_device(each) for each in hosts]
    expected, error, warned = outcome(function, *hosts)
    found, our_error, our_warned = outcome(function, *devices)
    if error is RuntimeError:
        # SciPy's compiled code cannot multiply arrays without diagonals.
        assert our_error is type(None)
        assert found.nnz == 0
        return
    assert our_error is error
    assert our_warned == warned
    if error is type(None):
        assert_same(found, expected)
        if sp.issparse(expected):
            assert_same_parts(found, expected)


def cases(seed, table, count):
    """A random generator, and some of the operations."""
    rng = np.random.default_rng(seed)
    return rng, [list(table)[k] for k in rng.permutation(len(table))[:count]]


SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_array(device, seed):
    rng, names = cases(seed, UNARY, 20)
    for name in names:
        kind = rng.choice(["array", "matrix"], p=[0.7, 0.3])
        check(UNARY[name], random_structure(rng, FORMATS[seed % 5], kind))


@pytest.mark.parametrize("seed", SEEDS)
def test_two_arrays(device, seed):
    rng, names = cases(seed, BINARY, 8)
    for name in names:
        a = random_structure(rng, FORMATS[seed % 5])
        second = a.format if rng.random() < 0.6 else rng.choice(FORMATS)
        check(BINARY[name], a, random_structure(rng, second, shape=a.shape))


@pytest.mark.parametrize("seed", SEEDS)
def test_dense_arrays(device, seed):
    rng, names = cases(seed, DENSE, 6)
    for name in names:
        a = random_structure(rng, FORMATS[seed % 5])
        dtype = rng.choice(["?", "i4", "f4", "f8", "c16"])
        x = rng.integers(-2, 3, a.shape).astype(dtype)
        check(DENSE[name], a, x, rng.integers(-2, 3, a.shape[1]).astype(dtype))


def key_of_axis(rng, n):
    """A key that need not fit."""
    return [
        lambda: int(rng.integers(-n - 1, n + 1)),
        lambda: slice(*sorted(rng.integers(-1, n + 2, 2).tolist())),
        lambda: slice(None, None, int(rng.choice([-2, -1, 2]))),
        lambda: slice(None),
        lambda: rng.integers(-n, max(n, 1), 3) if n else np.zeros(0, int),
        lambda: rng.random(n) < 0.5,
        lambda: rng.integers(-n, n, (2, 2)) if n else slice(None),
    ][rng.integers(7)]()


def random_key(rng, shape):
    keys = tuple(key_of_axis(rng, n) for n in shape)
    arrays = [isinstance(each, np.ndarray) for each in keys]
    steps = [isinstance(each, slice) and each.step is not None for each in keys]
    if any(arrays) and any(steps):
        # A csr array of SciPy 1.18 pairs rows with columns there.
        keys = tuple(slice(None) if step else each for each, step in zip(keys, steps, strict=True))
    return keys[0] if rng.random() < 0.3 else keys


@pytest.mark.parametrize("seed", SEEDS)
def test_keys(device, seed):
    rng = np.random.default_rng(seed)
    for _ in range(8):
        a = random_structure(rng, ("csr", "csc", "coo")[seed % 3])
        key = random_key(rng, a.shape)
        on_the_device = tuple(map(on_device, key)) if isinstance(key, tuple) else on_device(key)
        for change in (None, 3, 2.5):
            host, found = a.copy(), on_device(a.copy())

            def use(array, key, change=change):
                if change is None:
                    return array[key]
                array[key] = change
                return array

            expected, error, warned = outcome(use, host, key)
            result, our_error, our_warned = outcome(use, found, on_the_device)
            assert (our_error, our_warned) == (error, warned), (key, change)
            if error is type(None):
                assert_same(result, expected)
                if sp.issparse(expected) and expected.ndim == 2:
                    assert_same_parts(result, expected)
