import numpy as np
import pytest
from records import assert_same

import gpunp

UNHANDLED = np.interp


def test_unhandled_functions_name_the_way_out():
    a = gpunp.arange(3.0)
    with pytest.raises(TypeError, match=r"numpy\.interp.*gpunp\.asnumpy.*gpunp\.config\.fallback"):
        UNHANDLED(a, a, a)


def test_fallback_runs_numpy_and_returns_to_the_device():
    host = np.array([3.0, 1.0, 2.0])
    a = gpunp.asarray(host)
    with gpunp.config.using(fallback="numpy"):
        assert_same(UNHANDLED(a, a, a), UNHANDLED(host, host, host))
        assert_same(np.unique(a, return_counts=True), tuple(np.unique(host, return_counts=True)))
        target = gpunp.zeros(3)
        assert np.cross(a, a + 1).device is a.device
        np.put(target, [0, 2], [5.0, 6.0])
        assert target.tolist() == [5, 0, 6]
    with gpunp.config.using(fallback="warn"), pytest.warns(gpunp.FallbackWarning, match=r"numpy\.interp"):
        UNHANDLED(a, a, a)


def test_fallback_fills_out():
    host = np.array([3.0, 1.0, 2.0])
    out = gpunp.zeros(())
    with gpunp.config.using(fallback="numpy"):
        assert np.median(gpunp.asarray(host), out=out) is out
    assert out.item() == 2


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
