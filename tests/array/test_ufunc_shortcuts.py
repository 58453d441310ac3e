"""Methods of ufuncs with a short way for few elements: every call gives what NumPy gives."""

import numpy as np
import pytest
from records import assert_same, outcome, settled

import gpunp

NAN = float("nan")
FLOATS = np.array([0.5, 2.0, -1.5, NAN, 0.25, 8.0, 3.25, -2.25])
WHOLE = np.array([3, 0, 1, 3, 2**62, 2**62, 1, -5])
PLACES = np.array([3, 0, 1, 3, -1, -8, 1, 3])
MATRIX = np.arange(12.0).reshape(3, 4)
OPERATIONS = [np.add, np.subtract, np.multiply, np.maximum, np.minimum]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def placed(value, device):
    return gpunp.asarray(value, device=device) if isinstance(value, np.ndarray) else value


def compare(call, arguments, device):
    expected, error = outcome(lambda: call(*arguments))
    found, raised = outcome(lambda: settled(call(*(placed(value, device) for value in arguments))))
    if error is not None:
        assert isinstance(error, type(raised)) or isinstance(raised, type(error)), raised
        return
    assert raised is None, raised
    assert_same(found, expected)


@pytest.mark.parametrize("ufunc", OPERATIONS)
@pytest.mark.parametrize("values", [FLOATS, WHOLE, FLOATS[::2], FLOATS[:0], FLOATS.astype("f"), MATRIX])
def test_accumulate(ufunc, values, device):
    compare(ufunc.accumulate, (values,), device)


@pytest.mark.parametrize("ufunc", OPERATIONS)
@pytest.mark.parametrize("values", [FLOATS, WHOLE, WHOLE[::-1], MATRIX])
@pytest.mark.parametrize("starts", [[0, 2, 2, 5], [2, 0, 1], [0], []])
def test_reduceat(ufunc, values, starts, device):
    compare(ufunc.reduceat, (values, np.array(starts, np.int64)), device)


def test_reduceat_out_of_bounds(device):
    array, starts = (gpunp.asarray(x, device=device) for x in (FLOATS, np.array([0, 8])))

    def settled():
        # A GPU reports indices out of bounds when it is waited for.
        np.add.reduceat(array, starts)
        gpunp.Device(device).synchronize()

    with pytest.raises(IndexError, match=r"out.of.bounds"):
        settled()


@pytest.mark.parametrize("ufunc", OPERATIONS)
@pytest.mark.parametrize("target", [FLOATS, WHOLE, FLOATS.astype("f"), MATRIX[0], np.arange(300.0)])
@pytest.mark.parametrize("places", [PLACES % 4, PLACES % 4 - 4, PLACES[:0], np.array([1, 1], np.int32)])
@pytest.mark.parametrize("values", [2.5, 3, True, np.arange(8.0), np.arange(8), np.array(2.0), 2**40])
def test_at(ufunc, target, places, values, device):
    def call(array, places, values):
        ufunc.at(array, places, values)
        return array

    if isinstance(values, np.ndarray) and values.ndim:
        values = values[: len(places)]
    expected, array = target.copy(), gpunp.asarray(target, device=device)
    _, error = outcome(lambda: call(expected, places, values))
    _, raised = outcome(lambda: call(array, placed(places, device), placed(values, device)))
    assert (error is None) == (raised is None), (error, raised)
    assert_same(array, expected)


def test_at_out_of_bounds_writes_nothing(device):
    array, places = (gpunp.asarray(x, device=device) for x in (np.arange(4.0), np.array([0, 4])))

    def settled():
        np.add.at(array, places, 1.0)
        gpunp.Device(device).synchronize()

    with pytest.raises(IndexError):
        settled()
    assert_same(array, np.arange(4.0))


def test_at_with_operands_in_the_same_memory(device):
    host = np.array([1, 2, 3, 0])
    array = gpunp.asarray(host, device=device)
    np.add.at(host, host.copy(), host.copy())
    np.add.at(array, array, array)
    assert_same(array, host)


def test_at_of_a_read_only_array(device):
    view = np.broadcast_to(gpunp.asarray([1.0], device=device), (3,))
    with pytest.raises(ValueError, match="read-only"):
        np.add.at(view, gpunp.asarray([0], device=device), 1.0)


@pytest.mark.parametrize(
    "ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or]
)
@pytest.mark.parametrize("axis", [0, 1, -1, 2, None, (0, 1), ()])
@pytest.mark.parametrize("values", [MATRIX, MATRIX.astype("i1"), MATRIX > 3, MATRIX[:, :0], MATRIX[0]])
def test_reduce_of_an_axis(ufunc, axis, values, device):
    compare(lambda x: ufunc.reduce(x, axis=axis), (values,), device)


@pytest.mark.parametrize("char", "?bilfdFD")
@pytest.mark.parametrize(
    "number",
    [np.float64(2.5), np.int64(3), np.float32(0.1), np.int32(-7), np.bool_(True), np.complex128(1j)],
)
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.less, np.maximum])
def test_operands_that_are_scalars_of_numpy(ufunc, number, char, device):
    host = np.array([0, 1, 2, 100, 3, 0, 7, 5]).astype(char)
    compare(lambda x: ufunc(x, number), (host,), device)
    compare(lambda x: ufunc(number, x), (host,), device)
    compare(lambda x: x + number, (host,), device)
    compare(lambda x: number * x, (host,), device)
    compare(lambda x: number == x, (host,), device)


@pytest.mark.parametrize("ufunc", [np.add, np.less, np.divmod])
@pytest.mark.parametrize("char", "dfl?")
def test_an_output_given_by_position(ufunc, char, device):
    def call(x, y, out):
        found = ufunc(x, y, out)
        assert (found[0] if isinstance(found, tuple) else found) is out
        return out

    compare(call, (MATRIX, MATRIX[::-1] + 1, np.zeros((3, 4), char)), device)
    compare(call, (MATRIX, 2.0, np.zeros((2, 3, 4), char)), device)
    compare(lambda x, out: np.sqrt(x, out), (MATRIX, np.zeros((3, 4), char)), device)


@pytest.mark.parametrize("count", [2047, 2048, 2049])
def test_as_many_elements_as_the_short_way_takes(count, device):
    host = np.arange(1.0 * count)
    places = np.arange(count)[::-1] // 2
    array, on_device = (gpunp.asarray(x, device=device) for x in (host, places))
    assert_same(np.maximum.accumulate(array), np.maximum.accumulate(host))
    assert_same(np.add.reduceat(array, on_device[:5]), np.add.reduceat(host, places[:5]))
    np.add.at(array, on_device, 2.0)
    np.add.at(host, places, 2.0)
    assert_same(array, host)
    assert_same(np.zeros_like(array), np.zeros_like(host))
    array.fill(3.0)
    assert_same(array, np.full(count, 3.0))
