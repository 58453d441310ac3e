"""Arrays with dimensions are not converted implicitly: the error names the caller and its line."""

import sys

import numpy as np
import pytest

import gpunp

HERE = "test_implicit.py:"
HOST = np.arange(6.0)


def line():
    return sys._getframe(1).f_lineno


def error_of(call):
    with pytest.raises(TypeError, match="Implicit conversion") as caught:
        call()
    return str(caught.value)


# Calls that NumPy does not dispatch to gpunp, and the function that the error names.
CALLS = (
    (lambda x: np.take(HOST, x), "numpy.take"),
    (lambda x: np.roll(HOST, x), "numpy.roll"),
    (lambda x: np.pad(HOST, x), "numpy.pad"),
    (lambda x: np.repeat(HOST, x), "numpy.repeat"),
    (lambda x: np.linalg.norm([x, x]), "numpy.linalg.norm"),
    (lambda x: np.ndenumerate(x), "numpy.ndenumerate"),
    (lambda x: np.ma.masked_array(x), "numpy.ma.MaskedArray"),
)


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_the_function_and_the_line_are_named(number):
    call, name = CALLS[number]
    message = error_of(lambda: call(gpunp.asarray([1, 2])))
    assert f": {name} asked for it, called at " in message
    assert f"{HERE}{call.__code__.co_firstlineno} in <lambda>" in message
    for hint in ("gpunp.asnumpy(array)", "gpunp.asarray", "docs/unchanged-code.md"):
        assert hint in message


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.asarray(x),
        lambda x: np.array([x, x]),
        lambda x: HOST.dot(x),
        lambda x: HOST.take(x),
        lambda x: np.asarray(gpunp.zeros(())),
    ],
)
def test_a_call_from_c_is_named_by_its_line(call):
    message = error_of(lambda: call(gpunp.asarray([1, 2])))
    assert f": asked for at {call.__code__.co_filename}:{call.__code__.co_firstlineno} in <lambda>" in message


def test_a_library_is_named():
    sparse = pytest.importorskip("scipy.sparse")
    # SciPy's error, of which ours is the cause, or ours if the class is routed.
    with pytest.raises((ValueError, TypeError)) as caught:
        sparse.lil_array(gpunp.ones((2, 2)))
    cause = caught.value.__cause__
    assert "scipy.sparse" in str(cause or caught.value)
    assert cause is None or HERE in str(cause)


def test_bytes_are_those_of_the_elements():
    with pytest.raises(TypeError, match=r"gpunp\.ndarray"):
        memoryview(gpunp.asarray([3, 4]))
    for host in (np.asarray([3, 4]), np.asarray([1.5, 2]), np.asarray(2), np.asarray(2.5), np.zeros((0, 2))):
        assert bytes(gpunp.asarray(host)) == bytes(host)


@pytest.mark.parametrize(
    "write",
    [
        lambda h, x: h.__iadd__(x),
        lambda h, x: np.add(h, x, out=h),
        lambda h, x: np.add.at(h, [0, 1], x),
        lambda h, x: np.copyto(h, x),
        lambda h, x: np.put(h, [0, 1], x),
        lambda h, x: np.place(h, h > 0, x),
        lambda h, x: np.putmask(h, h > 0, x),
        lambda h, x: np.put_along_axis(h, np.array([0, 1]), x, 0),
    ],
)
def test_arrays_are_not_written_to_the_host(write):
    host = np.arange(2.0)
    for operand in (gpunp.ones(2), gpunp.ones(())):
        with pytest.raises(TypeError, match=r"host|device array"):
            write(host, operand)
    np.testing.assert_array_equal(host, [0, 1])


def test_public_names_of_types():
    names = {
        gpunp.ndarray: "gpunp.ndarray",
        gpunp.Device: "gpunp.Device",
        gpunp.ufunc: "gpunp.ufunc",
        gpunp.flatiter: "gpunp.flatiter",
        gpunp.poly1d: "gpunp.poly1d",
        gpunp.broadcast: "gpunp.broadcast",
        gpunp.vectorize: "gpunp.vectorize",
        gpunp.TransferWarning: "gpunp.TransferWarning",
        gpunp.random.Generator: "gpunp.random.Generator",
        gpunp.random.RandomState: "gpunp.random.RandomState",
        gpunp.random.Philox4x32: "gpunp.random.Philox4x32",
    }
    for cls, name in names.items():
        assert repr(cls) == f"<class '{name}'>"
        assert f"{cls.__module__}.{cls.__qualname__}" == name
    with pytest.raises(TypeError, match=r"'gpunp\.ndarray'"):
        gpunp.ones(2) + object()
