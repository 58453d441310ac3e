"""Calls on few elements, for which there are short paths: elements, numbers, copies, products, new arrays."""

import numpy as np
import pytest

import gpunp

DTYPES = "?bBhHiIlLefdFD"


def pair(device, host):
    return host, gpunp.asarray(host, device=device)


def values(char):
    return np.array([0, 1, 2, 100, 3, 0, 7, 5]).astype(char)


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("index", [0, 3, -1, -8, np.int64(2), True])
def test_elements(device, char, index):
    host, array = pair(device, values(char))
    expected, found = host[index], array[index]
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert np.array_equal(gpunp.asnumpy(found), expected)


@pytest.mark.parametrize("part", [np.s_[::2], np.s_[::-1], np.s_[2:5], np.s_[4::-3]])
def test_elements_of_views(device, part):
    host, array = pair(device, np.arange(8.0))
    for i in range(-len(host[part]), len(host[part])):
        assert float(array[part][i]) == host[part][i]


@pytest.mark.parametrize("index", [8, -9, 2**40, -(2**40)])
def test_elements_out_of_bounds(device, index):
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 8"):
        gpunp.arange(8, device=device)[index]
    with pytest.raises(IndexError, match="size 0"):
        gpunp.empty(0, device=device)[0]


def test_an_element_is_a_value(device):
    array = gpunp.arange(8, device=device)
    element = array[3]
    array[3] = 50
    assert int(element) == 3
    with pytest.raises(TypeError, match="immutable"):
        np.add(element, 1, out=element)
    array += 1
    assert int(array[3]) == 51
    assert int(array[np.int8(3)]) == 51


def test_an_element_of_a_deferred_result(device):
    array = gpunp.arange(float(1 << 17), device=device)
    result = array * 2 + 1
    assert float(result[70_000]) == 140_001
    result += 1
    assert float(result[-1]) == 2 * ((1 << 17) - 1) + 2


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("convert", [float, int, bool, complex, lambda x: x.item(), hash, str, repr])
def test_numbers(device, char, convert):
    host, array = pair(device, values(char))
    if convert in (float, int) and char in "FD":
        # NumPy warns that it drops the imaginary part.
        pytest.skip("complex numbers have no order")
    for i in range(len(host)):
        expected, found = convert(host[i]), convert(array[i])
        if convert is not repr:
            assert found == expected
        assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("char", "value"),
    [
        *[(char, np.iinfo(char).max) for char in "bBhHiIlL"],
        *[(char, np.iinfo(char).min) for char in "bBhHiIlL"],
        *[(char, value) for char in "efd" for value in (np.inf, -0.0, 1e-7, 0.1)],
    ],
)
def test_extreme_numbers(device, char, value):
    host, array = pair(device, np.array([value], char))
    assert array[0].item() == host[0].item()
    assert array.item() == host.item()
    assert np.signbit(float(array[0])) == np.signbit(float(host[0]))


def test_numbers_that_do_not_exist(device):
    array = gpunp.asarray(np.array([np.nan, np.inf]), device=device)
    with pytest.raises(ValueError, match="NaN"):
        int(array[0])
    with pytest.raises(OverflowError):
        int(array[1])
    with pytest.raises(TypeError):
        range(3)[array[0]]


def test_a_scalar_is_fetched_once(device):
    element = gpunp.arange(8.0, device=device)[3]
    before = device.transfer_counts[2]
    assert float(element) == int(element) == element.item() == 3
    assert device.transfer_counts[2] == before + 1


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("shape", [(8,), (), (0,), (2, 4), (2, 0, 3)])
def test_copies(device, shape, order):
    host, array = pair(device, np.arange(float(np.prod(shape))).reshape(shape))
    copied = array.copy(order=order)
    assert copied.flags.c_contiguous == host.copy(order=order).flags.c_contiguous
    assert np.array_equal(gpunp.asnumpy(copied), host)
    assert copied.flags.writeable
    copied += 1
    assert np.array_equal(gpunp.asnumpy(array), host)
    with pytest.raises(ValueError, match="order"):
        array.copy(order="X")


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("n", [0, 1, 3, 8, 63, 64, 65, 200])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_products_of_short_vectors(device, char, n, step):
    rng = np.random.default_rng(n)
    host_a, host_b = rng.standard_normal((2, 2 * n + 1)).astype(char)
    a, b = (gpunp.asarray(x, device=device)[:n][::step] for x in (host_a, host_b))
    host_a, host_b = host_a[:n][::step], host_b[:n][::step]
    expected = host_a @ host_b
    found = a @ b
    assert found.dtype == expected.dtype
    assert found.shape == ()
    tolerance = 1e-6 if char == "f" else 1e-14
    np.testing.assert_allclose(float(found), expected, rtol=tolerance, atol=tolerance * (n + 1))
    with pytest.raises(ValueError, match=r"matmul|mismatch"):
        a @ gpunp.zeros(n + 1, char, device=device)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_products_with_values_that_are_not_finite(device, value):
    a = gpunp.asarray(np.array([1.0, value, 2.0]), device=device)
    assert np.array_equal(float(a @ a), float(gpunp.asnumpy(a) @ gpunp.asnumpy(a)), equal_nan=True)


def test_new_arrays_are_where_like_is(device):
    like = gpunp.empty(1, device=device)
    for current in (device, gpunp.Device("cpu")):
        with current:
            for made in (np.zeros(8, like=like), np.ones(8, like=like), np.arange(8, like=like)):
                assert made.device is device


def test_objects_are_used_again():
    # What a freed object had must not be found in the next one.
    for _ in range(3):
        arrays = [gpunp.arange(8, device="cpu") for _ in range(200)]
        views = [array[2:4] for array in arrays]
        del arrays
        assert all(view.base is not None and int(view[1]) == 3 for view in views)
        scalars = [view[0] for view in views]
        del views
        fresh = [gpunp.zeros((2, 3), device="cpu") for _ in range(200)]
        assert all(array.base is None and array.flags.writeable for array in fresh)
        assert all(int(scalar) == 2 for scalar in scalars)
        copies = [array.copy() for array in fresh]
        assert all(copied.shape == (2, 3) and copied.ndim == 2 for copied in copies)


def test_subclasses_have_objects_of_their_own():
    class Named(gpunp.ndarray):
        pass

    for _ in range(200):
        array = Named(3, device="cpu")
        array.name = "x"
        del array
        assert type(gpunp.empty(3, device="cpu")) is gpunp.ndarray
