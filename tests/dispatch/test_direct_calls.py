"""Calls of NumPy's ufuncs that reach ours without the protocol, and those that must go through it."""

import pickle

import numpy as np
import pytest

import gpunp


class Foreign:
    """An operand of a library with a protocol of its own."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, len(inputs), sorted(kwargs)


CALLS = {
    "two arrays": lambda a: np.add(a, a),
    "a number first": lambda a: np.subtract(1.5, a),
    "a number last": lambda a: np.power(a, 2),
    "a complex number": lambda a: np.multiply(a, 1j),
    "a bool": lambda a: np.logical_and(a, True),
    "one array": lambda a: np.exp(a),
    "two results": lambda a: np.divmod(a, 2)[1],
    "results of one array": lambda a: np.modf(a)[0],
    "a host scalar": lambda a: np.add(a, np.float32(2)),
    "out as an argument": lambda a: np.add(a, a, a.copy()),
    "out as a keyword": lambda a: np.add(a, a, out=a.copy()),
    "where": lambda a: np.add(a, a, where=a > 0, out=a * 0),
    "dtype": lambda a: np.add(a, a, dtype="f4"),
    "unpacked": lambda a: np.add(*(a, a)),
    "a method": lambda a: np.add.reduce(a),
    "outer": lambda a: np.multiply.outer(a, a),
    "mapped": lambda a: next(map(np.negative, [a])),
}


@pytest.mark.parametrize("name", CALLS)
def test_results(device, name):
    host = np.array([1.5, -2.0, 0.25])
    found = CALLS[name](gpunp.asarray(host, device=device))
    expected = CALLS[name](host)
    assert type(found) is gpunp.ndarray
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(gpunp.asnumpy(found), expected, rtol=1e-6)


ERRORS = {
    "a string": (TypeError, lambda a: np.add(a, "text")),
    "an object": (TypeError, lambda a: np.add(a, object())),
    "no loop": (TypeError, lambda a: np.bitwise_and(a, a)),
    "shapes": (ValueError, lambda a: np.add(a, a[:2])),
    "too few": (TypeError, lambda a: np.add(a)),
    "too many": (TypeError, lambda a: np.exp(a, a, a)),
    "an unknown keyword": (TypeError, lambda a: np.add(a, a, nothing=1)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(device, name):
    error, call = ERRORS[name]
    with pytest.raises(error):
        call(gpunp.asarray([1.5, -2.0, 0.25], device=device))


def test_foreign_operands(device):
    a = gpunp.asarray([1.0, 2.0], device=device)
    assert np.add(a, Foreign()) == ("add", "__call__", 2, [])
    assert np.add(Foreign(), a) == ("add", "__call__", 2, [])


def test_host_calls():
    host = np.arange(3.0)
    np.testing.assert_array_equal(np.add(host, 1), [1, 2, 3])
    assert np.add(1, 2) == 3
    with pytest.raises(TypeError):
        np.add()
    assert pickle.loads(pickle.dumps(np.add)) is np.add


@pytest.mark.parametrize("types", [[], (gpunp.ndarray,), {gpunp.ndarray}])
def test_function_protocol(device, types):
    a = gpunp.asarray([1.0, 2.0], device=device)
    assert float(a.__array_function__(np.sum, types, (a,), {})) == 3
    assert float(a.__array_function__(np.sum, types, [a], {})) == 3
    made = np.zeros(3, like=a)
    assert made.device is device
    assert a.__array_function__(np.sum, (gpunp.ndarray, Foreign), (a,), {}) is NotImplemented
