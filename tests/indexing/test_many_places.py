"""Gathers and scatters of so many positions that GPUs use special algorithms for them."""

import numpy as np
import pytest

import gpunp

# An array larger than the L2 cache of a GPU.
LENGTH, COUNT = 1 << 24, (1 << 22) + 4321
# Enough positions that parts of smaller arrays are kept in shared memory.
MANY = (1 << 24) + 4321


def same_takes(host, places, device):
    array, index = gpunp.asarray(host, device=device), gpunp.asarray(places, device=device)
    np.testing.assert_array_equal(gpunp.asnumpy(np.take(array, index)), host[places])
    np.testing.assert_array_equal(gpunp.asnumpy(array[index.astype("i4")]), host[places])


@pytest.mark.parametrize("dtype", ["f4", "i8"])
@pytest.mark.parametrize("near", [False, True], ids=["random", "sorted"])
def test_many_places(dtype, near, device):
    rng = np.random.default_rng(5)
    places = rng.integers(-LENGTH, LENGTH, COUNT)
    if near:
        places.sort()
    host = np.arange(LENGTH).astype(dtype)
    same_takes(host, places, device)
    array, index = gpunp.asarray(host, device=device), gpunp.asarray(places, device=device)
    for mode in ("wrap", "clip"):
        want = np.take(host, places + 7, mode=mode)
        np.testing.assert_array_equal(gpunp.asnumpy(np.take(array, index + 7, mode=mode)), want)


def few_places(kind, rng):
    """Draw COUNT positions, nearly all of them in a small part of a long array."""
    places = rng.integers(0, 100_000, COUNT)
    if kind == "negative":
        places -= 100_000
    elif kind == "apart":
        places += rng.choice([0, LENGTH - 100_000], COUNT)
    elif kind == "some elsewhere":
        places[::50] = rng.integers(0, LENGTH, len(places[::50]))
    return places


@pytest.mark.parametrize("kind", ["low", "negative", "apart", "some elsewhere"])
@pytest.mark.parametrize("dtype", ["u1", "f4", "i8", "c16"])
def test_few_places_of_many(dtype, kind, device):
    rng = np.random.default_rng(5)
    places = few_places(kind, rng)
    host = rng.integers(0, 100, LENGTH).astype(dtype)
    same_takes(host, places, device)
    array, index = gpunp.asarray(host, device=device), gpunp.asarray(places, device=device)
    values = rng.integers(100, 200, COUNT).astype(dtype)
    # The last position wins.
    host[places] = values
    array[index] = gpunp.asarray(values, device=device)
    np.testing.assert_array_equal(gpunp.asnumpy(array), host)
    host[places[::2]] = 7
    array[index[::2].copy()] = 7
    np.testing.assert_array_equal(gpunp.asnumpy(array), host)
    index[COUNT // 2] = LENGTH
    with pytest.raises(IndexError):
        gpunp.asnumpy(np.take(array, index))
    with pytest.raises(IndexError):  # noqa: PT012 - a kernel's error is raised by the next call
        array[index] = 7
        gpunp.asnumpy(array)


@pytest.mark.parametrize(
    ("dtype", "length"),
    [("f4", 40_000), ("f4", 200_001), ("i8", 120_005), ("f4", 500_003), ("f4", 1 << 20), ("i8", 1 << 20)],
)
def test_many_places_of_few(dtype, length, device):
    host = np.random.default_rng(5).integers(0, 1 << 23, length).astype(dtype)
    same_takes(host, np.random.default_rng(6).integers(-length, length, MANY), device)


def test_many_places_of_every_second(device):
    host = np.arange(1 << 20, dtype="f4")[::-2]
    same_takes(host, np.random.default_rng(6).integers(0, len(host), MANY), device)


@pytest.mark.parametrize(("length", "count"), [(LENGTH, COUNT), (1 << 20, MANY)])
def test_a_place_out_of_bounds_is_reported(length, count, device):
    array = gpunp.zeros(length, dtype="f4", device=device)
    index = gpunp.asarray(np.random.default_rng(5).integers(0, length, count), device=device)
    index[count // 2] = length
    with pytest.raises(IndexError):
        gpunp.asnumpy(np.take(array, index))


@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
@pytest.mark.parametrize("length", [1, 1000, 100_003])
def test_places_named_many_times(dtype, length, device):
    """The last of repeated positions wins; a scalar is written only where the element differs from it."""
    rng = np.random.default_rng(5)
    places = rng.integers(-length, length, 700_001)
    host, values = np.zeros(length, dtype), rng.integers(1, 200, len(places)).astype(dtype)
    array, index = gpunp.asarray(host, device=device), gpunp.asarray(places, device=device)
    host[places] = values
    array[index] = gpunp.asarray(values, device=device)
    np.testing.assert_array_equal(gpunp.asnumpy(array), host)
    host[places[:600_000]] = 7
    array[index[:600_000]] = 7
    np.testing.assert_array_equal(gpunp.asnumpy(array), host)


def test_a_scalar_is_compared_by_its_bits(device):
    array = gpunp.zeros(10, dtype="f4", device=device)
    index = gpunp.asarray(np.arange(1000) % 10, device=device)
    array[index] = -0.0
    assert np.signbit(array).all()
    array[index] = np.nan
    assert np.isnan(array).all()
