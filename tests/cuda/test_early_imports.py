"""Imports while the driver creates the first context: what they bring, and that nothing waits for them."""

import builtins
import os
import subprocess
import sys
import time

import pytest

from gpunp import early_imports

KERNEL = 'extern "C" __global__ void axpy(const float* x, float* y, float a, int n) { y[0] += a * x[0]; }'
START = """
import sys
import numpy as np
import gpunp
from gpunp import early_imports
early_imports._LONGEST_WAIT = 60
gpunp.Device("cuda").use()
"""
FIRST_CALL = f"""
x, y = gpunp.empty(8, np.float32), gpunp.empty(8, np.float32)
present = set(sys.modules)
gpunp.RawKernel({KERNEL!r}, "axpy")((1,), (8,), (x, y, np.float32(2), np.int32(8)))
print(*sorted(set(sys.modules) - present))
"""
# Instead of NVRTC's, code for the stand-in driver.
COMPILED = """
from gpunp.compiler import compiling
from gpunp.compiler.module import Compiled
compiling.build = lambda request: Compiled({image!r}, {{"axpy": "axpy"}}, "")
"""
# Where NVRTC is, the thread has found out.
FOUND = """
toolkit = sys.modules["gpunp.compiler.toolkit"]
assert toolkit._library.cache_info().currsize == 1
"""
LOADED = "print(*(name for name in sys.modules if name.startswith(('gpunp.compiler', 'gpunp.custom'))))"


def output(*parts):
    command = [sys.executable, "-P", "-W", "error", "-c", "".join(parts)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "kernels"
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(folder))
    monkeypatch.delenv("GPUNP_CACHE", raising=False)
    return folder


@pytest.mark.fake_driver
def test_the_first_call_from_the_disk_cache_imports_nothing(raw_image, cache):
    compiled = COMPILED.format(image=raw_image)
    assert "gpunp.custom.raw" in output(START, compiled, FIRST_CALL)
    assert len(os.listdir(cache)) == 1
    assert output(START, FOUND, FIRST_CALL) == []


@pytest.mark.fake_driver
def test_without_files_in_the_disk_cache_little_is_imported(cache, monkeypatch):
    few = ["gpunp.compiler", "gpunp.compiler.cache_folder"]
    assert output(START, LOADED) == few
    cache.mkdir()
    assert output(START, LOADED) == few
    (cache / ("0" * 40)).write_bytes(b"")
    monkeypatch.setenv("GPUNP_CACHE", "0")
    assert output(START, LOADED) == few


@pytest.fixture
def anew(cache, monkeypatch, tmp_path):
    """A process that imported nothing early, with files in its disk cache; writes a module to import."""
    cache.mkdir()
    (cache / ("0" * 40)).write_bytes(b"")
    monkeypatch.setattr(early_imports, "_started", False)
    monkeypatch.setattr(early_imports, "_LONGEST_WAIT", 60)
    monkeypatch.syspath_prepend(tmp_path)

    def module(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.setattr(early_imports, "MODULES", (name,))
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name

    return module


def test_modules_are_imported_once_and_before_the_end_of_the_block(anew):
    name = anew("imported_early", "import time; time.sleep(0.01); done = True")
    with early_imports.EarlyImports():
        pass
    assert sys.modules.pop(name).done
    with early_imports.EarlyImports():
        pass
    assert name not in sys.modules


def test_a_module_that_fails_raises_where_it_is_used(anew):
    anew("failing_early", "raise ValueError('as it is')")
    with early_imports.EarlyImports():
        pass
    with pytest.raises(ValueError, match="as it is"):
        import failing_early  # noqa: F401


def test_a_module_that_takes_long_is_not_waited_for(anew, monkeypatch):
    waits = "import builtins, time\nwhile not hasattr(builtins, 'go_on'):\n    time.sleep(0.01)\ndone = True"
    name = anew("late_early", waits)
    monkeypatch.setattr(early_imports, "_LONGEST_WAIT", 0.1)
    with early_imports.EarlyImports():
        pass
    assert not hasattr(sys.modules.get(name), "done")
    monkeypatch.setattr(builtins, "go_on", True, raising=False)
    # An import elsewhere waits for that of the thread.
    assert __import__(name).done


def test_a_block_whose_driver_fails_raises_its_error(anew):
    anew("imported_early", "done = True")
    with pytest.raises(RuntimeError, match="no context"), early_imports.EarlyImports():
        raise RuntimeError("no context")


def test_a_system_without_threads_imports_nothing(anew, monkeypatch):
    name = anew("imported_early", "done = True")

    def refuse(*args):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(early_imports._thread, "start_new_thread", refuse)
    start = time.perf_counter()
    with early_imports.EarlyImports():
        pass
    assert time.perf_counter() - start < early_imports._LONGEST_WAIT
    assert name not in sys.modules
