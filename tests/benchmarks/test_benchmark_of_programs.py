"""The benchmarks of whole programs run, and say what they should."""

import importlib
import json
import math
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
PROGRAMS = FOLDER.parent / "programs"


@pytest.fixture
def module(monkeypatch):
    """A function that imports a module of the benchmarks, which are a program and no package."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def benchmark(name, *words):
    done = subprocess.run([sys.executable, str(FOLDER / name), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_all_large_programs_are_programs(module):
    sizes = module("collection_sizes")
    for name in sizes.LARGE:
        text = (PROGRAMS / f"{name}.py").read_text()
        changed = sizes.enlarged(name, text)
        compile(changed, name, "exec")
        assert changed != text
    with pytest.raises(ValueError, match="correct LARGE"):
        sizes.enlarged(name, "")


def test_a_program_of_the_collection(tmp_path):
    path = tmp_path / "results.json"
    words = ["simulation/game_of_life", "--libraries", "gpunp,NumPy", "--repeats", "1", "--limit", "60"]
    text = benchmark("collection.py", *words, "--json", str(path))
    assert re.search(r"simulation/game_of_life +[\d.]+ ms +[\d.]+ ms +[\d.]+x", text)
    found = json.loads(path.read_text())
    assert found["rows"][0]["gpunp"]["agrees"] is True
    assert found["over NumPy"]["programs"] == 1


def test_programs_with_their_own_sizes(tmp_path):
    path = tmp_path / "results.json"
    text = benchmark(
        "collection.py", "everyday/tiny_calls", "--own-sizes", "--repeats", "2", "--json", str(path)
    )
    assert text.startswith("everyday/tiny_calls")
    assert json.loads(path.read_text())["mean"] > 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_limit_that_passes_in_a_destructor_holds(module):
    collection = module("collection")

    class Waiting:
        def __del__(self):
            threading.Event().wait(60)

    with pytest.raises(collection.TookTooLong), collection.limited(0.05):
        Waiting()


def test_what_takes_too_long_has_no_time():
    words = ["simulation/n_body", "--libraries", "NumPy", "--limit", "0.05", "--seconds", "200"]
    assert "NumPy: more than 0.05 s" in benchmark("collection.py", *words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy as np\n", "import cupy as np\n"),
        ("from numpy.fft import fft\n", "from cupy.fft import fft\n"),
        ("import numpy\nimport numpy.linalg as la\n", "import cupy; np = cupy\nimport cupy.linalg as la\n"),
    ],
)
def test_the_change_for_cupy(module, text, expected):
    assert module("collection").with_cupy(text) == expected


@pytest.mark.parametrize(
    ("found", "same"), [("x 1.0001 [ 2.]", True), ("x 1.1 [2.]", False), ("y 1.0 [2.]", False)]
)
def test_what_programs_print_is_compared(module, found, same):
    assert module("collection").agree(found, "x 1.0 [2.]") is same


def test_ratios(module):
    collection = module("collection")
    fast, slow = {"seconds": 1.0, "agrees": True}, {"seconds": 4.0}
    wrong, failed = {"seconds": 0.1, "agrees": False}, {"error": "no time left"}
    rows = [{"gpunp": fast, "NumPy": slow}, {"gpunp": wrong, "NumPy": slow}, {"gpunp": fast, "NumPy": failed}]
    assert collection.ratios(rows, "gpunp", "NumPy") == [4.0]
    assert collection.mean([1.0, 4.0]) == pytest.approx(2)
    assert collection.mean([]) is None


def test_the_layer(tmp_path):
    path = tmp_path / "layer.json"
    text = benchmark("running_layer.py", "--json", str(path), "--seconds", "0.5", "--rounds", "2")
    assert "ns added" in text
    found = json.loads(path.read_text())
    assert all(math.isfinite(row["added"]) for row in found["layer"])
    assert {row["call"] for row in found["crossovers"]} >= {"x + y", "m @ m", "sort", "sum, read"}


@pytest.mark.parametrize(
    ("numpys", "ours", "expected"),
    [
        ({1: 1.0, 4: 4.0}, {1: 2.0, 4: 2.0}, 2),
        ({1: 3.0, 4: 4.0}, {1: 2.0, 4: 2.0}, 1),
        ({1: 1.0, 4: 1.0}, {1: 2.0, 4: 2.0}, None),
    ],
)
def test_the_crossover_is_between_sizes(module, numpys, ours, expected):
    found = module("running_layer").crossover({"numpy": numpys, "device": ours})
    assert found == expected
