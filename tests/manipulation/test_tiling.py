import numpy as np
import pytest
from records import ALL, SHAPES, Record, assert_same, outcome, record_test

import gpunp

RECORDS = (
    Record("tile", lambda f, a: f(a, 3), dtypes=ALL, shapes=SHAPES),
    *(
        Record("tile", lambda f, a, reps=reps: f(a, reps))
        for reps in (1, 0, (2, 1), (1, 3), (2, 2, 2), (1, 1, 1, 1), (2, 1, 3, 1), np.array([2, 3]))
    ),
    Record("tile", lambda f, a: f(a, (2, -1)), raises=True, shapes=((5,), (3, 4))),
    Record("tile", lambda f, a: f(a, 1.5), raises=True, shapes=((5,), (3, 4))),
    Record("repeat", lambda f, a: f(a, 3), dtypes=ALL, shapes=SHAPES),
    Record("repeat", lambda f, a: f(a, 1)),
    Record("repeat", lambda f, a: f(a, 0)),
    Record("repeat", lambda f, a: f(a, [2])),
    Record("repeat", lambda f, a: f(a, True)),
    *(Record("repeat", lambda f, a, axis=axis: f(a, 2, axis)) for axis in (0, 1, -1)),
    Record("repeat", lambda f, a: f(a, np.arange(a.size) % 4)),
    Record("repeat", lambda f, a: f(a, [n % 3 for n in range(a.shape[0])], axis=0), shapes=((5,), (3, 4))),
    Record(
        "repeat", lambda f, a: f(a, np.arange(a.shape[-1], dtype="u1"), -1), shapes=((5,), (2, 3, 4), (0,))
    ),
    Record("repeat", lambda f, a: f(a, -1), raises=True, shapes=((), (5,), (3, 4))),
    Record("repeat", lambda f, a: f(a, -1), shapes=((0,),), layouts=("C",)),
    Record("repeat", lambda f, a: f(a, [1, 2, -1]), shapes=((3,),), layouts=("C",), raises=True),
    Record("repeat", lambda f, a: f(a, [1, 2]), shapes=((5,), (3, 4)), raises=True, layouts=("C", "F")),
    Record("repeat", lambda f, a: f(a, [[1, 2]]), shapes=((2,),), layouts=("C",), raises=True),
    Record("repeat", lambda f, a: f(a, 1.5), shapes=((5,), (3, 4))),
    Record("repeat", lambda f, a: f(a, np.array([1.5, 2])), raises=True),
    Record("repeat", lambda f, a: f(a, 2, axis=4), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("length", [1, 2, 255, 2048, 5000])
@pytest.mark.parametrize("highest", [0, 1, 3, 700])
def test_repeat_by_counts_on_the_device(rng, length, highest):
    counts = rng.integers(0, highest + 1, length)
    counts[rng.random(length) < 0.3] = 0
    for char in "bhfdD":
        host = np.arange(length).astype(char)
        assert_same(np.repeat(gpunp.asarray(host), gpunp.asarray(counts)), np.repeat(host, counts))


@pytest.mark.parametrize("inner", [1, 2, 3, 4, 37, 20000])
@pytest.mark.parametrize("outer", [1, 3, 100])
def test_repeat_of_rows(rng, inner, outer):
    if inner * outer > 100_000:
        outer = 2
    host = rng.integers(0, 255, (outer, 11, inner)).astype("u1")
    counts = rng.integers(0, 5, 11)
    expected = np.repeat(host, counts, axis=1)
    assert_same(np.repeat(gpunp.asarray(host), gpunp.asarray(counts), axis=1), expected)
    assert_same(gpunp.asarray(host).repeat(counts.tolist(), 1), expected)


def test_counts_on_the_device_that_are_wrong():
    a = gpunp.arange(3)
    for counts in (np.array([1, -1, 2]), np.array([-2]), np.ones(3), np.ones(2, int), np.ones((3, 1), int)):
        _, expected = outcome(lambda counts=counts: np.repeat(np.arange(3), counts))
        with pytest.raises(type(expected)):
            np.repeat(a, gpunp.asarray(counts))
    assert_same(np.repeat(a, gpunp.asarray(2)), np.repeat(np.arange(3), 2))
    # NumPy dispatches by the array only, not by the counts: call gpunp's function.
    assert_same(gpunp.repeat(np.arange(3), gpunp.asarray([0, 1, 2])), np.repeat(np.arange(3), [0, 1, 2]))
    assert_same(np.tile(a, gpunp.asarray([2, 1])), np.tile(np.arange(3), [2, 1]))


def test_tile_of_lists_and_many_axes():
    assert_same(gpunp.tile([[1, 2], [3, 4]], (1, 2)), np.tile([[1, 2], [3, 4]], (1, 2)))
    host = np.arange(1024).reshape((2,) * 10)
    reps = (1, 2) * 5
    assert_same(np.tile(gpunp.asarray(host).T, reps), np.tile(host.T, reps))


def test_counts_are_waited_for_once(device):
    a, counts = gpunp.arange(50.0), gpunp.arange(50)
    before = device.transfer_counts
    np.repeat(a, counts)
    after = device.transfer_counts
    waits, downloads = after[0] - before[0], after[2] - before[2]
    assert waits + downloads == 1
    before = device.transfer_counts
    np.repeat(a, 3)
    np.repeat(a, np.arange(50))
    after = device.transfer_counts
    assert (after[0] - before[0], after[2] - before[2]) == (0, 0)


@pytest.mark.parametrize(("dtype", "length"), [("u1", 7), ("f4", 3), ("c16", 255)])
def test_tile_of_a_short_pattern_many_times(dtype, length):
    host = np.arange(length).astype(dtype)
    times = (1 << 22) // length + 2
    assert_same(np.tile(gpunp.asarray(host), times), np.tile(host, times))
    row = host.reshape(1, -1)
    assert_same(np.tile(gpunp.asarray(row), (1, times)), np.tile(row, (1, times)))


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c16"])
@pytest.mark.parametrize("columns", [1024, 1201])
def test_large_tiles_and_repeats(dtype, columns):
    # Special copy kernels: rows of whole vectors and others, along one axis or several.
    host = np.arange(150 * columns).astype(dtype).reshape(150, columns)
    a = gpunp.asarray(host)
    for reps in (2, (3, 1), (2, 2), (1, 2, 3), (2, 1, 2)):
        assert_same(np.tile(a, reps), np.tile(host, reps))
    assert_same(np.tile(a.reshape(-1), (3, 1)), np.tile(host.reshape(-1), (3, 1)))
    for times in (2, 5, 16):
        for axis in (None, 0, 1):
            assert_same(np.repeat(a, times, axis), np.repeat(host, times, axis))
            assert_same(np.repeat(a[:, 1:], times, axis), np.repeat(host[:, 1:], times, axis))
    # The last copy is incomplete.
    size = 3 * host.size - 1001
    assert_same(np.resize(a, size), np.resize(host, size))
