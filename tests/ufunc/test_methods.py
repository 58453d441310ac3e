"""reduce, accumulate, reduceat, outer and at of every binary ufunc, compared with NumPy."""
# ruff: noqa: B023 - the functions defined in loops are called at once.

import inspect
import warnings

import numpy as np
import pytest

import gpunp

CHARS = "?bBhHiIqQefdFD"
BINARY = sorted(
    {
        u.__name__
        for u in vars(np).values()
        if isinstance(u, np.ufunc) and u.nin == 2 and u.nout == 1 and not u.signature
    }
)
TOLERANCE = {"e": 3e-2, "f": 2e-5, "d": 1e-11, "F": 2e-5, "D": 1e-11}


def values(shape, char, seed=0):
    rng = np.random.default_rng(seed)
    if char == "?":
        return rng.random(shape) < 0.5
    if char in "bBhHiIqQ":
        return rng.integers(0, 5, shape).astype(char)
    x = rng.integers(-8, 8, shape) / 4
    return (x + 1j * rng.integers(-4, 4, shape) if char in "FD" else x).astype(char)


def outcome(function):
    """Return the result of a call, or the class of the exception that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function()
        except Exception as error:
            return type(error)
    return gpunp.asnumpy(result) if isinstance(result, gpunp.ndarray) else np.asarray(result)


def same(ours, theirs):
    ours, theirs = outcome(ours), outcome(theirs)
    if isinstance(ours, type) or isinstance(theirs, type):
        assert isinstance(ours, type), (ours, theirs)
        assert isinstance(theirs, type), (ours, theirs)
        assert issubclass(ours, theirs) or issubclass(theirs, ours)
        return
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    tolerance = TOLERANCE.get(theirs.dtype.char)
    if tolerance:
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(ours, theirs)


# On processors with AVX-512, NumPy's vector loops of these ufuncs give wrong results in reductions.
CHAINED = frozenset({"arctan2", "power", "float_power", "ldexp"})


def chain(ufunc, array, dtype):
    """Return the partial results along the first axis, one call of NumPy per step."""
    steps = [array[0].astype(dtype)]
    for row in array[1:]:
        steps.append(ufunc(steps[-1], row.astype(np.int64) if ufunc is np.ldexp else row).astype(dtype))
    return np.array(steps)


def accumulated(ufunc, array, axis=0):
    """Return NumPy's ``ufunc.accumulate``, computed step by step for the ufuncs in `CHAINED`."""
    result = ufunc.accumulate(array, axis=axis)
    if ufunc.__name__ in CHAINED and array.size:
        return np.moveaxis(chain(ufunc, np.moveaxis(array, axis, 0), result.dtype), 0, axis)
    return result


def reduced(ufunc, array, axis=0, keepdims=False):
    """Return NumPy's ``ufunc.reduce``, likewise."""
    result = ufunc.reduce(array, axis=axis, keepdims=keepdims)
    if ufunc.__name__ in CHAINED and array.size:
        last = chain(ufunc, np.moveaxis(array, axis, 0), result.dtype)[-1]
        return np.expand_dims(last, axis) if keepdims else last
    return result


def reduced_at(ufunc, array, indices):
    """Return NumPy's ``ufunc.reduceat`` along the last axis, likewise."""
    result = ufunc.reduceat(array, indices, axis=-1)
    if ufunc.__name__ in CHAINED:
        for k, start in enumerate(indices):
            end = indices[k + 1] if k + 1 < len(indices) else array.shape[-1]
            result[..., k] = reduced(ufunc, array[..., start : max(end, start + 1)], -1)
    return result


@pytest.fixture(params=CHARS)
def char(request):
    return request.param


@pytest.mark.parametrize("name", BINARY)
def test_along_an_axis(device, name, char):
    ufunc = getattr(np, name)
    for shape in ((9,), (2, 3, 5), (0, 3)):
        host = values(shape, char)
        ours = gpunp.asarray(host, device=device)
        for axis in range(len(shape)):
            same(lambda: ufunc.reduce(ours, axis=axis), lambda: reduced(ufunc, host, axis))
            same(lambda: ufunc.accumulate(ours, axis=axis), lambda: accumulated(ufunc, host, axis))
            same(lambda: ufunc.reduce(ours[::-1].T, axis=axis, keepdims=True),
                 lambda: reduced(ufunc, host[::-1].T, axis, True))  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_reduceat(device, name, char):
    ufunc = getattr(np, name)
    host = values((2, 8), char)
    ours = gpunp.asarray(host, device=device)
    for indices in ([0, 2, 1, 1, 7], [3], []):
        same(lambda: ufunc.reduceat(ours, indices, axis=1), lambda: reduced_at(ufunc, host, indices))
        on_device = gpunp.asarray(np.array(indices, np.int64), device=device)
        same(lambda: ufunc.reduceat(ours, on_device, axis=1), lambda: reduced_at(ufunc, host, indices))


