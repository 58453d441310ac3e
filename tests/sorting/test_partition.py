import itertools

import numpy as np
import pytest
from records import ALL, Record, assert_same, record_test

import gpunp

FULL = ((1,), (7,), (3, 4), (2, 3, 4), (33, 65))


def sides(partitioned, kth, axis=-1):
    """Return what NumPy guarantees of a partition: the element at ``kth``, and both sides in any order."""
    # Adding 0 makes zeros of both signs identical.
    moved = np.moveaxis(partitioned, axis, -1) + 0
    return moved[..., kth], np.sort(moved[..., :kth]), np.sort(moved[..., kth:])


def between(partitioned, kth):
    """Return the same for several ranks."""
    partitioned = partitioned + 0
    edges = [0, *sorted(kth), partitioned.shape[-1]]
    parts = [np.sort(partitioned[..., i:j]) for i, j in itertools.pairwise(edges)]
    return [partitioned[..., k] for k in kth], parts


def by_indices(function, a, kth, axis=-1):
    """Return the elements in the order given by argpartition."""
    order = function(a, kth, axis=axis)
    assert order.dtype == np.intp
    return np.take_along_axis(a, order, axis)


def in_place(a, *args, **kwargs):
    copy = a.copy()
    assert copy.partition(*args, **kwargs) is None
    return copy


