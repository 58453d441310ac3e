"""``like=`` for every function that accepts it: the array is created on the reference's device."""

import io

import numpy as np
import pytest
from records import assert_same

import gpunp
from gpunp.dispatch.registry import LIKE


def numbers(path):
    np.arange(5.0).tofile(path)
    return path


# Name to calls without like=; the expected values are those that they create on the host.
CALLS = {
    "arange": [lambda f, **k: f(5, **k), lambda f, **k: f(1, 2, 0.25, dtype="f4", **k)],
    "array": [
        lambda f, **k: f([1, 2.5], **k),
        lambda f, **k: f(3, ndmin=2, **k),
        lambda f, **k: f(np.ones((2, 3)), "f4", copy=True, order="F", **k),
    ],
    "asanyarray": [lambda f, **k: f([[1, 2]], **k), lambda f, **k: f(np.arange(3), "f4", "F", **k)],
    "asarray": [lambda f, **k: f([1, 2], **k), lambda f, **k: f(2, dtype=complex, order="C", **k)],
    "ascontiguousarray": [lambda f, **k: f(np.ones((2, 3)).T, **k), lambda f, **k: f(3, dtype="f4", **k)],
    "asfortranarray": [lambda f, **k: f(np.ones((2, 3)), **k), lambda f, **k: f(3, dtype="f4", **k)],
    "empty": [lambda f, **k: f((2, 0), "f4", "F", **k)],
    "eye": [lambda f, **k: f(3, **k), lambda f, **k: f(3, 4, 1, "f4", "F", **k)],
    "frombuffer": [lambda f, **k: f(b"\1\2\3\4", "u1", **k), lambda f, **k: f(b"\1\2\3\4", "<i2", 1, 2, **k)],
    "fromfile": [
        lambda f, path, **k: f(numbers(path), **k),
        lambda f, path, **k: f(numbers(path), float, 2, "", 8, **k),
    ],
    "fromfunction": [
        lambda f, **k: f(lambda i, j: i - j, (2, 3), **k),
        lambda f, **k: f(lambda i, scale: i * scale, (4,), dtype=int, scale=2, **k),
    ],
    "fromiter": [lambda f, **k: f(range(4), float, **k), lambda f, **k: f(range(4), "i4", 3, **k)],
    "fromstring": [
        lambda f, **k: f("1 2 3", sep=" ", **k),
        lambda f, **k: f("1, 2, 3", int, 2, sep=",", **k),
    ],
    "full": [lambda f, **k: f((2, 3), 1.5, **k), lambda f, **k: f(3, [1, 2, 3], "f4", "F", **k)],
    "genfromtxt": [
        lambda f, **k: f(io.StringIO("1 2\n3 4"), **k),
        lambda f, **k: f(io.StringIO("1,,3"), delimiter=",", filling_values=7, dtype=int, **k),
    ],
    "identity": [lambda f, **k: f(3, **k), lambda f, **k: f(2, "i4", **k)],
    "loadtxt": [
        lambda f, **k: f(io.StringIO("1 2\n3 4"), **k),
        lambda f, **k: f(io.StringIO("1,2\n3,4"), int, delimiter=",", unpack=True, **k),
    ],
    "ones": [lambda f, **k: f((2, 3), **k), lambda f, **k: f(3, "?", "F", **k)],
    "require": [
        lambda f, **k: f([1, 2], "f4", **k),
        lambda f, **k: f(np.ones((2, 3)), None, ["F", "O"], **k),
    ],
    "tri": [lambda f, **k: f(3, **k), lambda f, **k: f(3, 4, 1, "i4", **k)],
    "zeros": [lambda f, **k: f((2, 3), **k), lambda f, **k: f(3, "F", "F", **k)],
}


def test_every_function_is_here():
    assert sorted(CALLS) == sorted(function.__name__ for function in LIKE)
    assert len(CALLS) == 21


@pytest.mark.parametrize("name", CALLS)
def test_like(name, device, tmp_path):
    reference = gpunp.zeros(1)
    place = {"path": tmp_path / "file"} if name == "fromfile" else {}
    for call in CALLS[name]:
        expected = call(getattr(np, name), **place)
        # The reference determines the device, not the current device.
        with gpunp.Device("cpu"):
            results = [call(getattr(library, name), **place, like=reference) for library in (np, gpunp)]
        for result in results:
            assert result.device is device
            assert_same(result, expected)
            if expected.ndim > 1:
                assert result.flags.f_contiguous == expected.flags.f_contiguous


@pytest.mark.parametrize("name", CALLS)
def test_like_anything_else(name, tmp_path):
    place = {"path": tmp_path / "file"} if name == "fromfile" else {}
    call = CALLS[name][0]
    with pytest.raises(TypeError):
        call(getattr(np, name), **place, like=object())
    assert isinstance(call(getattr(np, name), **place, like=np.zeros(1)), np.ndarray)
    # With like=None gpunp's own functions create on the current device.
    assert isinstance(call(getattr(gpunp, name), **place, like=None), gpunp.ndarray)