def at(ufunc, a, *args):
    ufunc.at(a, *args)
    return a


@pytest.mark.parametrize("name", BINARY)
def test_at(device, name, char):
    ufunc = getattr(np, name)
    host = values((6, 2), char)
    indices = np.array([0, 5, -1, 0, 2, 0, -6])
    for other in {char, "d"}:
        b = values((7, 2), other, 1)
        if char in "bBhHiIqQ" and other == "d":
            # The conversion of a float outside the integer range is undefined.
            b = np.ones_like(b) if "power" in name else np.abs(b)
            if char in "BHIQ" and name in ("subtract", "copysign"):
                continue
        same(lambda: at(ufunc, gpunp.asarray(host, device=device, copy=True), indices, b),
             lambda: at(ufunc, host.copy(), indices, b))  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_outer(device, name):
    ufunc = getattr(np, name)
    a, b = values((2, 3), "d"), values((4,), "f", 1)
    same(lambda: ufunc.outer(gpunp.asarray(a, device=device), b), lambda: ufunc.outer(a, b))


def test_outer_takes_python_scalars_for_arrays(device):
    a = values((3,), "f")
    same(lambda: np.add.outer(gpunp.asarray(a, device=device), 2.0), lambda: np.add.outer(a, 2.0))


@pytest.mark.parametrize("dtype", CHARS)
def test_dtype_and_out(device, dtype, char):
    host = values((4, 3), char)
    ours = gpunp.asarray(host, device=device)
    for ufunc in (np.subtract, np.add):
        same(lambda: ufunc.accumulate(ours, dtype=dtype), lambda: ufunc.accumulate(host, dtype=dtype))
        same(
            lambda: ufunc.reduceat(ours, [0, 2], dtype=dtype),
            lambda: ufunc.reduceat(host, [0, 2], dtype=dtype),
        )
        if dtype not in "?BHIQ" or char in "?bBhHiIqQ":  # negative floats to unsigned: undefined
            same(lambda: ufunc.accumulate(ours, out=gpunp.zeros((4, 3), dtype, device=device)),
                 lambda: ufunc.accumulate(host, out=np.zeros((4, 3), dtype)))  # fmt: skip


def test_reduce_where_and_initial(device):
    host = values((4, 6), "d")
    ours = gpunp.asarray(host, device=device)
    mask = np.random.default_rng(2).random((4, 6)) < 0.5
    for axis in (0, 1, ()):
        for where, theirs in ((mask, mask), (mask[0], mask[0]), (gpunp.asarray(mask, device=device), mask)):
            same(lambda: np.subtract.reduce(ours, axis=axis, where=where, initial=2),
                 lambda: np.subtract.reduce(host, axis=axis, where=theirs, initial=2))  # fmt: skip
    same(lambda: np.divide.reduce(ours, axis=()), lambda: np.divide.reduce(host, axis=()))
    same(lambda: np.subtract.reduce(ours[0, 0]), lambda: np.subtract.reduce(host[0, 0]))


