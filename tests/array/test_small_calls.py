"""Calls on few elements, for which there are short paths: elements, numbers, copies, products, new arrays."""

import operator
import warnings

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


@pytest.mark.parametrize("create", [np.zeros, np.empty])
@pytest.mark.parametrize(
    "args", [(8,), ((2, 3),), ([2, 3],), (0,), ((),), (3, "f4"), (3, None), ((2, 0), "?")]
)
def test_new_arrays_like_another(device, create, args):
    like = gpunp.empty(1, device=device)
    with device:
        for _ in range(3):
            made, expected = create(*args, like=like), create(*args)
            assert isinstance(made, gpunp.ndarray)
            assert made.device is device
            assert (made.dtype, made.shape, made.strides) == (
                expected.dtype,
                expected.shape,
                expected.strides,
            )
            assert create is np.empty or not gpunp.asnumpy(made).any()
            assert made.flags.writeable
            assert made.base is None
        for wrong, error in [(-1, ValueError), (2.5, TypeError), ((2, None), TypeError)]:
            with pytest.raises(error):
                create(wrong, like=like)
        with pytest.raises(TypeError):
            create(like=like)
        assert type(create(*args)) is np.ndarray
        assert type(create(*args, like=np.empty(1))) is np.ndarray
        assert create(4, order="F", like=like).shape == (4,)


@pytest.mark.parametrize(
    "index", [(1, 2), (-1, 0), (0, -4), (1, np.int64(2)), (True, 0), (1, slice(None)), 1, (1,)]
)
@pytest.mark.parametrize("char", "?ilfdD")
def test_elements_of_matrices(device, index, char):
    host, array = pair(device, np.arange(12).reshape(3, 4).astype(char))
    for there, here in [(host, array), (host.T.copy().T, gpunp.asarray(host, device=device).T.copy().T)]:
        assert np.array_equal(gpunp.asnumpy(here[index]), there[index])
        assert here[index].dtype == there[index].dtype


@pytest.mark.parametrize("index", [(3, 0), (0, 4), (-4, 0), (0, -5), (0, 2**70)])
def test_elements_of_matrices_out_of_bounds(device, index):
    array = gpunp.zeros((3, 4), device=device)
    with pytest.raises(IndexError):
        array[index]
    with pytest.raises(IndexError):
        array[index] = 1.0
    with pytest.raises(IndexError, match="too many"):
        array[0, 0, 0]


@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("value", [1, 2.5, True, 3j, np.float64(2.5), np.int8(1), "element", 300])
def test_written_elements(device, char, value):
    host, array = pair(device, np.zeros((3, 4), char))
    row = host[1]
    others = np.array([4, 5], char)
    theirs = others[1] if value == "element" else value
    ours = gpunp.asarray(others, device=device)[1] if value == "element" else value

    def assign(target, key, number):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                target[key] = number
            except (TypeError, OverflowError, ValueError) as error:
                return type(error)
        return None

    assert assign(array, (1, 2), ours) == assign(host, (1, 2), theirs)
    assert assign(array[1], -1, ours) == assign(row, -1, theirs)
    assert np.array_equal(gpunp.asnumpy(array), host)


def test_written_elements_that_are_read_only(device):
    array = gpunp.zeros(4, device=device)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        array[1] = 2.0


def test_an_element_written_between_deferred_calls(device):
    array = gpunp.arange(float(1 << 17), device=device)
    before = array + 1
    array[5] = -1.0
    after = array + 1
    assert float(before[5]) == 6
    assert float(after[5]) == 0
    after[7] = before[5]
    assert float(after[7]) == 6


EXACT = [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.le, operator.eq]
EXACT += [operator.ne, operator.gt, operator.ge]
EDGES = {
    "d": [0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, 1e308, 5e-324, 2.0**53],
    "l": [0, 1, -1, 7, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)],
    "f": [0.1, np.nan],
    "?": [False, True],
}
NUMBERS = [0, 3, -2, 2**53 + 1, 2**62, 2.5, -0.0, np.inf, np.nan, True, np.float32(0.1), np.int8(3)]


