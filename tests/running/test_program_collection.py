"""The programs of tests/programs print the same under ``gpunp run``, with most arrays on the device."""

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from gpunp.running.program import Program
from gpunp.running.session import Session

FOLDER = Path(__file__).parents[1] / "programs"
PROGRAMS = sorted(FOLDER.rglob("*.py"))
# From how many elements arrays are on the device: nearly all, though the programs are small.
LEAST = 100
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?j?|[-+]?(?:inf|nan)")


def settings(path, word):
    """What a program says about itself in comments such as ``# needs: scipy``."""
    return re.findall(rf"^# {word}: (\w+)", path.read_text(), re.MULTILINE)


def forget_modules(known):
    """Forget the modules that a program has made and imported, but not what is installed."""
    for name, module in [*sys.modules.items()]:
        path = str(getattr(module, "__file__", None) or "")
        if name.partition(".")[0] not in known and path.startswith(tempfile.gettempdir()):
            del sys.modules[name]


@contextlib.contextmanager
def output():
    """Collect what a program prints; what it changes is changed back."""
    before, known = (sys.argv, sys.path[:]), {*sys.modules}
    text = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(text):
        warnings.simplefilter("ignore")
        yield text
    sys.argv, sys.path[:] = before
    forget_modules(known)


def plain(path):
    with output() as text:
        sys.argv = [str(path)]
        runpy.run_path(str(path), run_name="__main__")
    return text.getvalue()


def unmodified(path, threshold=LEAST):
    program = Program([str(path)])
    with output() as text, Session(program.folders, threshold=threshold):
        try:
            program.run()
        finally:
            program.forget()
    return text.getvalue()


def in_a_process(path, *command, device="cpu"):
    environment = {**os.environ, "GPUNP_RUN_THRESHOLD": str(LEAST), "GPUNP_DEVICE": device}
    command = [sys.executable, "-W", "ignore", *command, str(path)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def assert_same(found, expected):
    """The same text, with numbers that differ no more than the order of additions makes them differ."""
    assert _NUMBER.sub("#", found) == _NUMBER.sub("#", expected)
    numbers = [[complex(word) for word in _NUMBER.findall(text)] for text in (found, expected)]
    for ours, numpys in zip(*numbers, strict=True):
        assert ours == pytest.approx(numpys, rel=1e-5, abs=1e-9, nan_ok=True)


def test_the_collection_is_large():
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path, tmp_path, monkeypatch, device):
    for name in settings(path, "needs"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    if settings(path, "runs") == ["alone"]:
        ours = in_a_process(path, "-m", "gpunp", "run", device=f"{device.kind}:{device.index}")
        assert_same(ours, in_a_process(path))
    else:
        assert_same(unmodified(path), plain(path))


@pytest.mark.parametrize("threshold", [0, 32768], ids=["all", "none"])
@pytest.mark.parametrize("name", ["everyday/scalars", "everyday/classes", "numerics/heat_equation"])
def test_other_thresholds(name, threshold, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = FOLDER / f"{name}.py"
    assert_same(unmodified(path, threshold), plain(path))
