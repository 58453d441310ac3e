"""Tests of the benchmark program: every row runs with tiny arrays, and the documents can be written."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
# Rows that the CPU device leaves out.
NEED_A_GPU = {"call_raw_kernel", "first_raw_kernel", "first_raw_kernel_cached"}


def benchmarks(*words, **options):
    return subprocess.run([sys.executable, str(FOLDER), *words], capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def results(pytestconfig, tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmarks") / "results.json"
    device = pytestconfig.getoption("--device")
    done = benchmarks("--quick", "--device", device, "--json", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text())


def test_every_row_gives_a_time(results):
    listed = benchmarks("--list").stdout.split()
    on_cpu = results["ceilings"]["device"] == "CPU device"
    assert list(results["rows"]) == [name for name in listed if not (on_cpu and name in NEED_A_GPU)]
    assert set(listed) >= NEED_A_GPU
    for name, outcome in results["rows"].items():
        assert outcome["gpunp"] > 0, name


def test_documents_show_every_row(results, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(FOLDER))
    import report
    from rows import CHAPTERS, ROWS

    for chapter in CHAPTERS:
        __import__(f"bench_{chapter}")
    monkeypatch.setattr(report, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(f"before\n{report.START}\nold\n{report.END}\nafter\n")
    report.write(results)
    page = (tmp_path / "docs" / "performance.md").read_text()
    readme = (tmp_path / "README.md").read_text()
    assert {row.name for row in ROWS if row.needs_gpu} == NEED_A_GPU
    for row in ROWS:
        assert (f"| {row.title} |" in page) == (row.name in results["rows"])
        assert (f"| {row.title} |" in readme) == (row.name in report.HEADLINES)
    assert readme.startswith("before\n")
    assert readme.endswith("after\n")
    assert "old" not in readme


def test_unknown_row_is_refused():
    done = benchmarks("nosuch", "--quick", "--device", "cpu")
    assert done.returncode == 2
    assert "nosuch" in done.stderr