@pytest.mark.parametrize("apply", EXACT)
@pytest.mark.parametrize("char", EDGES)
def test_operators_of_numbers(device, apply, char):
    def compare(theirs, ours):
        try:
            expected = apply(*theirs)
        except (TypeError, ValueError, OverflowError):
            return
        found = apply(*ours)
        assert found.dtype == expected.dtype
        assert found.shape == ()
        same = np.array_equal(gpunp.asnumpy(found), expected, equal_nan=found.dtype.kind == "f")
        assert same, (theirs, found, expected)
        if found.dtype.kind == "f":
            assert np.signbit(float(found)) == np.signbit(expected) or np.isnan(expected)

    host, array = pair(device, np.array(EDGES[char], char))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(len(host)):
            for other in NUMBERS:
                compare((host[i], other), (array[i], other))
                compare((other, host[i]), (other, array[i]))
            for j in range(len(host)):
                compare((host[i], host[j]), (array[i], array[j]))
            for theirs, ours in [pair(device, np.array(values, kind)) for kind, values in EDGES.items()]:
                compare((host[i], theirs[1]), (array[i], ours[1]))


def test_numbers_are_new_values(device):
    array = gpunp.arange(8.0, device=device)
    element = kept = array[3]
    element += 1
    assert (float(element), float(kept), float(array[3])) == (4, 3, 3)
    total = array[1] + array[2]
    with pytest.raises(TypeError, match="immutable"):
        np.add(total, 1, out=total)


def test_numbers_of_deferred_results(device):
    array = gpunp.arange(float(1 << 17), device=device)
    total = (array * 2).sum()
    assert float(total + 1) == (1 << 17) * ((1 << 17) - 1) + 1
    assert bool(total > (array + 1)[0])


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


MATRIX = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("char", "bil")
@pytest.mark.parametrize("place", [0, 2, 4, 5])
def test_indices_that_are_scalars(device, char, place):
    numbers = np.array([0, 2, -1, 1, -3, 9], char)

    def read(array, numbers):
        n, key = numbers[place], (numbers[place], numbers[1])
        return [
            array[n],
            array[n, 1],
            array[key],
            array[n, :],
            array[1:, n],
            array[n, ..., None],
            array[n, numbers[:2]],
        ]

    def write(array, numbers):
        n = numbers[place]
        array[n] = 7.0
        array[n, n] = 8
        array[:, n] = 9.5
        return array.copy()

    host, array = pair(device, MATRIX.copy())
    indices = gpunp.asarray(numbers, device=device)

    def settled(call):
        made = call(array, indices)
        # A GPU reports indices out of bounds when it is waited for.
        device.synchronize()
        return made

    for call in (read, write):
        if numbers[place] == 9:
            with pytest.raises(IndexError):
                settled(call)
            continue
        for expected, found in zip(call(host, numbers), settled(call), strict=True):
            assert found.shape == expected.shape
            assert np.array_equal(gpunp.asnumpy(found), expected)


@pytest.mark.parametrize(
    "key", [np.s_[1:], np.s_[::-1], np.s_[5:2], np.s_[-9:9:2], 1, -3, np.s_[2:0:-1], np.int64(2)]
)
@pytest.mark.parametrize("shape", [(4,), (3, 4), (3, 0, 2), (0, 3), (3, 1)])
def test_first_axis(device, key, shape):
    host, array = pair(device, np.arange(float(np.prod(shape))).reshape(shape))
    for source, copy in ((host, array), (host.T, array.T), (host[::-1], array[::-1])):
        try:
            expected = source[key]
        except IndexError:
            with pytest.raises(IndexError):
                copy[key]
            continue
        found = copy[key]
        assert found.shape == expected.shape
        assert np.array_equal(gpunp.asnumpy(found), expected)
        if expected.ndim and expected.size:
            assert np.shares_memory(found, copy)
            assert found.strides == expected.strides


@pytest.mark.parametrize(
    "value", [0.0, -0.0, 2.5, -3.5, float("nan"), float("-inf"), 0, 3, -7, -(2**63), True]
)
def test_operators_of_one_number(device, value):
    host, array = pair(device, np.array([value]))
    for number, element in ((host[0], array[0]), (host.reshape(()), array.reshape(()))):
        for call in (operator.neg, operator.pos, abs, lambda x: x**2, lambda x: x**2.0, lambda x: x**-1.0):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = call(number)
                except TypeError:
                    with pytest.raises(TypeError):
                        call(element)
                    continue
                found = call(element)
            assert found.dtype == expected.dtype
            assert gpunp.asnumpy(found).tobytes() == expected.tobytes() or np.isnan(expected)
