"""Groups that are checked: what counts as a difference, and what is left after one."""

import time

import numpy as np
import pytest
from waiting import PATIENCE

import gpunp
from gpunp.fusion import checking, worker


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_only_nans_may_differ(dtype):
    nan = np.copysign(np.nan, -1)
    expected = np.array([1.0, nan, np.nan, 2.0, np.inf], dtype)
    found = np.array([1.0, -nan, np.nan, 2.0, np.inf], dtype)
    first, size = checking.first_difference, expected.itemsize
    assert first(expected.tobytes(), expected.tobytes(), nan_size=0) is None
    assert first(expected.tobytes(), found.tobytes(), nan_size=0) == 2 * size - 1
    assert first(expected.tobytes(), found.tobytes(), nan_size=size) is None
    found[3] = np.nextafter(found[3], found[4])
    assert first(expected.tobytes(), found.tobytes(), nan_size=size) == 3 * size
    found[:] = 1, 0, np.nan, 2, np.inf
    assert first(expected.tobytes(), found.tobytes(), nan_size=size) is not None
    found[:] = 1, nan, np.nan, 2, np.nan
    assert first(expected.tobytes(), found.tobytes(), nan_size=size) is not None
    assert first(b"", b"", nan_size=size) is None


def chain(x):
    x += 1
    x *= 2


def test_a_difference_is_reported_once(monkeypatch):
    x = gpunp.asarray(np.arange(1 << 17, dtype="f4"))
    expected = (x.get() + 1) * 2
    with gpunp.config.using(fusion="check"):
        y = x.copy()
        for _ in range(3):
            chain(y)
            y.get()
            assert worker.wait(PATIENCE)
        monkeypatch.setattr(checking, "first_difference", lambda *given, **options: 0)
        chain(x)
        # The thread that runs what is left does not take the error.
        time.sleep(0.02)
        with pytest.raises(AssertionError, match=r"\(.*\) wrote 0x00 where its operations write 0x00"):
            x.get()
        # The operations have run, once.
        np.testing.assert_array_equal(x.get(), expected)


def test_what_a_check_reads_is_not_counted(device):
    x = gpunp.asarray(np.arange(1 << 17, dtype="f4"))
    with gpunp.config.using(fusion="check"):
        before = device.transfer_counts
        chain(x)
        gpunp.fusion.flush()
        assert device.transfer_counts == before
