import numpy as np
import pytest
from calls import call_test
from records import assert_same

import gpunp

KEYS = [
    0,
    -1,
    slice(None),
    slice(1, 9, 2),
    slice(None, None, -3),
    slice(5, 5),
    Ellipsis,
    [0, 3, 3],
    [],
    np.int64(2),
]


def layouts(xp):
    a = xp.arange(12.0).reshape(3, 4)
    return [a, a.T, a[::-1, ::2], a[1], xp.asarray(5.0), a[:0]]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_reading_and_writing(key):
    for ours, host in zip(layouts(gpunp), layouts(np), strict=True):
        if host.size < 4 and not isinstance(key, slice | type(Ellipsis)):
            continue
        assert_same(ours.flat[key], host.flat[key])
        ours.flat[key] = 7
        host.flat[key] = 7
        assert_same(ours, host)
        if isinstance(key, slice | list):
            ours.flat[key] = gpunp.asarray([1, 2])
            host.flat[key] = [1, 2]
            assert_same(ours, host)


def test_device_indices():
    host = np.arange(12).reshape(3, 4).T
    a = gpunp.asarray(np.arange(12).reshape(3, 4)).T
    index = np.array([[1, 1], [-1, 5]])
    assert_same(a.flat[gpunp.asarray(index)], host.flat[index])
    a.flat[gpunp.asarray(index)] = gpunp.asarray([9, 8, 7])
    host.flat[index] = [9, 8, 7]
    assert_same(a, host)


def test_as_an_iterator():
    host, a = np.arange(6).reshape(2, 3), gpunp.arange(6).reshape(2, 3)
    flat = a.flat
    assert isinstance(flat, gpunp.flatiter)
    assert len(flat) == 6
    assert flat.base is a
    assert (flat.index, flat.coords) == (0, (0, 0))
    assert [int(next(flat)) for _ in range(4)] == [0, 1, 2, 3]
    assert (flat.index, flat.coords) == (4, (1, 1))
    assert [int(x) for x in flat] == [4, 5]
    assert_same(a.T.flat.copy(), host.T.flat.copy())


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (2, 0, 4), (1, 1)], ids=str)
def test_coordinates_at_the_start(shape):
    flat = gpunp.zeros(shape).flat
    assert flat.coords == np.zeros(shape).flat.coords
    assert flat.index == 0


def test_assigning_to_the_attribute():
    host, a = np.zeros((2, 3)), gpunp.zeros((2, 3))
    host.flat = [1, 2]
    a.flat = [1, 2]
    assert_same(a, host)
    a.T.flat = host.T.flat = 4.5
    assert_same(a, host)


def test_masks_and_other_iterators():
    for xp in (np, gpunp):
        a = xp.arange(12).reshape(3, 4).T
        assert a.flat[xp.asarray([True, False, True] * 4)].tolist() == [0, 8, 1, 9, 2, 10, 3, 11]
        assert a.flat[xp.asarray([[1, 0], [3, 2]]).flat].tolist() == [4, 0, 1, 8]
        a.flat[xp.asarray([True] + [False] * 11)] = -1
        assert int(a[0, 0]) == -1
        assert int(a.sum()) == 65


def test_errors():
    a = gpunp.arange(6).reshape(2, 3)
    for key, match in ((6, "out of bounds for size 6"), ((1, 2), "too many indices"), ("x", "only integers")):
        with pytest.raises(IndexError, match=match):
            a.flat[key]
    with pytest.raises(IndexError, match="boolean index of shape"):
        a.flat[gpunp.asarray([True] * 5)]
    with pytest.raises(ValueError, match="single item"):
        a.flat[0] = [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        gpunp.broadcast_to(a, (2, 2, 3)).flat[0] = 1


def test_no_dimensions_as_key():
    a = gpunp.arange(4)
    assert a.flat[()].tolist() == [0, 1, 2, 3]
    with pytest.raises(IndexError, match="0-D index"):
        a.flat[()] = 7
    with pytest.raises(TypeError, match="delete"):
        del a.flat[0]


# Flat iterators are accepted as arrays in calls, and in operators with arrays.
test_operands = call_test(
    """
    xp.sum(A([[1, 2], [3, 4]]).flat)
    np.add(A([[1, 2], [3, 4]]).flat, 1)
    xp.concatenate([A([[1, 2], [3, 4]]).flat, A([5]).flat])
    xp.dot(A([[1.0, 2], [3, 4]]), A([[5.0], [6]]).flat)
    xp.array_equal(A([[1, 2]]).flat, A([1, 2]).flat)
    xp.broadcast_to(A([[1, 2]]).flat, (2, 2))
    xp.shape(A([[1, 2]]).flat)
    xp.where(A([[1, 0]]).flat, A([[5], [6]]).flat, 7)
    xp.linalg.norm(A([[3.0], [4]]).flat)
    np.add.reduce(A([[1, 2], [3, 4]]).flat)
    A([[1, 2], [3, 4]]).flat == 2
    A([[1, 2], [3, 4]]).flat < A([[1, 3], [5, 0]]).flat
    A([[1, 2], [3, 4]]).flat + A([1, 2, 3, 4])
    A([1, 2, 3, 4]) - A([[1, 2], [3, 4]]).flat
    A([1, 2]) @ A([[3], [4]]).flat
    A([[1, 2]]).flat + 1
    A([[1, 2]]) == A([[1, 2, 3]]).flat
    """
)


def test_no_copy_to_the_host():
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(gpunp.arange(4).flat)
    assert gpunp.asarray(gpunp.arange(4).reshape(2, 2).flat).tolist() == [0, 1, 2, 3]
    with gpunp.config.using(host_copies="allow"):
        copy = np.asarray(gpunp.arange(4).reshape(2, 2).T.flat, dtype="f4")
    assert copy.tolist() == [0, 2, 1, 3]
    assert copy.dtype == np.float32


@pytest.mark.parametrize("dtype", ["?", "i4", "u1", "f4", "c8"])
def test_one_element(dtype):
    values = [300, -1, 2.5, np.nan, np.inf, 2j, np.float64(2.5), [1], [1, 2], "x", 2**70]
    values += [np.array([5.0]), np.array([1, 2]), np.array(7)]
    for value in values:
        host, a = np.zeros((2, 2), dtype), gpunp.zeros((2, 2), dtype)
        moved = gpunp.asarray(value) if isinstance(value, np.ndarray) else value
        try:
            host.flat[-1] = value
        except ValueError:
            with pytest.raises(ValueError, match="Error setting single item of array"):
                a.flat[-1] = moved
        else:
            a.flat[-1] = moved
        assert_same(a, host)
