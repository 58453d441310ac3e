"""The decorator that waits for kernels."""

import numpy as np
import pytest
from records import assert_same
from threads import run_together

import gpunp
from gpunp import fusion


def squared_difference(x, y):
    return (x - y) * (x - y)


@pytest.mark.parametrize(
    "decorate",
    [
        gpunp.fuse,
        gpunp.fuse(),
        gpunp.fuse(kernel_name="squares"),
        lambda f: gpunp.fuse(f, kernel_name="squares"),
    ],
)
def test_decorated_functions_run(decorate):
    function = decorate(squared_difference)
    x = np.arange(5.0)
    assert_same(function(gpunp.asarray(x), gpunp.asarray(x[::-1])), squared_difference(x, x[::-1]))
    np.testing.assert_array_equal(function(x, 2.0), squared_difference(x, 2.0))
    assert function.__name__ == "squared_difference"


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1,), {}, "takes one function"),
        ((abs, abs), {}, "takes one function"),
        ((), {"name": "f"}, "unexpected keyword argument 'name'"),
        ((), {"kernel_name": 1}, "kernel_name must be a str"),
    ],
)
def test_bad_arguments(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        gpunp.fuse(*args, **kwargs)


@pytest.fixture
def usual():
    """Small operations are not deferred, but in decorated functions."""
    before, least = gpunp.config.fusion, fusion.set_least_elements(1 << 16)
    gpunp.config.fusion = "on"
    fusion.reset_report()
    yield
    gpunp.config.fusion = before
    fusion.set_least_elements(least)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(tmp_path / "kernels"))


def fused_calls():
    return fusion.report().splitlines()[0]


def test_small_operations_share_a_kernel_at_the_first_call(usual, own_cache, device):
    events = []
    fusion.observe(events.append)
    function = gpunp.fuse(squared_difference, kernel_name="squares")
    x = gpunp.asarray(np.arange(5.0))
    y = function(x, 2.0)
    assert device.pending == 0
    fusion.observe(None)
    # The difference is computed twice, as it is written.
    assert fused_calls() == "calls    3 deferred: 3 fused in 1 kernel, 0 one by one, 0 not needed"
    (group,) = [event for event in events if event[0] == "group"]
    assert group[1:3] == ([0, 1, 2], "fused")
    assert group[5] == "blocks" if device.is_cpu else group[5].startswith("squares_")
    assert y.tolist() == [4, 1, 0, 1, 4]
    assert [event[1] for event in events if event[0] == "compiled"] == ([] if device.is_cpu else [group[5]])


def test_outside_nothing_changes(usual):
    function = gpunp.fuse(squared_difference)
    x = gpunp.asarray(np.arange(5.0))
    function(x, 2.0)
    fusion.reset_report()
    squared_difference(x, 2.0)
    assert fused_calls().startswith("calls    0 deferred")


def test_other_threads_are_not_concerned(usual):
    x = gpunp.asarray(np.arange(5.0))

    @gpunp.fuse
    def function():
        run_together(lambda: squared_difference(x, 2.0), lambda: squared_difference(x, 3.0))

    function()
    assert fused_calls().startswith("calls    0 deferred")


def test_errors_and_nesting(usual):
    x = gpunp.asarray(np.arange(5.0))

    @gpunp.fuse
    def inner(x):
        return x * 2 + 1

    @gpunp.fuse
    def outer(x, y):
        z = inner(x) * 3
        return z + y

    with pytest.raises(ValueError, match="broadcast"):
        outer(x, x[:3])
    fusion.reset_report()
    assert outer(x, x).tolist() == [3, 10, 17, 24, 31]
    # The calls of the inner function are in the kernel of the outer one.
    assert fused_calls().startswith("calls    4 deferred: 4 fused in 1 kernel")
    fusion.reset_report()
    squared_difference(x, 2.0)
    assert fused_calls().startswith("calls    0 deferred")


def test_fusion_is_off(usual):
    gpunp.config.fusion = "off"
    function = gpunp.fuse(squared_difference)
    assert function(gpunp.asarray(np.arange(5.0)), 2.0).tolist() == [4, 1, 0, 1, 4]
    assert fused_calls().startswith("calls    0 deferred")
