"""Every test has a disk cache of its own."""

import pytest


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    """The folder of the disk cache, which does not exist yet."""
    from gpunp.compiler import cache_files

    folder = tmp_path / "kernels"
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(folder))
    for name in ("GPUNP_CACHE", "GPUNP_CACHE_SIZE", "GPUNP_DUMP_SOURCE", "GPUNP_LINE_INFO", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cache_files, "_warned", False)
    monkeypatch.setattr(cache_files, "_known_bytes", 0)
    monkeypatch.setattr(cache_files, "_stores_left", 0)
    return folder


@pytest.fixture
def host():
    """The host's compiler; the test is skipped where there is none."""
    from gpunp.compiler import host_compiler

    try:
        return host_compiler.command()
    except RuntimeError as error:
        pytest.skip(str(error))
