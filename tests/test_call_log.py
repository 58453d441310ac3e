"""Tests of the plugin that records which handlers the tests call."""

import sys

import numpy as np
import pytest
from call_log import compares

import gpunp


@pytest.fixture
def log(request):
    """The log of this process, reset as if nothing had been called."""
    log = request.config.pluginmanager.get_plugin("call_log").log
    if log is None:
        pytest.skip("calls are seen on Python 3.12 and later")
    found, log.found = log.found, set()
    sys.monitoring.restart_events()
    yield log
    log.found = found


def test_calls_with_device_arrays_are_seen(log):
    x = gpunp.asarray([3.0, 1.0])
    np.sum(x)
    gpunp.sort(x)
    x.mean()
    np.linalg.inv(np.outer(x, x) + gpunp.eye(2))
    np.concatenate([x, x])
    eval("np.prod(x)", {"np": np, "x": x})
    gpunp.mgrid[0:2]
    assert log.pending == {
        *("asarray", "sum", "sort", "mean", "linalg.inv", "outer", "eye", "concatenate", "prod", "mgrid")
    }


def test_other_calls_are_not(log):
    x = gpunp.ones((2, 3))
    np.median(x)
    np.sum(np.ones(3))
    gpunp.cumsum([1, 2])
    # array_split is called only by the handler of split.
    np.split(x, 2)
    assert log.pending == {"ones", "median", "split"}


def test_a_comparison_is_seen():
    def without():
        return np.sum(1)

    def with_assert():
        assert np.sum(1)

    def with_check():
        np.testing.assert_equal(np.sum(1), 1)

    def nested():
        return [check_call(line) for line in ()]  # noqa: F821

    assert [compares(each.__code__) for each in (without, with_assert, with_check, nested)] == [
        False,
        True,
        True,
        True,
    ]
