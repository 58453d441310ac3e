import numpy as np
import pytest

import gpunp


def test_foreign_types_are_left_alone():
    class Foreign:
        def __array_function__(self, func, types, args, kwargs):
            return "theirs"

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "theirs"

    a = gpunp.arange(3)
    assert np.concatenate([a, Foreign()]) == "theirs"
    assert np.add(a, Foreign()) == "theirs"
    assert a.__array_function__(np.concatenate, (gpunp.ndarray, Foreign), ([a],), {}) is NotImplemented
    with pytest.raises(TypeError):
        np.add(a, np.ma.array([1, 2, 3]))


def test_like_creates_on_the_device_of_the_reference(device):
    reference = gpunp.zeros(1)
    with gpunp.Device("cpu"):
        assert np.arange(3, like=reference).device is device
        assert np.eye(2, like=reference).device is device


def test_conversion_to_numpy_is_explicit():
    a = gpunp.arange(3)
    for convert in (np.asarray, np.array, lambda x: x.__array__(), np.ascontiguousarray):
        with pytest.raises(TypeError, match=r"gpunp\.asnumpy"):
            convert(a)


def test_array_namespace():
    assert gpunp.arange(3).__array_namespace__() is gpunp
    assert gpunp.arange(3).__array_namespace__(api_version="2024.12") is gpunp
