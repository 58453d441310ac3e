"""Views by integers, slices, newaxis and the ellipsis, and assignment through them."""

import warnings

import numpy as np
import pytest
from calls import assigned
from records import assert_same, outcome

import gpunp

CHARS = "?bBhHiIlLefdFD"
KEYS = [
    0, -1, np.int64(1), slice(None), slice(1, None, 2), slice(None, None, -1), slice(5, 1, -2), slice(3, 3),
    None, Ellipsis, (1, 2), (Ellipsis, 0), (slice(None), None, 1), (0, Ellipsis, slice(None, None, -1)), (),
    (None, None), (slice(10), slice(-10, 10)), (1, 2, 0), (np.uint8(1), slice(None, None, 3), Ellipsis),
]  # fmt: skip
WRONG = [4, -5, (0, 0, 0, 0), (Ellipsis, Ellipsis), 1.0, "x", (0, 3.5), (0, 9)]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_views(key, device):
    host = np.arange(60.0).reshape(4, 3, 5)
    ours = gpunp.asarray(host)
    view = ours[key]
    np.testing.assert_array_equal(view.get(), host[key])
    assert view.strides == np.asarray(host[key]).strides or view.size <= 1
    if isinstance(key, tuple) and key == (1, 2, 0):
        # A single element is a scalar, not a view.
        assert view.base is None
        return
    assert view.base is ours
    view[...] = -1
    changed = host.copy()
    changed[key] = -1
    np.testing.assert_array_equal(ours.get(), changed)


@pytest.mark.parametrize("key", WRONG, ids=repr)
def test_wrong_keys(key, device):
    ours = gpunp.zeros((4, 3, 5))
    with pytest.raises(IndexError):
        ours[key]
    with pytest.raises(IndexError):
        ours[key] = 1


@pytest.mark.parametrize("value", [True, 3, -1, 2.5, 1j, 300, 2**40, np.float32(1.5), np.int8(3)], ids=repr)
@pytest.mark.parametrize("char", CHARS)
def test_assigned_numbers(char, value, device):
    host = np.zeros((3, 4), char)
    ours = gpunp.asarray(host)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            host[1:, ::2] = value
        except Exception as error:
            with pytest.raises(type(error)):
                ours[1:, ::2] = value
            return
    ours[1:, ::2] = value
    np.testing.assert_array_equal(ours.get(), host)


def test_assigned_arrays(device):
    host = np.arange(12.0).reshape(3, 4)
    ours = gpunp.asarray(host)
    host[:, 1:3] = host[:, :2].copy()
    ours[:, 1:3] = ours[:, :2]
    np.testing.assert_array_equal(ours.get(), host)
    host[1] = [1, 2, 3, 4]
    ours[1] = [1, 2, 3, 4]
    host[:, 0] = np.ones((1, 1, 3), np.int8)
    ours[:, 0] = np.ones((1, 1, 3), np.int8)
    np.testing.assert_array_equal(ours.get(), host)
    with pytest.raises(ValueError, match="could not broadcast"):
        ours[0] = [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        gpunp.broadcast_to(ours[0], (2, 4))[0] = 1


def test_elements_are_values(device):
    for xp in (np, gpunp):
        a = xp.asarray([1.0, 2.0, 3.0])
        a[0], a[2] = a[2], a[0]
        total = a[0]
        for value in a[1:]:
            total += value
        assert float(total) == 6
        first, last = a[0], a[-1]
        a[...] = 0
        assert [float(first), float(last)] == [3, 1]
        whole = xp.asarray(5)
        value = whole[()]
        whole[...] = 6
        assert int(value) == 5
        a[1, ...][...] = 7
        assert a.tolist() == [0, 7, 0]


def test_indices_beyond_all_memory():
    for xp in (np, gpunp):
        for index in (1 << 64, -(1 << 70)):
            with pytest.raises(IndexError):
                xp.arange(3)[index]


@pytest.mark.parametrize("scalar", ["int64", "int16", "uint8", "float64", "bool"])
@pytest.mark.parametrize("value", [3, 200, -1, -129, np.nan])
def test_scalars_of_numpy_must_fit(value, scalar):
    with np.errstate(all="ignore"):
        number = np.array(value).astype(scalar)[()]
    for char in "bBif":
        for key in (slice(None), slice(1, 2), Ellipsis, 0, (Ellipsis, 0), [0, 1], None):
            expected, error = outcome(lambda: assigned(np.zeros(3, char), key, number))  # noqa: B023
            actual, raised = outcome(lambda: assigned(gpunp.zeros(3, char), key, number))  # noqa: B023
            assert type(raised) is type(error), (key, char, raised, error)
            if error is None:
                assert_same(actual, expected)


@pytest.mark.parametrize("number", [np.int64(200), np.int64(-1), np.float64(-129.5), np.float64(np.nan)])
def test_scalars_of_numpy_are_cast_by_iterators_and_diagonals(number):
    for write in (
        lambda a: assigned(a.flat, slice(None), number),
        lambda a: assigned(a.flat, 0, number),
        lambda a: assigned(a.flat, [0, 1], number),
        lambda a: np.fill_diagonal(a, number),
    ):
        host, ours = np.zeros((2, 3), "b"), gpunp.zeros((2, 3), "b")
        _, error = outcome(lambda: write(host))  # noqa: B023
        _, raised = outcome(lambda: write(ours))  # noqa: B023
        assert type(raised) is type(error)
        np.testing.assert_array_equal(ours.get(), host)


def test_all_dimensions():
    host = np.arange(6.0).reshape((2, 3) + (1,) * 62)
    ours = gpunp.asarray(host)
    for key in (..., (..., slice(None, None, -1)), (..., 0), (0, ..., None), (slice(None, None, -1), ...)):
        np.testing.assert_array_equal(ours[key].get(), host[key])
    for key in (None, (..., None), (0, None, None)):
        with pytest.raises(IndexError, match="number of dimensions must be within"):
            ours[key]
