import numpy as np
import pytest
from calls import call_test
from records import ALL, FEW, Record, assert_same, record_test

import gpunp


def changed(call):
    """Wrap a function that writes into its first argument; return the changed copy."""

    def run(function, a, *rest):
        target = a.copy("K")
        assert call(function, target, *rest) is None
        return target

    return run


def on(a, values):
    values = np.asarray(values)
    return gpunp.asarray(values) if isinstance(a, gpunp.ndarray) else values


SHAPES = ((7,), (3, 4), (2, 3, 4))
RECORDS = (
    Record("put", changed(lambda f, a: f(a, on(a, [0, 2, -1]), [1, 0, 1])), dtypes=ALL, shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, [[0, 3], [3, 3]], on(a, [0, 1, 2.5]))), shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, on(a, [1, 5, 1, 1]), on(a, [1, 0]))), shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, [1, 2], 1)), shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, [0], [1, 2, 3])), shapes=((), (1,), (7,))),
    Record("put", changed(lambda f, a: f(a, [1, 2], [])), shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, [], [1])), shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, on(a, [-30, 31]), [1, 0], mode="wrap")), shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, on(a, [-30, 31]), [1, 0], mode="clip")), shapes=SHAPES),
    Record("put", changed(lambda f, a: f(a, [99], [1])), shapes=SHAPES, raises=True),
    Record("put", changed(lambda f, a: f(a, [0], [1], mode="no")), shapes=SHAPES, raises=True),
    Record(
        "put_along_axis",
        changed(lambda f, a: f(a, on(a, np.ones_like([0, 2, 1])[:, None]), on(a, [[1], [0], [1]]), 1)),
        dtypes=ALL,
        shapes=((3, 4), (3, 2)),
        layouts=("C", "F", "negative"),
    ),
    Record("put_along_axis", changed(lambda f, a: f(a, on(a, [[2, 0, 1, 1]]), 1, axis=0)), shapes=((3, 4),)),
    Record(
        "put_along_axis",
        changed(lambda f, a: f(a, on(a, [2, 0, 0]), [1, 0, 1], None)),
        shapes=SHAPES,
        layouts=("C",),
    ),
    Record("put_along_axis", changed(lambda f, a: f(a, on(a, [2]), 1, 0)), shapes=((3, 4),), raises=True),
    Record("put_along_axis", changed(lambda f, a: f(a, on(a, [[2]]), 1, 5)), shapes=((3, 4),), raises=True),
    Record(
        "putmask",
        changed(lambda f, a: f(a, a == 0, on(a, [1, 0, 1]).astype(a.dtype))),
        dtypes=ALL,
        shapes=SHAPES,
    ),
    Record("putmask", changed(lambda f, a: f(a, a != 0, 1)), shapes=((), *SHAPES)),
    Record("putmask", changed(lambda f, a: f(a, a != 0, a + a)), shapes=SHAPES),
    Record("putmask", changed(lambda f, a: f(a, a != 0, (a + a).ravel())), shapes=SHAPES),
    Record("putmask", changed(lambda f, a: f(a, a != 0, [])), shapes=SHAPES),
    Record("putmask", changed(lambda f, a: f(a, [True, False], 1)), shapes=SHAPES, raises=True),
    Record(
        "place",
        changed(lambda f, a: f(a, a != 0, on(a, [1, 0, 1]).astype(a.dtype))),
        dtypes=ALL,
        shapes=SHAPES,
    ),
    Record(
        "putmask",
        changed(lambda f, a: f(a, a == 0, on(a, [1j, 0]))),
        dtypes="?ifd",
        shapes=SHAPES,
        raises=True,
    ),
    Record("place", changed(lambda f, a: f(a, a == 0, [1.5])), shapes=SHAPES),
    Record("place", changed(lambda f, a: f(a, a != a, [])), shapes=SHAPES),
    Record("place", changed(lambda f, a: f(a, a == a, [])), shapes=SHAPES, dtypes="?il", raises=True),
    Record("place", changed(lambda f, a: f(a, [True], 1)), shapes=SHAPES, raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("char", FEW)
def test_large(char, rng):
    host = rng.integers(0, 2, (130, 257)).astype(char)
    a = gpunp.asarray(host).T
    host = host.T
    index = rng.integers(-host.size, host.size, 100_000)
    values = rng.integers(0, 2, 777).astype(char)
    mask = rng.random(host.shape) < 0.3
    lanes = rng.integers(-130, 130, (257, 300))
    for array, up in ((host, np.asarray), (a, gpunp.asarray)):
        np.put(array, up(index), up(values))
        np.putmask(array, up(mask), up(values))
        np.place(array, up(~mask), up(values[:-1]))
        np.put_along_axis(array, up(lanes), up((lanes % 2).astype(char)), 1)
    assert_same(a, host)


def test_only_device_arrays_are_written():
    for call in (
        lambda: gpunp.put([1], [0], [2]),
        lambda: gpunp.putmask([1], [True], [2]),
        lambda: gpunp.place([1], [True], [2]),
        lambda: gpunp.put_along_axis([1], gpunp.asarray([0]), 1, 0),
    ):
        with pytest.raises(TypeError, match="device array"):
            call()


def test_method():
    host = np.zeros(4)
    a = gpunp.zeros(4)
    host.put([1, -1], [2, 3])
    a.put([1, -1], values=[2, 3])
    assert_same(a, host)


@pytest.mark.parametrize("size", [1, 0])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_without_values_no_index_is_checked(size, mode):
    for array, up in ((np.ones(size), np.asarray), (gpunp.ones(size), gpunp.asarray)):
        for index in ([], [1, -9], up(np.array([7]))):
            for values in ([], up(np.ones((2, 0)))):
                if size or len(index) == 0:
                    np.put(array, index, values, mode=mode)
                else:
                    with pytest.raises(IndexError, match="cannot replace elements of an empty array"):
                        np.put(array, index, values, mode=mode)
    gpunp.get_device().synchronize()
    assert_same(array, np.ones(size))


@pytest.mark.parametrize("char", "Hilefd")
def test_masks_that_are_no_booleans(char):
    host = np.arange(6.0)
    mask = np.array([0, 256, 1, 0, 512, 0]).astype(char)
    for write in (np.putmask, np.place):
        a, expected = gpunp.asarray(host).copy(), host.copy()
        write(a, gpunp.asarray(mask), 9)
        write(expected, mask, 9)
        assert_same(a, expected)


# Values without dimensions cast safely, like all arrays; scalars take any value.
test_values_that_cast = call_test(
    """
    xp.putmask(A([1, 2], dtype="u1"), A([True, False]), A(2.5))
    xp.putmask(A([1, 2], dtype="u1"), A([True, False]), A(300))
    xp.putmask(A([1, 2], dtype="u1"), A([True, False]), A([2.5])[0])
    xp.putmask(A([1, 2], dtype="u1"), A([True, False]), 2.5)
    xp.place(A([1, 2], dtype="u1"), A([True, False]), A(2.5))
    xp.place(A([1, 2], dtype="u1"), A([True, False]), A([2]))
    """
)
