"""Every test starts with groups that were not seen."""

import pytest

from gpunp.fusion import generated, worker


@pytest.fixture(autouse=True)
def forget():
    """No group is known, and nothing failed."""
    generated.forget()
    worker._failures.clear()
    yield
    assert worker.wait(60)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A disk cache of this test's own, which is empty."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(folder))
    monkeypatch.delenv("GPUNP_CACHE", raising=False)
    return folder