@pytest.mark.parametrize(
    "call",
    [
        lambda a: np.sin.reduce(a),
        lambda a: np.divmod.reduce(a),
        lambda a: np.sin.accumulate(a),
        lambda a: np.divmod.accumulate(a),
        lambda a: np.sin.reduceat(a, [0]),
        lambda a: np.divmod.at(a, [0], 1),
        lambda a: np.modf.at(a, [0]),
        lambda a: np.sin.outer(a, a),
        lambda a: np.add.at(a, [0]),
        lambda a: np.sin.at(a, [0], 1),
        lambda a: np.subtract.reduce(a, axis=(0, 1)),
        lambda a: np.subtract.reduce(a, axis=None),
        lambda a: np.subtract.reduce(a, axis=(0, 0)),
        lambda a: np.subtract.reduce(a[:0]),
        lambda a: np.subtract.reduce(a, where=np.array([True, False, True])),
        lambda a: np.subtract.reduce(a, axis=5),
        lambda a: np.subtract.reduce(a, axis=1.5),
        lambda a: np.subtract.accumulate(a, axis=(0, 1)),
        lambda a: np.subtract.accumulate(a, axis=None),
        lambda a: np.subtract.accumulate(a, axis=-3),
        lambda a: np.subtract.accumulate(a[0, 0]),
        lambda a: np.subtract.reduceat(a[0, 0], [0]),
        lambda a: np.subtract.reduceat(a, [0, 2]),
        lambda a: np.subtract.reduceat(a, [0, -1]),
        lambda a: np.subtract.reduceat(a, 0),
        lambda a: np.subtract.reduceat(a, [[0, 1]]),
        lambda a: np.subtract.reduceat(a, np.array([0.0, 1.0])),
        lambda a: np.subtract.reduceat(a, [0], axis=None),
        lambda a: np.subtract.reduce(a, initial=np.array([1, 2])),
        lambda a: np.subtract.reduce(a, initial=1j),
        lambda a: np.subtract.reduce(a.astype("b"), initial=300),
        lambda a: np.subtract.reduce(a, dtype=bool),
        lambda a: np.less.accumulate(a),
        lambda a: np.add.at(a, [0, 1], np.ones((3, 3))),
        lambda a: np.bitwise_and.at(a, [0], 1),
    ],
)
def test_errors_are_those_of_numpy(device, call):
    host = np.ones((2, 3))
    theirs = outcome(lambda: call(host))
    assert isinstance(theirs, type)
    ours = outcome(lambda: call(gpunp.asarray(host, device=device)))
    assert isinstance(ours, type), ours
    assert issubclass(ours, theirs) or issubclass(theirs, ours)


BASE = np.arange(24.0).reshape(2, 3, 4)
MASK = np.array([[True] * 4, [False] * 4, [True] * 4])
BASIC = [
    0,
    -1,
    (0, 1),
    (0, 1, 2),
    slice(None),
    slice(None, None, -1),
    Ellipsis,
    None,
    np.int64(1),
    np.array(1),
    5,
]
ADVANCED = [
    (slice(None), [0, 2, 2]), ([0, 1, 1], slice(None), [3, 3, 3]), ([0, 1], [1, 2]), ([[0], [1]], [0, 0, 1]),
    (Ellipsis, [0, 0]), (None, [0, 1, 0]), (0, [0, 0], slice(1, 3)), ([0, 0], 0, slice(None)),
    (0, slice(None), [1, 1]), [], np.array([0, 1], "u1"), np.array([[0, 1], [1, 0]]), np.zeros((2, 0), int),
    (slice(None), slice(None, None, 2), [0, 3, 3]),
]  # fmt: skip
BOOLEAN = [
    np.array([True, False]),
    (slice(None), np.array([True, False, True])),
    BASE > 10,
    (0, MASK),
    True,
    False,
]
WRONG = [
    [0, 7], [0, -3], [0.5], "a", 1.5, ([0, 1], [0, 1, 2]), (0, 0, 0, 0), (Ellipsis, Ellipsis),
    np.array([True]),
]  # fmt: skip


@pytest.mark.parametrize("index", [*BASIC, *ADVANCED, *BOOLEAN, *WRONG], ids=str)
def test_at_indices(device, index):
    def on_device(item):
        return gpunp.asarray(item, device=device) if isinstance(item, np.ndarray) else item

    moved = tuple(map(on_device, index)) if isinstance(index, tuple) else on_device(index)

    def fresh():
        return gpunp.asarray(BASE, device=device, copy=True)

    for ufunc, b in ((np.add, (2.0,)), (np.divide, (2.0,)), (np.square, ())):
        same(lambda: at(ufunc, fresh(), index, *b), lambda: at(ufunc, BASE.copy(), index, *b))
        # A layout that is not C-contiguous, and indices on the device.
        turned = fresh().transpose(2, 0, 1).copy().transpose(1, 2, 0)
        same(lambda: at(ufunc, turned, moved, *b), lambda: at(ufunc, BASE.copy(), index, *b))


def test_at_in_order_with_many_repeats(device):
    rng = np.random.default_rng(3)
    for size, count, dtype in ((3, 20000, "d"), (70000, 50000, "f"), (1000, 30000, "q"), (1, 5000, "F")):
        host = rng.uniform(1, 2, size).astype(dtype)
        index = rng.integers(-size, size, count)
        b = rng.uniform(1, 2, count).astype(dtype)
        for ufunc in (np.subtract, np.add, np.maximum) if dtype != "F" else (np.subtract,):
            ours = at(
                ufunc, gpunp.asarray(host, device=device, copy=True), gpunp.asarray(index, device=device), b
            )
            # Applied one by one in the order of the indices: bits are equal.
            np.testing.assert_array_equal(gpunp.asnumpy(ours), at(ufunc, host.copy(), index, b))


