"""``python -m gpunp run`` starts a program as Python does."""

import subprocess
import sys
from pathlib import Path

import pytest

from gpunp.running.program import Program, main, split

SOURCE = """
import os, sys
import numpy as np
import gpunp
print(sys.argv[1:], __name__, os.path.basename(__file__) if "__file__" in globals() else "no file")
print(__spec__.name if __spec__ else None, __package__)
print(type(np.zeros(100)) is np.ndarray, isinstance(np.zeros(100), gpunp.ndarray))
"""


def run(*command, device="cpu", cwd=Path(__file__).parent, text=None, **environment):
    """Run the command, not in the folder of the sources: Python would import them."""
    import os

    environment = {**os.environ, "GPUNP_DEVICE": device, "GPUNP_RUN_THRESHOLD": "50", **environment}
    command = [sys.executable, "-m", "gpunp", "run", *command]
    return subprocess.run(command, cwd=cwd, env=environment, input=text, capture_output=True, text=True)


def test_standard_input():
    done = run("-", "a", text=SOURCE)
    assert done.stdout.splitlines() == ["['a'] __main__ no file", "None None", "True True"]
    assert done.stderr == ""


@pytest.fixture
def here(tmp_path):
    (tmp_path / "program.py").write_text(SOURCE)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text("from . import inner\n" + SOURCE)
    (tmp_path / "package" / "inner.py").write_text("import numpy as np\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        (["program.py", "a", "-m"], "['a', '-m'] __main__ program.py", "None None"),
        (["-m", "program", "--report"], "['--report'] __main__ program.py", "program "),
        (["-m", "package", "b"], "['b'] __main__ __main__.py", "package.__main__ package"),
        (["-c", SOURCE, "-c", "d"], "['-c', 'd'] __main__ no file", "None None"),
        (["--threshold", "60", "program.py"], "[] __main__ program.py", "None None"),
    ],
    ids=["script", "module", "package", "code", "option"],
)
def test_ways_to_start(command, first, second, here):
    done = run(*command, cwd=here)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [first, second, "True True"]


def test_a_folder(here):
    (here / "folder").mkdir()
    (here / "folder" / "__main__.py").write_text("import beside\nprint(beside.x)")
    (here / "folder" / "beside.py").write_text("import numpy as np\nx = type(np.zeros(99)).__module__")
    assert run("folder", cwd=here).stdout == "numpy\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [("pass", 0), ("raise SystemExit(7)", 7), ("import sys; sys.exit('text')", 1), ("1/0", 1)],
)
def test_exit_codes(code, expected):
    assert run("-c", code).returncode == expected


def test_tracebacks_are_those_of_python(here):
    (here / "fails.py").write_text(
        "import numpy as np\n\ndef f(x):\n    return x.reshape(7, 7)\n\nprint(1)\nf(np.zeros((10, 10)))\n"
    )
    plain = subprocess.run([sys.executable, "fails.py"], cwd=here, capture_output=True, text=True)
    found = run("fails.py", cwd=here)
    assert (found.returncode, found.stdout) == (plain.returncode, plain.stdout)
    assert found.stderr.splitlines()[:7] == plain.stderr.splitlines()[:7]
    assert found.stderr.splitlines()[-1] == plain.stderr.splitlines()[-1]
    assert "gpunp" not in found.stderr


def test_errors_of_syntax(here):
    (here / "broken.py").write_text("x = 1\ny = (\n")
    plain = subprocess.run([sys.executable, "broken.py"], cwd=here, capture_output=True, text=True)
    found = run("broken.py", cwd=here)
    assert (found.returncode, found.stderr) == (plain.returncode, plain.stderr)


@pytest.mark.parametrize(
    "command", [["no_such_file.py"], ["-m", "no_such_module"], ["--threshold", "many", "-c", ""]]
)
def test_what_cannot_start(command):
    done = run(*command)
    assert done.returncode == 2
    assert done.stderr.startswith("python -m gpunp run: ")


@pytest.mark.parametrize("command", [[], ["-m"], ["--report"], ["-c"]])
def test_no_program(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    assert "there is no program to run" in capsys.readouterr().err


def test_options_end_where_the_program_begins():
    assert split(["--report", "p.py", "--report"]) == (["--report"], ["p.py", "--report"])
    assert split(["--html", "f", "-m", "m", "-x"]) == (["--html", "f"], ["-m", "m", "-x"])
    assert split(["--threshold=3", "-c", "code"]) == (["--threshold=3"], ["-c", "code"])
    with pytest.raises(FileNotFoundError, match="no such file"):
        Program(["no_such_file.py"])


@pytest.mark.parametrize("statement", ["raise KeyboardInterrupt", "f()", "import sys; sys.exit('why')"])
def test_a_program_ends_as_with_python(statement, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(f"def f():\n    {statement}\nf()\n")
    expected = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    done = run(str(path))
    assert done.returncode == expected.returncode
    # How often a line of an endless recursion is repeated depends on the frames below it.
    texts = done.stderr, expected.stderr
    found, wanted = ([line for line in text.splitlines() if "repeated" not in line] for text in texts)
    assert found == wanted


def test_functions_at_the_exit_belong_to_the_program():
    code = "import atexit, numpy as np; x = np.zeros(100)\natexit.register(lambda: print(x.astype(str)[0]))"
    assert run("-c", code).stdout == "0.0\n"
