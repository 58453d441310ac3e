"""Tuples with integers, slices and short indices: every key selects what NumPy selects."""

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

INDEX = np.array([2, 0, 1])
PAIR = np.array([[0], [-1]])
FLAGS = np.array([True, False, True])
ALL = slice(None)

# Keys of an array of the shape (3, 4, 2).
KEYS = [
    (INDEX, INDEX),
    (INDEX, INDEX, 0),
    (INDEX, INDEX, INDEX % 2),
    (INDEX, ALL, INDEX % 2),
    (INDEX, 1),
    (1, INDEX),
    (1, ALL, INDEX % 2),
    (ALL, INDEX),
    (ALL, INDEX, 0),
    (ALL, ALL, INDEX % 2),
    (ALL, INDEX, slice(None, None, -1)),
    (slice(2, 0, -1), INDEX),
    (slice(1, 1), INDEX),
    (PAIR, INDEX),
    (PAIR, ALL, INDEX % 2),
    (PAIR, PAIR.T),
    (INDEX.astype("i"), [0, 1, -1]),
    ([0, 2], ALL, [1, 0]),
    ([0, 2], slice(1, 3)),
    FLAGS,
    (FLAGS,),
    (FLAGS, 1),
    (FLAGS, np.array([0, 3])),
    (ALL, np.array([True, False, False, True])),
    (ALL, np.zeros(4, bool)),
    (INDEX, np.array([0, 1])),
    (INDEX, INDEX + 2),
    (INDEX, 4),
    (INDEX, -5),
    (np.array([3]), 0),
    (INDEX[:0], INDEX[:0]),
    (INDEX[:0], 4),
    (INDEX.astype(float), 0),
    (INDEX, None, 0),
    (INDEX, ...),
    (np.array(1), INDEX),
    (INDEX, INDEX, INDEX % 2, 0),
    (FLAGS[:2], 0),
    (INDEX, True),
    ([], 0),
]
ORDERS = {
    "C": lambda x: x,
    "transposed": lambda x: np.asfortranarray(x),
    "reversed": lambda x: x[:, ::-1][::-1].copy()[::-1, ::-1],
    "gaps": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
}


def placed(key, device):
    if isinstance(key, tuple):
        return tuple(placed(item, device) for item in key)
    return gpunp.asarray(key, device=device) if isinstance(key, np.ndarray) else key


def host_array(char, order):
    return ORDERS[order](np.arange(24).reshape(3, 4, 2).astype(char))


def device_array(char, order, device):
    array = gpunp.asarray(np.arange(24).reshape(3, 4, 2).astype(char), device=device)
    return array.copy(order="F") if order == "transposed" else ORDERS[order](array)


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("char", "d?D")
def test_reading(key, order, char, device):
    host, array = host_array(char, order), device_array(char, order, device)
    expected, error = outcome(lambda: host[key])
    found, raised = outcome(lambda: array[placed(key, device)])
    gpunp.Device(device).synchronize() if error is None else outcome(gpunp.Device(device).synchronize)
    if error is None:
        assert raised is None, raised
        assert_same(found, expected)
    elif gpunp.Device(device).is_cpu:
        assert type(raised) is type(error)


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("value", [7, 7.5, True, 7j, "same", "cast", "row", "itself", 2**70], ids=str)
def test_writing(key, order, value, device):
    host, array = host_array("d", order), device_array("d", order, device)
    expected, error = outcome(lambda: host[key])
    if error is not None and not gpunp.Device(device).is_cpu:
        return
    given = value
    if isinstance(value, str):
        if error is not None:
            return
        given = {
            "same": -np.arange(1.0, expected.size + 1).reshape(expected.shape),
            "cast": np.arange(expected.size).reshape(expected.shape),
            "row": expected[:1].copy(),
            "itself": expected.copy(),
        }[value]
    _, error = outcome(lambda: host.__setitem__(key, given))
    if value == "itself":
        given = array[placed(key, device)]
    _, raised = outcome(lambda: array.__setitem__(placed(key, device), placed(given, device)))
    assert (raised is None) == (error is None), (raised, error)
    assert_same(array, host)


def test_the_last_of_repeated_places_is_kept(device):
    array = gpunp.zeros((2, 3), device=device)
    index = gpunp.asarray([1, 1, 0], device=device)
    array[index, index] = gpunp.asarray([1.0, 2.0, 3.0], device=device)
    assert_same(array, np.array([[3.0, 0, 0], [0, 2.0, 0]]))


@pytest.mark.parametrize("count", [127, 128, 129, 600])
def test_as_many_as_the_short_way_takes(count, device):
    host = np.arange(2.0 * count).reshape(2, count)
    array, places = gpunp.asarray(host, device=device), np.arange(count)[::-1]
    on_device = gpunp.asarray(places, device=device)
    assert_same(array[:, on_device], host[:, places])
    assert_same(array[1, on_device], host[1, places])
    assert_same(array[[1, 0], :], host[[1, 0], :])
    array[:, on_device] = -1.0
    assert_same(array, np.full_like(host, -1.0))


@pytest.mark.parametrize("count", [129, 2048, 2049])
@pytest.mark.parametrize("char", "dlQF")
@pytest.mark.parametrize("value", [7, "array", "other", "itself"])
def test_writing_rows_of_places(count, char, value, device):
    host = np.arange(700).astype(char)[::-2]
    array = gpunp.asarray(np.arange(700).astype(char), device=device)[::-2]
    host_places = np.arange(count) % 350 - np.where(np.arange(count) % 3, 350, 0)
    places = gpunp.asarray(host_places, device=device)
    values = value
    if isinstance(value, str):
        values = np.arange(count).astype("e" if value == "other" else char)
    host[host_places] = host[::-1][host_places] if value == "itself" else values
    given = gpunp.asarray(values, device=device) if isinstance(value, str) else values
    array[places] = array[::-1][places] if value == "itself" else given
    assert_same(array, host)


def test_rows_of_places_out_of_bounds_write_nothing(device):
    array, places = gpunp.zeros(200, device=device), gpunp.arange(201, device=device)

    def settled():
        array[places] = 1.0
        gpunp.Device(device).synchronize()

    with pytest.raises(IndexError):
        settled()
    if gpunp.Device(device).is_cpu:
        assert not array.any()
