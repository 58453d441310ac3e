"""Settings of the tests of fusion; every test starts with groups that were not seen."""

import pytest
from waiting import PATIENCE

import gpunp
from gpunp import fusion
from gpunp.fusion import generated, trace, watch, worker


@pytest.fixture(autouse=True)
def forget(device):
    """No group is known, nothing failed, and deferring any call may pay."""
    generated.forget()
    trace.forget_habits(device)
    worker._failures.clear()
    yield
    assert worker.wait(PATIENCE)


@pytest.fixture(autouse=True)
def left_alone(monkeypatch):
    """What is deferred runs where the program needs it: a pause of a busy machine does not end a chain."""
    monkeypatch.setattr(watch, "_run", lambda device: None)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A disk cache of this test's own, which is empty."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(folder))
    monkeypatch.delenv("GPUNP_CACHE", raising=False)
    return folder


@pytest.fixture(params=["on", "check"])
def deferring(request):
    """Every elementwise operation is deferred, and runs in small blocks."""
    before = gpunp.config.fusion
    gpunp.config.fusion = request.param
    least, block = fusion.set_least_elements(1), fusion.set_block_elements(7)
    yield request.param
    gpunp.config.fusion = before
    fusion.set_least_elements(least)
    fusion.set_block_elements(block)
