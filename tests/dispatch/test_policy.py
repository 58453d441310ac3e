import sys
import threading

import numpy as np
import pytest

import gpunp


def test_settings_are_validated():
    with pytest.raises(ValueError, match="'upload', 'warn', 'error'"):
        gpunp.config.host_operands = "never"
    with pytest.raises(AttributeError, match="no setting"):
        gpunp.config.speed = 1
    with pytest.raises(AttributeError, match="no setting"):
        gpunp.config.speed  # noqa: B018
    with pytest.raises(ValueError, match="fallback"), gpunp.config.using(fallback=True):
        pass
    assert "fallback='error'" in repr(gpunp.config)


def test_using_is_local_and_restores():
    seen = []
    with gpunp.config.using(fallback="numpy"), gpunp.config.using(host_operands="error"):
        assert (gpunp.config.fallback, gpunp.config.host_operands) == ("numpy", "error")
        thread = threading.Thread(target=lambda: seen.append(gpunp.config.fallback))
        thread.start()
        thread.join()
    # A free-threaded Python starts threads with the context variables of the thread that starts them.
    inherited = getattr(sys.flags, "thread_inherit_context", 0)
    assert seen == ["numpy" if inherited else "error"]
    assert gpunp.config.fallback == "error"
    gpunp.config.fallback = "warn"
    assert gpunp.config.fallback == "warn"
    gpunp.config.fallback = "error"


CALLS = [
    lambda a, h: a + h,
    lambda a, h: h + a,
    lambda a, h: np.add(a, h),
    lambda a, h: np.add(a, [1, 2, 3]),
    lambda a, h: np.concatenate([a, h]),
    lambda a, h: np.where(a > 1, h, a),
    lambda a, h: np.matmul(a, h),
    lambda a, h: h @ a,
    lambda a, h: np.add.outer(a, h),
    lambda a, h: np.hypot(h, a),
]


@pytest.mark.parametrize("call", CALLS)
def test_host_operands(call):
    host = np.arange(3.0)
    a = gpunp.asarray(host)
    np.testing.assert_array_equal(call(a, host).get(), call(host, host))
    with gpunp.config.using(host_operands="error"), pytest.raises(TypeError, match="host operand"):
        call(a, host)
    with (
        gpunp.config.using(host_operands="warn"),
        pytest.warns(gpunp.TransferWarning, match="host operand") as warned,
    ):
        call(a, host)
    assert len(warned) == 1


def test_what_handlers_make_is_no_host_operand():
    a = gpunp.arange(3.0)
    with gpunp.config.using(host_operands="error"):
        assert np.polyint(a, 2, k=3).shape == (5,)
        assert np.nan_to_num(a).shape == (3,)
        assert gpunp.config.host_operands == "error"


def test_scalars_are_no_host_operands():
    a = gpunp.arange(3.0)
    with gpunp.config.using(host_operands="error"):
        for scalar in (1, 2.5, np.float32(2), np.array(3)):
            assert (a + scalar).shape == (3,)
            assert np.add(scalar, a).shape == (3,)
