"""A minute of random programs compared with NumPy, and tests of the fuzzer itself."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
# About a minute on one core.
PROGRAMS = 40000
SECONDS = 90


@pytest.fixture
def modules(monkeypatch):
    """The modules of the fuzzer, which is a folder that is run and not a package."""
    monkeypatch.syspath_prepend(str(FOLDER))
    names = ("registry", "operands", "compare", "explained", "program")
    found = {name: importlib.import_module(name) for name in names}
    found["differences"] = importlib.import_module("chains.differences")
    yield found
    others = ("elementwise", "functions", "reducing", "rearranging", "products", "chains")
    for name in [*sys.modules]:
        if name.split(".")[0] in (*names, *others):
            del sys.modules[name]


def fuzz(*arguments, **options):
    command = [sys.executable, "-P", str(FOLDER), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.5.5", reason="older versions of NumPy differ from the newest"
)
def test_random_programs(request, device):
    done = fuzz(
        "--seed",
        20260,
        "--programs",
        PROGRAMS,
        "--seconds",
        SECONDS,
        "--device",
        request.config.getoption("--device"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 100


@pytest.mark.parametrize("family", [[], ["--chains"]])
def test_a_seed_gives_the_same_programs(family):
    first, second = (
        fuzz(*family, "--programs", 20, "--device", "cpu", "--show", "--worker", 0, "--note", "/dev/null")
        for _ in "12"
    )
    lines = [line for line in first.stdout.splitlines() if not line.startswith("{")]
    assert len(lines) > 100
    assert lines == [line for line in second.stdout.splitlines() if not line.startswith("{")]


def test_explanations_are_in_the_documentation(modules):
    text = " ".join((ROOT / "docs" / "differences.md").read_text().split())
    assert [words for words, *_ in modules["explained"].EXPLAINED if words not in text] == []


def test_what_is_a_difference(modules, device):
    import numpy as np

    import gpunp

    registry, compare = modules["registry"], modules["compare"]

    def differ(expected, actual, mode=registry.EXACT, scale=1.0):
        try:
            compare.compare("v0", expected, gpunp.asarray(actual), mode, scale, gpunp.ndarray)
        except compare.Difference as difference:
            return difference.kind
        return None

    one = np.array([1.0, np.nan, -0.0])
    assert differ(one, one) is None
    assert differ(one, np.array([1.0, -np.nan, -0.0])) is None
    assert differ(one, np.array([1.0, np.nan, 0.0])) == "value"
    assert differ(one, np.array([1.0, np.nan, 0.0]), registry.SUMMED) is None
    assert differ(one, one + 1e-15) == "value"
    assert differ(one[:1], one[:1] + 1e-15, registry.CLOSE) is None
    assert differ(one[:1], one[:1] + 1e-9, registry.CLOSE) == "value"
    assert differ(one, one.astype("f4")) == "dtype"
    assert differ(one, one[:2]) == "shape"
    assert differ(np.array([np.inf]), np.array([1.0]), registry.CLOSE) == "value"
    assert differ(np.array([3]), np.array([4]), registry.SUMMED) == "value"
    assert differ(np.float64(2), np.array(2.0)) is None


def test_programs_are_made_shorter(modules, device):
    program, registry = modules["program"], modules["registry"]
    made = [
        registry.Made(text, registry.EXACT, 1)
        for text in (
            "v0 = A([1, 2], 'i4', (2,))",
            "v1 = A([3], 'f8', (1,))",
            "v2 = v0[::-1]",
            "v3 = wrong(v2)",
        )
    ]
    program.HOST["wrong"], program.DEVICE["wrong"] = (lambda a: a + 1), (lambda a: a + 2)
    failure = program.replay(made, device)
    shortest = program.shorten(failure, device)
    assert failure.kind == "value"
    assert [each.text for each in shortest.statements] == [each.text for each in (made[0], made[2], made[3])]
    assert "v2 = v0[::-1]\n    v3 = wrong(v2)\n" in program.script(shortest.statements)


def test_views_of_rounded_numbers_may_differ(modules, device):
    program, registry = modules["program"], modules["registry"]
    wrong = {"near": 1 + 1e-15, "far": 1 + 1e-3}
    for name, factor in wrong.items():
        program.HOST[name], program.DEVICE[name] = 1.0, factor
    made = [
        registry.Made("v0 = A([1, 2, 3], 'f8', (3,))", registry.EXACT, 1),
        registry.Made("v1 = v0.view('f2')", registry.EXACT, 1),
        registry.Made("v2 = v0.view('i8')", registry.EXACT, 1),
        registry.Made("v0 *= near", registry.CLOSE, 0),
    ]
    assert program.replay(made, device) is None
    made[-1] = registry.Made("v0 *= far", registry.CLOSE, 0)
    assert program.replay(made, device).kind == "value"


def test_differences_between_runs_of_a_chain_are_found(modules, monkeypatch, device):
    import gpunp

    running = importlib.import_module("chains.running")
    names = running.values.device_names
    wrong = {"wrong": lambda x: x + (gpunp.config.fusion == "check")}
    monkeypatch.setattr(running.values, "device_names", lambda *given: {**names(*given), **wrong})
    made = [
        modules["registry"].Made(text, mode, 0)
        for mode, text in (
            ("control", "block(3)"),
            ("exact", "v0 = F(0, 'f4', (5,), 0)"),
            ("exact", "v1 = v0 * 2"),
            ("control", "mode('check')"),
            ("exact", "log(wrong(v0))"),
        )
    ]
    assert running.replay(made[:4], device) is None
    shortest = running.shorten(running.replay(made, device), device)
    assert [each.text for each in shortest.statements] == [made[i].text for i in (1, 3, 4)]
    assert shortest.kind == "printed"
    made[4] = modules["registry"].Made("v1 = wrong(v1)", "exact", 0)
    assert running.replay(made, device).kind == "bits"


def test_which_differences_between_runs_of_a_chain_are_explained(modules):
    class Place:
        is_cpu = False

    def words(expected, actual, text="v0 + v1", place=Place):
        made = [modules["registry"].Made(text, "exact", 0)]
        case = modules["differences"].Case(expected, actual, made, place)
        return modules["explained"].explanation(case)

    def array(values, dtype):
        made = np.asarray(values, dtype)
        return "array", made.dtype.str, made.shape, made.strides, made.tobytes()

    def left(values, dtype="f8", **others):
        return [], {"v0": array(values, dtype), **others}

    nan = np.copysign(np.nan, -1)
    assert words(left([1, nan]), left([1, -nan])) == "**Which NaN.**"
    assert words(([[array(nan, "c16")]], {}), ([[array(-nan, "c16")]], {})) == "**Which NaN.**"
    assert words(left([1, nan]), left([2, -nan])) is None
    assert words(left([1, nan]), left([1, 3])) is None
    assert words(left([1, nan], "f4"), left([1, -nan], "f4")) is None
    integers = left([nan], v1=array([1], "i8")), left([-nan], v1=array([2], "i8"))
    assert words(*integers) is None
    assert words(*integers, "v1 = v0.view('i8')") == "**Which NaN.**"

    text = modules["differences"].REPORTED
    assert words(([f"IndexError: {text}"], {}), ([], {})) == "**Some errors come later.**"
    assert words(([], {"v0": None}), ([], {"v0": f"IndexError: {text}"})) == "**Some errors come later.**"
    assert words((["IndexError: "], {}), ([], {})) is None

    class Host:
        is_cpu = True

    for dtype in ("f2", "f4", "f8"):
        assert words(left([1, nan], dtype), left([1, -nan], dtype), place=Host) == "**Which NaN.**"
    assert words(left([1, nan]), left([2, -nan]), place=Host) is None


def test_the_death_of_a_process_is_reported(tmp_path):
    # A second process continues after the program that ended the first.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if '--worker' in sys.argv:\n"
        "    write, marker = os.pwrite, os.path.join(os.path.dirname(__file__), 'died')\n"
        "    def pwrite(descriptor, text, place):\n"
        "        write(descriptor, text.replace(b'NumPy 3', b'gpunp 3'), place)\n"
        "        if text.startswith(b'NumPy 3\\n') and not os.path.exists(marker):\n"
        "            open(marker, 'w').close()\n"
        "            os._exit(7)\n"
        "    os.pwrite = pwrite\n"
    )
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path}
    done = fuzz("--programs", 10, "--device", "cpu", env=environment)
    assert done.returncode == 1, done.stderr
    assert "death" in done.stdout
    assert "[program 3]" in done.stdout
    assert (tmp_path / "died").exists()
