import numpy as np
import pytest
from records import ALL, Record, assert_same, outcome, record_test

import gpunp

LAYOUTS = ("C", "F", "negative", "steps")
SHAPES = ((7,), (4, 6), (3, 4, 5))
INDICES = [0, -1, 2, [1], [0, 2], [2, 0, 2], [-1, 1], slice(None), slice(1, 3), slice(None, None, 2), []]
RECORDS = (
    *(
        Record("delete", lambda f, a, obj=obj, axis=axis: f(a, obj, axis), shapes=SHAPES, layouts=LAYOUTS)
        for obj in [*INDICES, slice(3, None, -2), np.array([True, False, False, True])]
        for axis in (0, -1, None)
        if not isinstance(obj, np.ndarray)
    ),
    Record("delete", lambda f, a: f(a, 1, 0), dtypes=ALL, shapes=((5,), (3, 4))),
    Record("delete", lambda f, a: f(a, [True, False, False, True], 0), shapes=((4, 6),), layouts=("C", "F")),
    Record("delete", lambda f, a: f(a, [True, False], 0), shapes=((4, 6),), raises=True, layouts=("C", "F")),
    Record("delete", lambda f, a: f(a, 9, 0), shapes=SHAPES, raises=True),
    Record("delete", lambda f, a: f(a, [0, 9], 0), shapes=SHAPES, raises=True),
    Record("delete", lambda f, a: f(a, 1.5, 0), shapes=SHAPES, raises=True),
    Record("delete", lambda f, a: f(a, 0, 7), shapes=SHAPES, raises=True),
    *(
        Record("insert", lambda f, a, obj=obj, axis=axis: f(a, obj, 9, axis), shapes=SHAPES, layouts=LAYOUTS)
        for obj in INDICES
        for axis in (0, -1, None)
    ),
    Record("insert", lambda f, a: f(a, 1, [3, 2, 1]), dtypes=ALL, shapes=((5,), (3, 4))),
    Record("insert", lambda f, a: f(a, 1, [[1], [2], [3], [4]], axis=1), shapes=((4, 6),)),
    Record("insert", lambda f, a: f(a, [1], [[1], [2], [3], [4]], axis=1), shapes=((4, 6),)),
    Record("insert", lambda f, a: f(a, [1, 3], [[1, 5], [2, 6], [3, 7], [4, 8]], axis=1), shapes=((4, 6),)),
    Record("insert", lambda f, a: f(a, 1, [1, 2, 3, 4], axis=1), shapes=((4, 6),)),
    Record("insert", lambda f, a: f(a, np.array([True, False, False, True]), 5, axis=0), shapes=((4, 6),)),
    Record("insert", lambda f, a: f(a, 12, 1, axis=0), shapes=SHAPES, raises=True),
    Record("insert", lambda f, a: f(a, [0, 12], 1, axis=0), shapes=SHAPES, raises=True),
    Record("insert", lambda f, a: f(a, [[0, 1]], 1), shapes=SHAPES, raises=True),
    Record("insert", lambda f, a: f(a, 0, [1, 2, 3], axis=0), shapes=((4, 6),), raises=True, layouts=("C",)),
    *(
        Record("resize", lambda f, a, shape=shape: f(a, shape), shapes=((5,), (3, 4), (0,), ()))
        for shape in (3, 17, (2, 3), (7, 5, 2), (0, 4), ())
    ),
    Record("resize", lambda f, a: f(a, (3, 3)), dtypes=ALL),
    Record("resize", lambda f, a: f(a, (2, -1)), raises=True),
    Record(
        "trim_zeros",
        lambda f, a: (
            f(a * (np.arange(a.size) % 3 > 0).reshape(a.shape))
            if isinstance(a, np.ndarray)
            else f(a * gpunp.asarray((np.arange(a.size) % 3 > 0).reshape(a.shape)))
        ),
        dtypes="ifD",
        shapes=((7,), (2, 2)),
        layouts=("C",),
    ),
    Record("trim_zeros", lambda f, a: f(a - a), dtypes="ilfD", shapes=((6,), (0,), (3, 4)), layouts=("C",)),
    Record("trim_zeros", lambda f, a: f(a, "x"), raises=True),
    Record("trim_zeros", lambda f, a: f(a, axis=9), raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("trim", ["fb", "bf", "f", "B"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), ()])
def test_trim_zeros(trim, axis):
    host = np.zeros((7, 8))
    host[2:4, 3:7] = 1
    host[3, 4] = 0
    for array in (host, host.astype(bool), host[:2], host.T[::-1]):
        expected = np.trim_zeros(array, trim, axis)
        actual = np.trim_zeros(gpunp.asarray(array), trim, axis)
        assert_same(actual, expected)
    view = gpunp.asarray(host)
    assert np.shares_memory(np.trim_zeros(view), view)


INDEX_ARRAYS = [np.array([0, 2]), np.array([3, 0, 3]), np.array([-1, 1], "i2"), np.array([2]), np.array(1)]


@pytest.mark.parametrize("indices", INDEX_ARRAYS, ids=str)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_indices_on_the_device(indices, axis):
    host = np.arange(30.0).reshape(5, 6)
    a, on_device = gpunp.asarray(host), gpunp.asarray(indices)
    assert_same(np.insert(a, on_device, 7, axis), np.insert(host, indices, 7, axis))
    assert_same(np.delete(a, on_device, axis), np.delete(host, indices, axis))


def test_masks_on_the_device():
    host = np.arange(30.0).reshape(5, 6)
    mask = np.array([True, False, True, False, False])
    a, on_device = gpunp.asarray(host), gpunp.asarray(mask)
    assert_same(np.delete(a, on_device, 0), np.delete(host, mask, 0))
    assert_same(np.insert(a, on_device, 1, 0), np.insert(host, mask, 1, 0))
    with pytest.raises(ValueError, match="boolean array argument"):
        np.delete(a, on_device, 1)


def test_many_runs():
    host = np.arange(6000).reshape(3000, 2)
    a = gpunp.asarray(host)
    every = np.arange(0, 3000, 2)
    small = np.array([1, 200, 255], "u1")
    assert_same(np.delete(a, small, 0), np.delete(host, small, 0))
    # Indices are int for NumPy, which offsets them in their own dtype, where uint8 overflows.
    assert_same(np.insert(a, small, 0, 0), np.insert(host, small.astype(int), 0, 0))
    assert_same(np.delete(a, every, 0), np.delete(host, every, 0))
    assert_same(np.delete(a, slice(None, None, 3), 0), np.delete(host, slice(None, None, 3), 0))
    assert_same(np.insert(a, every, -1, 0), np.insert(host, every, -1, 0))


@pytest.mark.parametrize("values", [2.5, True, np.arange(4.0), gpunp])
def test_inserted_values_are_cast(values):
    host = np.arange(12).reshape(3, 4)
    on_device = gpunp.asarray(host)
    given = np.arange(4.0) if values is gpunp else values
    expected, _ = outcome(lambda: np.insert(host, 1, given, 0))
    assert_same(np.insert(on_device, 1, gpunp.arange(4.0) if values is gpunp else values, 0), expected)


@pytest.mark.parametrize("shape", [(2, 3), 4, (10,), (0,), (2, 2, 2), (), None, (1,) * 8, [3, 2]])
@pytest.mark.parametrize("order", ["C", "F"])
def test_resize_method(shape, order):
    host = np.array(np.arange(6.0).reshape(3, 2), order=order)
    a = gpunp.asarray(host)
    a.resize(shape)
    host.resize(shape, refcheck=False)
    assert_same(a, host)
    assert a.strides == host.strides
    # A 0-D NumPy array keeps the flags of its former shape, so flags are compared only with axes.
    assert not a.ndim or a.flags.fnc == host.flags.fnc


def test_resize_method_refuses():
    a = gpunp.arange(6)
    a.resize(2, 4)
    assert a.tolist() == [[0, 1, 2, 3], [4, 5, 0, 0]]
    with pytest.raises(ValueError, match="own its data"):
        a[0].resize(9)
    with pytest.raises(ValueError, match="single-segment"):
        a[:, ::2].resize(3)
    with pytest.raises(ValueError, match="negative"):
        a.resize(-1)
    view = a[1]
    a.resize(20)
    assert view.tolist() == [4, 5, 0, 0]
    copied = gpunp.arange(3)
    copied.resize((1, 3))
    assert copied.shape == (1, 3)


def test_indices_on_the_device_are_not_waited_for(device):
    a, indices = gpunp.arange(50.0), gpunp.asarray([3, 1, 40])
    before = device.transfer_counts
    np.insert(a, indices, 7)
    np.insert(a, [1, 2], a[:2])
    np.delete(a, [1, 2, 9])
    after = device.transfer_counts
    assert (after[0] - before[0], after[2] - before[2]) == (0, 0)