RECORDS = (
    Record("partition", lambda f, a: sides(f(a, 0), 0), dtypes=ALL, shapes=FULL),
    Record("partition", lambda f, a: sides(f(a, -1), a.shape[-1] - 1), dtypes=ALL, shapes=FULL),
    Record("partition", lambda f, a: sides(f(a, a.shape[0] // 2, axis=0), a.shape[0] // 2, 0), shapes=FULL),
    Record(
        "partition",
        lambda f, a: sides(f(a, 1, axis=1), 1, 1),
        shapes=((3, 4), (2, 3, 4), (33, 65)),
        dtypes="bef",
    ),
    Record(
        "partition", lambda f, a: sides(f(a, a.size // 2, axis=None), a.size // 2), dtypes=ALL, shapes=FULL
    ),
    Record("partition", lambda f, a: between(f(a, (2, 0, -1, 2)), (0, 2, 3)), dtypes=ALL, shapes=((3, 4),)),
    Record("partition", lambda f, a: between(f(a, [60, 5, 20]), (5, 20, 60)), dtypes=ALL, shapes=((33, 65),)),
    Record("partition", lambda f, a: sides(in_place(a, 1), 1), dtypes=ALL, shapes=((3, 4), (33, 65))),
    Record("partition", lambda f, a: sides(in_place(a, 1, axis=0), 1, 0), shapes=((3, 4), (33, 65))),
    Record("partition", lambda f, a: f(a, 5), dtypes="d", shapes=((0,), (4, 0), (0, 3))),
    Record("partition", lambda f, a: f(a, np.array([], int)), dtypes="d", shapes=((3,), (2, 3))),
    Record("partition", lambda f, a: f(a, 0, axis=None), shapes=((),)),
    Record("partition", lambda f, a: f(a, 1), shapes=((), (1,)), layouts=("C",), raises=True),
    Record("argpartition", lambda f, a: sides(by_indices(f, a, 0), 0), dtypes=ALL, shapes=FULL),
    Record("argpartition", lambda f, a: sides(by_indices(f, a, -1), a.shape[-1] - 1), shapes=FULL),
    Record(
        "argpartition",
        lambda f, a: sides(by_indices(f, a, a.shape[0] // 2, axis=0), a.shape[0] // 2, 0),
        shapes=FULL,
    ),
    Record(
        "argpartition", lambda f, a: between(by_indices(f, a, (60, 5, 20)), (5, 20, 60)), shapes=((33, 65),)
    ),
    Record("argpartition", lambda f, a: sides(a.ravel()[f(a, 2, axis=None)], 2), shapes=((3, 4), (2, 3, 4))),
    Record("argpartition", lambda f, a: f(a, 5), dtypes="d", shapes=((0,), (4, 0), (0, 3))),
    Record("argpartition", lambda f, a: f(a, np.array([], int)), dtypes="d", shapes=((3,), (2, 3))),
    Record("argpartition", lambda f, a: f(a, 0), shapes=((),)),
    *(
        Record(name, call, dtypes="id", shapes=((3,), (2, 3)), layouts=("C",), raises=True)
        for name in ("partition", "argpartition")
        for call in (
            lambda f, a: f(a, 3),
            lambda f, a: f(a, -4),
            lambda f, a: f(a, 1.0),
            lambda f, a: f(a, [[1]]),
            lambda f, a: f(a, []),
            lambda f, a: f(a, True),
            lambda f, a: f(a, 1, axis=2),
            lambda f, a: f(a, 1, kind="quick"),
            lambda f, a: f(a, 1, kind=3),
            lambda f, a: f(a, 1, order="x"),
        )
    ),
)
test_records = record_test(RECORDS)

MESSAGES = (
    (lambda a: np.partition(a, 3), ValueError, r"kth\(=3\) out of bounds \(3\)"),
    (lambda a: np.partition(a, 1.0), TypeError, "Partition index must be integer"),
    (lambda a: np.argpartition(a, True), ValueError, "Booleans unacceptable"),
    (lambda a: np.partition(a, 1, kind="x"), ValueError, "select kind must be 'introselect'"),
    (lambda a: np.partition(a, 1, order="x"), ValueError, "Cannot specify order"),
)


@pytest.mark.parametrize(("call", "error", "message"), MESSAGES)
def test_messages(call, error, message):
    for a in (np.zeros(3), gpunp.zeros(3)):
        with pytest.raises(error, match=message):
            call(a)


def test_read_only_in_place():
    a = gpunp.zeros(3)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a.partition(1)


@pytest.mark.parametrize("char", "BhfdIq")
@pytest.mark.parametrize("kind", ["random", "equal", "few", "sorted", "two far apart"])
def test_long_arrays(char, kind, rng):
    """Rows of several tiles and digits, on which all blocks of a GPU work."""
    size = 300_007
    dtype = np.dtype(char)
    host = {
        "random": lambda: rng.normal(50, 20, size),
        "equal": lambda: np.full(size, 3),
        "few": lambda: rng.integers(0, 5, size),
        "sorted": lambda: np.arange(size)[::-1] % 1000,
        "two far apart": lambda: np.where(rng.random(size) < 0.5, 1, 100),
    }[kind]().clip(0, 127)
    host = host.astype(dtype)
    a = gpunp.asarray(host)
    for kth in (0, 1, size // 3, size - 1):
        assert_same(sides(np.partition(a, kth), kth), sides(np.partition(host, kth), kth))
        order = np.argpartition(a, kth)
        assert_same(np.sort(order), np.arange(size))
        assert_same(sides(a[order], kth), sides(np.partition(host, kth), kth))


def test_same_order_in_every_run(rng):
    a = gpunp.asarray(rng.integers(0, 100, 200_000).astype("f4"))
    first = gpunp.asnumpy(np.argpartition(a, 70_000))
    for _ in range(3):
        np.testing.assert_array_equal(gpunp.asnumpy(np.argpartition(a, 70_000)), first)


def test_kth_on_the_device():
    a = gpunp.asarray([5, 1, 4, 2, 3])
    assert int(np.partition(a, gpunp.asarray(2))[2]) == 3
    assert int(np.partition(a, gpunp.asarray([1, 3]))[3]) == 4


def test_memory_order():
    host = np.arange(12.0).reshape(3, 4)[:, ::-1]
    for make in (lambda a: a.copy(order="F"), lambda a: a.T):
        ours, theirs = np.partition(make(gpunp.asarray(host)), 1), np.partition(make(host), 1)
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous
