"""The report of fusion, from events as the trace sends them, and the command that prints it."""

import sys

import pytest

from gpunp import __main__ as command
from gpunp import fusion
from gpunp.fusion.summary import Summary

PROGRAM = """\
import numpy as np
y = np.sqrt(x * x + 1)
print(float(y[0]))
"""
MIB = 2**20


def op(name, lineno, *, filename="program.py", count=2 * MIB, shape=(262144,)):
    return ("op", name, shape, ("float32", "float32"), count, filename, lineno)


def summed(*events):
    summary = Summary()
    for event in events:
        summary(event)
    return summary


@pytest.fixture
def program(tmp_path, monkeypatch):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return str(path)


def chain(program, kind="fused", saved=4 * MIB, first=0):
    """The events of the program: three calls of its second line, in one group."""
    calls = [op(name, 2, filename=program) for name in ("multiply", "add", "sqrt")]
    numbers = list(range(first, first + 3))
    return [*calls, ("group", numbers, kind, saved, "a read of a value", "chain_1" if saved else None)]


def test_lines_of_a_kernel_are_shown(program):
    assert summed(*chain(program), ("compiled", "chain_1", 118.4)).text().splitlines() == [
        "calls     3 in 1 kernel",
        "moved     2.0 MiB, 67% of 6.0 MiB saved",
        "compiled  1 kernel in 118 ms",
        "",
        "  groups  ended by",
        "       1  a read of a value",
        "",
        "one kernel chain_1: 3 calls, 2.0 MiB, 67% saved; ended by a read of a value",
        "  program.py:2  y = np.sqrt(x * x + 1)",
        "      multiply, add, sqrt  float32 (262144,)",
        "",
        "compiled",
        "  chain_1  118 ms",
    ]


def test_groups_that_are_alike_are_counted(program):
    first_run = chain(program, "separate", 0)
    later = [event for run in range(1, 5) for event in chain(program, first=3 * run)]
    lines = summed(*first_run, *later).text().splitlines()
    assert lines[0] == "calls     15 in 7 kernels"
    assert lines[1] == "moved     14.0 MiB, 53% of 30.0 MiB saved"
    heads = [line for line in lines if "; ended by" in line]
    assert heads == [
        "4 x one kernel chain_1: 3 calls, 8.0 MiB, 67% saved; ended by a read of a value",
        "one by one: 3 calls, 6.0 MiB; ended by a read of a value",
    ]


def test_calls_of_several_lines_keep_their_order():
    text = summed(
        op("add", 5),
        op("exp", 5),
        op("log", 9),
        op("add", 5),
        ("group", [0, 1, 2, 3], "fused", 1, "size", "k"),
    ).text()
    assert [line.split()[0] for line in text.splitlines() if line.startswith("  program.py")] == [
        "program.py:5",
        "program.py:9",
        "program.py:5",
    ]
    assert "      add, exp  float32 (262144,)" in text.splitlines()


def test_groups_may_run_in_another_order_than_they_were_called():
    text = summed(
        op("add", 1),
        op("exp", 2),
        op("log", 3),
        ("group", [1], "single", 0, "another shape", None),
        ("group", [0, 2], "fused", MIB, "a read", "k"),
    ).text()
    assert "one call: 2.0 MiB; ended by another shape" in text
    assert "one kernel k: 2 calls, 3.0 MiB, 25% saved; ended by a read" in text


def test_reasons_are_sorted_by_frequency():
    events = []
    for number, reason in enumerate(["a read", "32 calls", "32 calls"]):
        events += [op("add", number), ("group", [number], "single", 0, reason, None)]
    lines = summed(*events).text().splitlines()
    start = lines.index("  groups  ended by")
    assert lines[start + 1 : start + 3] == ["       2  32 calls", "       1  a read"]


def test_only_the_largest_groups_are_shown():
    events = []
    for number in range(5):
        events += [
            op("add", number, count=(number + 1) * MIB),
            ("group", [number], "single", 0, "a read", None),
        ]
    text = summed(*events).text(2)
    shown = [line for line in text.splitlines() if line.startswith("one call")]
    assert [line.split()[2] for line in shown] == ["5.0", "4.0"]
    assert text.endswith("... and 3 more groups")


def test_calls_that_did_not_run_are_told():
    assert "deferred  2 calls that did not run" in summed(op("add", 1), op("add", 2)).text()


def test_nothing_happened():
    assert Summary().text().splitlines() == [
        "calls     0 in 0 kernels",
        "moved     0 B",
        "compiled  0 kernels in 0 ms",
    ]


def test_repeated_runs_take_no_more_memory():
    summary = Summary()
    for run in range(1000):
        for event in chain("program.py", first=3 * run):
            summary(event)
    assert len(summary._groups) == 1
    assert summary._waiting == {}


@pytest.mark.parametrize(
    "event", [("launch", 3), ("group", [], "joined", 0, "a read", None)], ids=["event", "group"]
)
def test_unknown_events_are_refused(event):
    with pytest.raises(ValueError, match=r"launch|joined"):
        Summary()(event)


@pytest.fixture
def observed(monkeypatch):
    """Stands in for the trace: the functions that programs call as ``observe`` and ``flush``."""
    observers = []
    monkeypatch.setattr(fusion, "observe", observers.append, raising=False)
    monkeypatch.setattr(fusion, "flush", lambda: None, raising=False)
    return observers


def write(tmp_path, text):
    path = tmp_path / "traced.py"
    path.write_text(text)
    return str(path)


def test_command_runs_the_program_with_its_arguments(observed, tmp_path, capsys):
    (tmp_path / "neighbour.py").write_text("answer = 42\n")
    path = write(
        tmp_path, "import sys, neighbour\nprint(__name__, sys.argv[1:], neighbour.answer, sys.argv[0])\n"
    )
    before = sys.argv, sys.path[:]
    assert command.main(["trace", path, "--size", "3"]) == 0
    sys.modules.pop("neighbour")
    printed = capsys.readouterr()
    assert printed.out == f"__main__ ['--size', '3'] 42 {path}\n"
    assert printed.err.startswith("calls     0 in 0 kernels")
    assert (sys.argv, sys.path) == before
    # The observer is removed in the end.
    assert [type(observer) for observer in observed] == [Summary, type(None)]


@pytest.mark.parametrize(
    ("text", "error"), [("raise SystemExit(3)\n", SystemExit), ("1 / 0\n", ZeroDivisionError)]
)
def test_command_reports_programs_that_fail(observed, tmp_path, capsys, text, error):
    with pytest.raises(error):
        command.main(["trace", write(tmp_path, text)])
    assert "calls     0 in 0 kernels" in capsys.readouterr().err
    assert observed[-1] is None


def test_command_names_a_missing_program(observed, capsys):
    assert command.main(["trace", "nosuch.py"]) == 2
    assert "nosuch.py" in capsys.readouterr().err
    assert observed == []
