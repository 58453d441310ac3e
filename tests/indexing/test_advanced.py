"""Indexing with arrays: reading and assigning, compared with NumPy for random keys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import assert_same

import gpunp

CHARS = "?bHilefdFD"


@st.composite
def keys(draw, shape):
    """Draw a key for an array of ``shape``: any mixture that NumPy accepts, occasionally out of bounds."""
    common = draw(st.sampled_from([(), (1,), (3,), (2, 3), (3, 1)]))
    items, axis, ellipsis = [], 0, False
    while axis < len(shape):
        n = shape[axis]
        kind = draw(
            st.sampled_from(["array", "array", "mask", "slice", "int", "none", "ellipsis", "bool", "end"])
        )
        if kind == "none":
            items.append(None)
        elif kind == "bool":
            items.append(draw(st.booleans()))
        elif kind == "ellipsis" and not ellipsis:
            ellipsis = True
            items.append(Ellipsis)
            axis += draw(st.integers(0, len(shape) - axis))
        elif kind == "slice":
            bounds = st.one_of(st.none(), st.integers(-n - 1, n + 1))
            items.append(slice(draw(bounds), draw(bounds), draw(st.sampled_from([None, 1, 2, -1, -2]))))
            axis += 1
        elif kind == "int" and n:
            items.append(draw(st.integers(-n, n - 1)))
            axis += 1
        elif kind == "mask":
            ndim = draw(st.integers(1, len(shape) - axis))
            seed = draw(st.integers(0, 1 << 16))
            items.append(np.random.default_rng(seed).random(shape[axis : axis + ndim]) < 0.5)
            axis += ndim
        elif kind == "array":
            size = draw(st.sampled_from([common, common[-1:], (1,) * len(common)])) if n else (0,)
            low = -n if draw(st.integers(0, 40)) else -n - 1
            rng = np.random.default_rng(draw(st.integers(0, 1 << 16)))
            items.append(rng.integers(low, max(n, 1), size).astype(draw(st.sampled_from("bhil"))))
            axis += 1
        elif kind == "end":
            break
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


def on_device(key, to_list):
    """Convert the arrays of a key that have dimensions to device arrays, or to lists."""
    if isinstance(key, tuple):
        return tuple(on_device(item, to_list) for item in key)
    if isinstance(key, np.ndarray) and key.ndim:
        return key.tolist() if to_list and key.size else gpunp.asarray(key)
    return key


def attempt(call):
    try:
        call()
        # An index out of bounds is reported by a later call on a GPU.
        gpunp.get_device().synchronize()
    except (IndexError, ValueError, TypeError) as error:
        return type(error)
    return None


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_random_keys(data):
    shape = tuple(data.draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 5]), max_size=4)))
    host = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(data.draw(st.sampled_from(CHARS)))
    device = gpunp.asarray(host)
    if data.draw(st.booleans()):
        host, device = host.T, device.T
    key = data.draw(keys(host.shape))
    ours = on_device(key, data.draw(st.booleans()))
    results = {}
    error = attempt(lambda: results.update(expected=host[key]))
    assert attempt(lambda: results.update(actual=device[ours])) == error
    if error is not None:
        return
    assert_same(results["actual"], results["expected"], where=f"{host.shape}[{key!r}]")
    if np.ndim(results["expected"]) == 0:
        return
    target, ours_target = host.copy(), device.copy()
    shape = np.shape(results["expected"])
    shape = data.draw(st.sampled_from([(), (1,), shape, shape[1:], (1, *shape)]))
    values = np.random.default_rng(1).integers(0, 100, shape).astype(data.draw(st.sampled_from("if?")))

    def assign():
        target[key] = values

    def assign_ours():
        ours_target[ours] = gpunp.asarray(values)

    error = attempt(assign)
    assert attempt(assign_ours) == error
    if error is None:
        assert_same(ours_target, target, where=f"{host.shape}[{key!r}] = {shape}")


@pytest.mark.parametrize("char", CHARS)
def test_every_dtype(char, rng):
    host = rng.integers(0, 2 if char == "?" else 100, (40, 6)).astype(char)
    index = rng.integers(-40, 40, (3, 50))
    a = gpunp.asarray(host)
    assert_same(a[gpunp.asarray(index)], host[index])
    assert_same(a[gpunp.asarray(index), 2], host[index, 2])
    assert_same(a[:, gpunp.asarray([1, 1, 4])], host[:, [1, 1, 4]])
    assert_same(a[gpunp.asarray(host != 0)], host[host != 0])
    a[gpunp.asarray(index[0])] = 1
    host[index[0]] = 1
    assert_same(a, host)


@pytest.mark.parametrize("kind", "bBhHiIlL")
def test_every_index_dtype(kind, rng):
    host = rng.random((100,))
    index = rng.integers(0, 100, 64).astype(kind)
    a = gpunp.asarray(host)
    assert_same(a[gpunp.asarray(index)], host[index])
    assert_same(a[::-1][gpunp.asarray(index)[::2]], host[::-1][index[::2]])


@pytest.mark.parametrize("shape", [(1 << 17,), (300, 257), (60, 40, 33)])
def test_large(shape, rng):
    host = rng.random(shape).astype("f")
    a = gpunp.asarray(host)
    mask = rng.random(shape) < 0.3
    assert_same(a[gpunp.asarray(mask)], host[mask])
    index = rng.integers(-shape[0], shape[0], 70_001)
    if len(shape) == 1:
        assert_same(a[gpunp.asarray(index)], host[index])
    rows = index[:500]
    assert_same(a[gpunp.asarray(rows)], host[rows])
    values = rng.random(int(mask.sum())).astype("f")
    a[gpunp.asarray(mask)] = gpunp.asarray(values)
    host[mask] = values
    assert_same(a, host)


def test_the_last_of_repeated_indices_wins(rng):
    for size, count in ((10, 100_000), (5_000, 100_000), (1 << 20, 70), (1 << 21, 3_000)):
        host = np.zeros(size)
        index = rng.integers(-size, size, count)
        index[count // 2 :] = index[: count - count // 2]
        a = gpunp.asarray(host)
        a[gpunp.asarray(index)] = gpunp.arange(count, dtype=float)
        host[index] = np.arange(count)
        assert_same(a, host)
    host = np.zeros((30, 7, 20))
    first, second = rng.integers(0, 30, (400, 1)), rng.integers(-20, 20, 11)
    values = rng.random((400, 11, 7))
    a = gpunp.asarray(host)
    a[gpunp.asarray(first), :, gpunp.asarray(second)] = gpunp.asarray(values)
    host[first, :, second] = values
    assert_same(a, host)


def test_masked_assignment():
    host = np.arange(12.0).reshape(3, 4)
    a = gpunp.asarray(host)
    for array in (a, host):
        array[array > 7] = -1
        array[array == 2] = np.nan
        array[:, array[0] == 0] = 3
        array[array[:, 0] == 4] = [1, 2, 3, 4]
    assert_same(a, host)
    a[np.asarray(host == 4)] = gpunp.asarray(8.0)
    host[host == 4] = 8
    assert_same(a, host)
    a[gpunp.asarray(host > 2)] = host[host > 2] * 2
    host[host > 2] *= 2
    assert_same(a, host)


@pytest.mark.parametrize("char", "?bHfdFD")
@pytest.mark.parametrize("size", [1, 15, 64, 5003])
def test_one_value_by_mask(char, size):
    rng = np.random.default_rng(size)
    original = rng.integers(0, 2 if char == "?" else 100, size + 3).astype(char)
    stretches = np.repeat(rng.random(size // 100 + 1) < 0.5, 100)[:size]
    for chosen in (rng.random(size) < 0.5, rng.random(size) < 0.01, stretches):
        mask = gpunp.asarray(np.concatenate([[True] * 3, chosen]))
        for start in (0, 3):
            host, a = original.copy(), gpunp.asarray(original)
            host[start : start + size][chosen] = 1
            a[start : start + size][mask[3:]] = 1
            assert_same(a, host)
            # A value on the device, and a mask whose memory is aligned like the target's or not.
            a[start : start + size][gpunp.asarray(chosen)] = gpunp.asarray(original[:1])
            host[start : start + size][chosen] = original[0]
            assert_same(a, host)


def test_one_value_by_mask_in_other_orders():
    host = np.arange(60.0, dtype=np.float32).reshape(5, 12)
    for order in "CF":
        for mask_order in "CF":
            a = gpunp.asarray(host).copy(order)
            a[gpunp.asarray(host % 3 == 0).copy(mask_order)] = -1
            assert_same(a, np.where(host % 3 == 0, np.float32(-1), host))
    a = gpunp.asarray(host).copy()
    a[:, ::2][gpunp.asarray(host[:, ::2] > 9)] = 4
    expected = host.copy()
    expected[:, ::2][host[:, ::2] > 9] = 4
    assert_same(a, expected)


def test_in_place_operators():
    host = np.arange(10)
    a = gpunp.asarray(host)
    for array, index in ((host, [1, 1, 3]), (a, gpunp.asarray([1, 1, 3]))):
        array[index] += 10
        array[array > 8] //= 2
    assert_same(a, host)


def test_memory_that_is_read_and_written():
    host = np.array([3, 1, 0, 2, 4])
    a = gpunp.asarray(host)
    for array in (host, a):
        array[array] = array[::-1]
    assert_same(a, host)
    a[a > 1] = a[: int((host > 1).sum())]
    host[host > 1] = host[: int((host > 1).sum())].copy()
    assert_same(a, host)


def test_assignment_to_views():
    host = np.zeros((6, 8))
    a = gpunp.asarray(host)
    for array in (host, a):
        array.T[1:7:2][[0, 2]] = 5
        array[::2][array[::2] == 0] = -1
    assert_same(a, host)


def test_more_arrays_and_axes_than_one_launch_has(rng):
    host = np.arange(2**11).reshape((2,) * 11)
    a = gpunp.asarray(host)
    index = tuple(rng.integers(-2, 2, 5) for _ in range(10))
    assert_same(a[tuple(map(gpunp.asarray, index))], host[index])
    spread = host.transpose(10, 3, 5, 1, 7, 0, 2, 4, 6, 8, 9)
    assert_same(
        a.transpose(10, 3, 5, 1, 7, 0, 2, 4, 6, 8, 9)[:, gpunp.asarray([1, 0, 1])], spread[:, [1, 0, 1]]
    )
    values = rng.integers(0, 99, host[index].shape)
    host[index] = values
    a[tuple(map(gpunp.asarray, index))] = gpunp.asarray(values)
    assert_same(a, host)
    reversed_ = host[::-1, ::-1, ::-1]
    assert_same(a[::-1, ::-1, ::-1][tuple(map(gpunp.asarray, index))], reversed_[index])


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (np.ones(3, bool), "boolean index did not match indexed array along axis 0; size of axis is 4 but"),
        ((slice(None), np.ones(4, bool)), "along axis 1; size of axis is 5"),
        (([0, 1], [0, 1, 2]), "indexing arrays could not be broadcast together"),
        (([0], [0], [0]), "too many indices for array: array is 2-dimensional, but 3 were indexed"),
        ((Ellipsis, [0], Ellipsis), "single ellipsis"),
        ([0.5, 1.0], "arrays used as indices must be of integer"),
        ("x", "valid indices"),
        ((7, [0]), "index 7 is out of bounds for axis 0 with size 4"),
    ],
)
def test_errors_of_keys(key, message):
    host = np.zeros((4, 5))
    a = gpunp.asarray(host)
    with pytest.raises(IndexError, match=message):
        a[key]
    with pytest.raises(IndexError, match=message):
        a[key] = 1
    with pytest.raises(IndexError):
        host[key]


def read(array, key):
    """Index and synchronize: on a GPU an index out of bounds is reported by a later call."""
    array[key]
    array.device.synchronize()


def write(array, key, value):
    array[key] = value
    array.device.synchronize()


def test_out_of_bounds_is_reported_and_nothing_wraps():
    a = gpunp.arange(4)
    with pytest.raises(IndexError, match="out of bounds"):
        read(a, gpunp.asarray([0, 4]))
    with pytest.raises(IndexError, match="out of bounds"):
        write(a, gpunp.asarray([-5, -9]), gpunp.asarray([7, 8]))
    assert_same(a, np.arange(4))
    with pytest.raises(IndexError, match="out of bounds"):
        read(gpunp.zeros((3, 0)), gpunp.asarray([3]))


def test_values_that_do_not_fit():
    a = gpunp.zeros(4)
    mask = gpunp.asarray([True, False, True, False])
    with pytest.raises(ValueError, match="boolean array indexing assignment"):
        write(a, mask, gpunp.arange(3))
    assert_same(a, np.zeros(4))
    with pytest.raises(TypeError, match="0 or 1-dimensional"):
        a[mask] = gpunp.zeros((1, 2))
    with pytest.raises(ValueError, match=r"shape mismatch: value array of shape \(3,\) could not be"):
        a[gpunp.asarray([0, 1])] = gpunp.arange(3)
    with pytest.raises(ValueError, match="read-only"):
        gpunp.broadcast_to(a, (2, 4))[gpunp.asarray([0])] = 1


def test_host_index_policy():
    a = gpunp.arange(4)
    with (
        gpunp.config.using(host_operands="error"),
        pytest.raises(TypeError, match="indexing: a host operand"),
    ):
        a[np.array([0, 1])]


def test_zero_dimensional_keys():
    host = np.arange(6).reshape(2, 3)
    a = gpunp.asarray(host)
    one = gpunp.asarray(1)
    assert_same(a[one], host[np.array(1)])
    assert_same(a[:, one], host[:, np.array(1)])
    assert_same(a[one, one], host[1, 1])
    # 0-D host arrays count as integers, so the key has no index array.
    assert_same(a[np.array(1)], host[np.array(1)])
    assert_same(a[np.array(1), :], host[np.array(1), :])
    a[:, np.array(0)] = gpunp.asarray([7, 8])
    host[:, np.array(0)] = [7, 8]
    assert_same(a[True], host[True])
    assert_same(a[gpunp.asarray(False)], host[np.array(False)])
    a[gpunp.asarray(True)] = 4
    a[one, one] = 9
    host[True] = 4
    host[1, 1] = 9
    assert_same(a, host)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
def test_many_positions_in_a_large_array(rng, dtype):
    """So many that a GPU sorts them by target first; the last value of a repeated position wins."""
    targets, count = (1 << 23) + 5, (1 << 21) + 3
    host = np.zeros(2 * targets, dtype)
    index = rng.integers(-targets, targets, count)
    index[: count // 4] = rng.integers(-3, 3, count // 4)
    value = rng.integers(0, 100, count).astype(dtype)
    a, i, v = gpunp.asarray(host), gpunp.asarray(index), gpunp.asarray(value)
    host[:targets][index] = 9
    a[:targets][i] = 9
    host[: targets - 1 : -1][index] = value
    a[: targets - 1 : -1][i] = v
    assert np.array_equal(gpunp.asnumpy(a), host)
    host[1::2][index] = value
    a[1::2][i] = v
    assert np.array_equal(gpunp.asnumpy(a), host)


@pytest.mark.parametrize("value", [1, np.ones((1 << 21) + 3)])
def test_one_of_many_positions_out_of_bounds(value):
    targets = (1 << 23) + 5
    index = np.arange((1 << 21) + 3)
    index[12345] = targets
    a = gpunp.zeros(targets)

    def write():
        a[gpunp.asarray(index)] = gpunp.asarray(value) if np.ndim(value) else value
        a.device.synchronize()

    with pytest.raises(IndexError, match="out of bounds"):
        write()


def test_results_too_large_to_count():
    indices = np.ix_(*[gpunp.zeros(7132, dtype=int)] * 5)
    a = gpunp.ones((3,) * 5)
    with pytest.raises(ValueError, match="too large"):
        a[indices]
    with pytest.raises(ValueError, match="too large"):
        a[indices] = 0
