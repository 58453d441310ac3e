"""Groups that are checked: what counts as a difference, and what is left after one."""

import time
import warnings

import numpy as np
import pytest
from gpunp.fusion.folds import compile_rows_on_cpu
from waiting import PATIENCE

import gpunp
from gpunp import fusion
from gpunp.fusion import checking, worker


@pytest.fixture
def defer_all():
    before = fusion.set_least_elements(1)
    yield
    fusion.set_least_elements(before)


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


def test_a_reduction_is_checked(monkeypatch):
    x = gpunp.asarray(np.arange(1 << 17, dtype="f4"))
    with gpunp.config.using(fusion="check"):
        expected = np.sum(x - 1).get()
        monkeypatch.setattr(checking, "first_difference", lambda *given, **options: 0)
        y = x - 1
        with pytest.raises(AssertionError, match=r"add_f4\w* of deferred operations\) wrote 0x"):
            np.sum(y)
        monkeypatch.undo()
        np.testing.assert_array_equal(np.sum(y).get(), expected)


def test_a_reduction_that_overtakes_operations_is_checked(monkeypatch, device):
    """One along rows that no kernel holds runs before the operations that were called before it."""
    compiled = compile_rows_on_cpu(True)
    try:
        x = gpunp.asarray(np.arange(1 << 17, dtype="f4").reshape(256, 512))
        with gpunp.config.using(fusion="check"):
            np.testing.assert_array_equal(np.max(x - 1, axis=1).get(), x.get().max(axis=1) - 1)
            monkeypatch.setattr(checking, "first_difference", lambda *given, **options: 0)
            y = np.max(x - 1, axis=1)
            with pytest.raises(AssertionError, match=r"maximum_f4\w* of deferred operations\) wrote 0x"):
                y.get()
            np.testing.assert_array_equal(y.get(), x.get().max(axis=1) - 1)
    finally:
        compile_rows_on_cpu(compiled)


def test_nans_that_were_computed_in_a_wider_dtype(defer_all):
    """A GPU gives one of two NaNs of float64, and its sign stays if the result is stored as float16."""
    parts = np.array([np.nan, -np.nan, 1, -1, np.inf, 0])
    real = gpunp.asarray(np.repeat(parts, 36))
    factor = (np.tile(parts, 36) + 0j).astype("c8")
    factor.imag = np.tile(np.repeat(parts, 6), 6)
    factor = gpunp.asarray(factor)
    with gpunp.config.using(fusion="check"), np.errstate(all="ignore"):
        for code in ("f2", "f4", "c8"):
            out = gpunp.zeros(216, code)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                np.multiply(np.sqrt(real), factor, out=out, casting="unsafe")
            assert np.isnan(out.get()).any()


@pytest.mark.parametrize("kept", [True, False])
def test_elements_that_where_leaves_out(defer_all, rng, device, kept):
    """They have no value, and what follows from them has none."""
    host = rng.standard_normal(1000).astype("f4")
    mask = host > 0
    x, chosen = gpunp.asarray(host), gpunp.asarray(mask)
    # New arrays get this memory.
    used = [gpunp.full(1000, 9.5, "f4") for _ in range(50)]
    device.synchronize()
    del used
    with gpunp.config.using(fusion="check"):
        y = np.multiply(x, 3, where=chosen)
        z = y * 2 + x
        if not kept:
            del y
        np.testing.assert_array_equal(z.get()[mask], (host * np.float32(3) * 2 + host)[mask])


def test_what_a_check_reads_is_not_counted(device):
    x = gpunp.asarray(np.arange(1 << 17, dtype="f4"))
    with gpunp.config.using(fusion="check"):
        before = device.transfer_counts
        chain(x)
        gpunp.fusion.flush()
        assert device.transfer_counts == before