def test_at_with_itself(device):
    for view in (lambda x: x, lambda x: x[::-1]):
        host = np.arange(3.0)
        ours = gpunp.asarray(host, device=device, copy=True)
        np.add.at(ours, [0, 1, 0], view(ours))
        np.add.at(host, [0, 1, 0], view(host))
        np.testing.assert_array_equal(gpunp.asnumpy(ours), host)


def test_at_of_a_host_array_is_refused(device):
    with pytest.raises(TypeError, match=r"numpy\.add\.at: the first operand must be a device array"):
        np.add.at(np.zeros(3), [0, 1], gpunp.ones(2, device=device))


class Place:
    def __index__(self):
        return 1


def test_at_parses_indices_as_indexing_does(device):
    ours = gpunp.zeros((2, 3), device=device)
    np.add.at(ours, (Place(), [gpunp.asarray(2, device=device), 0]), 1.0)
    assert ours.tolist() == [[0, 0, 0], [1, 0, 1]]
    for wrong in (object(), "a", ["a"], 1j, [1j]):
        with pytest.raises(IndexError):
            np.add.at(ours, wrong, 1.0)
        with pytest.raises(IndexError):
            ours[wrong]


def test_at_of_host_indices_follows_the_policy(device):
    ours = gpunp.zeros(3, device=device)
    with gpunp.config.using(host_operands="error"):
        with pytest.raises(TypeError, match=r"numpy\.add\.at: a host operand \(list\)"):
            np.add.at(ours, [0, 1], 1.0)
        np.add.at(ours, gpunp.asarray([0, 1], device=device), 1.0)
        np.add.at(ours, 2, 1.0)
    assert ours.tolist() == [1, 1, 1]


def test_at_out_of_bounds_on_the_device_writes_nothing(device):
    host = np.arange(5.0)
    ours = gpunp.asarray(host, device=device, copy=True)
    index = gpunp.asarray(np.array([0, 1, 5, 2]), device=device)

    def add_and_look():
        np.add.at(ours, index, 1.0)
        device.synchronize()
        gpunp.asnumpy(ours)

    with pytest.raises(IndexError):
        add_and_look()
    np.testing.assert_array_equal(gpunp.asnumpy(ours), host)


def test_unary_at_applies_once_for_each_mention(device):
    host = np.array([1.0, 16.0, 81.0, 4.0])
    index = [1, 1, 2, 1]
    same(lambda: at(np.sqrt, gpunp.asarray(host, device=device, copy=True), index),
         lambda: at(np.sqrt, host.copy(), index))  # fmt: skip


def test_long_segments(device):
    host = np.random.default_rng(5).standard_normal((5000, 3))
    ours = gpunp.asarray(host, device=device)
    for ufunc in (np.add, np.maximum, np.logaddexp):
        same(lambda: ufunc.reduceat(ours, [0, 1000, 4999]), lambda: ufunc.reduceat(host, [0, 1000, 4999]))


def test_functions_of_scipy(device):
    special = pytest.importorskip("scipy.special")
    host = np.random.default_rng(6).uniform(0.5, 2, (5, 4))
    ours = gpunp.asarray(host, device=device)
    for ufunc in (inspect.unwrap(special.xlogy), inspect.unwrap(special.rel_entr)):
        same(lambda: ufunc.accumulate(ours), lambda: ufunc.accumulate(host))
        same(lambda: ufunc.outer(ours, host[0]), lambda: ufunc.outer(host, host[0]))


def test_reduceat_into_what_it_reads():
    a = np.arange(10000)
    starts = a[::-1].copy()
    expected = np.add.reduceat(a, starts)
    for out_of_starts in (False, True):
        ours, places = gpunp.asarray(a), gpunp.asarray(starts)
        out = places if out_of_starts else ours
        np.add.reduceat(ours, places, out=out)
        np.testing.assert_array_equal(out.get(), expected)


def test_accumulate_into_one_place():
    ours = gpunp.asarray([1, 2, 3])
    cell = gpunp.lib.stride_tricks.as_strided(gpunp.zeros(1, dtype=int), (3,), (0,))
    np.add.accumulate(ours, out=cell)
    assert cell.tolist() == [6, 6, 6]
