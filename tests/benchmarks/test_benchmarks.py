"""Tests of the benchmark program: every row runs with tiny arrays, and the documents can be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpunp

FOLDER = Path(__file__).parent
# Rows that the CPU device leaves out.
NEED_A_GPU = {
    "allocate_async",
    "allocate_async_pool",
    "allocate_managed",
    "allocate_pool",
    "allocate_rmm",
    "allocate_torch",
    "arrays_async",
    "arrays_async_pool",
    "arrays_managed",
    "arrays_pool",
    "arrays_rmm",
    "arrays_torch",
    "call_python_kernel",
    "call_raw_kernel",
    "event_record",
    "event_wait",
    "first_raw_kernel",
    "first_raw_kernel_cached",
    "fusion_black_scholes_float32",
    "fusion_black_scholes_float64",
    "graph_replay",
    "graph_replay_bare",
    "host_function",
    "host_function_wait",
    "sample_fetch",
    "sample_fetch_turned",
    "sample_gather",
    "sample_gather_turned",
    "step_eager",
    "step_graph",
    "stream_switch",
    "using_allocator",
}


def benchmarks(*words, **options):
    return subprocess.run([sys.executable, str(FOLDER), *words], capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def results(pytestconfig, tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmarks") / "results.json"
    device, _, index = pytestconfig.getoption("--device").partition(":")
    # The programs measure the first device that they see.
    environment = os.environ | ({"CUDA_VISIBLE_DEVICES": index} if index else {})
    done = benchmarks("--quick", "--gpu-rows", "--device", device, "--json", str(path), env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text())


def test_every_row_gives_a_time(results):
    listed = benchmarks("--list", "--gpu-rows").stdout.split()
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
    (tmp_path / "docs" / "performance.md").write_text(f"old{report.OTHERS}kept\n")
    (tmp_path / "README.md").write_text(f"before\n{report.START}\nold\n{report.END}\nafter\n")
    report.write(results)
    page = (tmp_path / "docs" / "performance.md").read_text()
    readme = (tmp_path / "README.md").read_text()
    assert page.endswith(f"{report.OTHERS}kept\n")
    assert not page.startswith("old")
    assert {row.name for row in ROWS if row.needs_gpu} == NEED_A_GPU
    for row in ROWS:
        assert (f"| {row.title} |" in page) == (row.name in results["rows"])
        assert (f"| {row.title} |" in readme) == (row.name in report.HEADLINES)
    assert readme.startswith("before\n")
    assert readme.endswith("after\n")
    assert "old" not in readme


@pytest.mark.parametrize("options", [(), ("--gpu-rows",)])
def test_unknown_row_is_refused(options):
    done = benchmarks("nosuch", "--quick", "--device", "cpu", *options)
    assert done.returncode == 2
    assert "nosuch" in done.stderr


def test_gpunp_alone(tmp_path):
    path = tmp_path / "alone.json"
    done = benchmarks("add", "--quick", "--gpu-rows", "--alone", "--device", "cpu", "--json", str(path))
    assert done.returncode == 0, done.stderr
    found = json.loads(path.read_text())
    assert list(found["versions"]) == ["gpunp"]
    assert set(found["rows"]["add"]) == {"moved", "gpunp"}
    page = tmp_path / "page.md"
    done = benchmarks("--render", str(path), "--page", str(page))
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert text.startswith("# Performance on one CPU device\n")
    assert "rows were not measured in this run" in text
    assert text.count("| `np.add(a, b, out=c)` |") == 1


def test_numpy_programs_are_scaled(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import variants
    from rows import QUICK, Row, Speed

    seen = []

    def build(lib, size, compiled):
        assert lib.name == "NumPy"
        seen.append(size.elements)
        return compiled(lambda: None)

    row = Row("nothing", "nothing", "chapter", Speed(2, "CuPy"), "program", build)
    monkeypatch.setattr(variants, "NUMPY_SECONDS", 0)
    # The first and smallest size takes long enough.
    found = variants.numpy_figures(row, QUICK)
    assert seen == [QUICK.elements >> 10]
    assert found["steady"] > 0
    monkeypatch.setattr(variants, "NUMPY_SECONDS", 3600)
    variants.numpy_figures(row, QUICK)
    assert seen[-1] == QUICK.elements


@pytest.mark.parametrize(
    ("times", "verdict"),
    [
        ({"CuPy": 4.0}, ("2x CuPy", "3x", False)),
        ({"CuPy": 8.0}, ("4x CuPy", "3x", True)),
        ({"CuPy": "OutOfMemoryError: 2 GiB"}, ("no time of CuPy", "3x", False)),
        ({}, ("no time of CuPy", "3x", False)),
    ],
)
def test_speed_is_compared_with_another_library(monkeypatch, times, verdict):
    monkeypatch.syspath_prepend(str(FOLDER))
    from rows import Speed

    assert Speed(3, "CuPy").verdict(2.0, None, times) == verdict


def test_failed_variants_are_told(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import report
    from rows import Row, Speed

    row = Row("some", "some", "chapter", Speed(2, "CuPy"), "program", None)
    found = {"first": 0.5, "steady": 0.25, "wall": 0.3, "peak": 1 << 30}
    details = {"gpunp": found, "gpunp off": "MemoryError: 3 GiB do not fit"}
    results = {"ceilings": {"copy": 100.0}, "rows": {"some": {"moved": 5, "details": details}}}
    assert list(report.detail_lines([row], results)) == [
        ["some", "gpunp", "500 ms", "250 ms", "300 ms", "1.00 GiB", "20%"],
        ["some", "gpunp off", "failed: MemoryError", "", "", "", ""],
    ]


def test_table_of_the_cpu_device(tmp_path):
    path = tmp_path / "results.json"
    done = benchmarks("--quick", "--device", "cpu", "--repeats", "1", "--json", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads(path.read_text())
    listed = benchmarks("--list", "--device", "cpu").stdout.split()
    assert list(results["rows"]) == listed
    for name, outcome in results["rows"].items():
        assert outcome["NumPy"] > 0, name
        assert outcome["gpunp"] > 0, name
    assert done.stdout.count("geometric mean") == 3


@pytest.fixture(scope="module")
def host_table(pytestconfig):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        import bench_host

        if pytestconfig.getoption("--device") != "cpu":
            pytest.skip("the table is of the CPU device")
        yield bench_host


def test_both_sides_of_the_cpu_devices_table_agree(host_table):
    arrays = host_table.make_arrays(host_table.QUICK_ELEMENTS)
    for row in host_table.HOST_ROWS:
        # Two values, as each library writes into the array of ``out=``.
        host, ours = (side().value(row, arrays) for side in (host_table.NumpyArrays, host_table.GpunpArrays))
        ours = np.asarray(ours.tolist(), host.dtype) if isinstance(ours, gpunp.ndarray) else ours
        assert np.shape(ours) == np.shape(host), row.name
        if row.exact:
            np.testing.assert_array_equal(ours, host, row.name)
        elif "rng" not in row.code:
            np.testing.assert_allclose(ours, host, 1e-4, 1e-4, err_msg=row.name)


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ({"NumPy": 3.0, "gpunp": 2.0}, "1.50x"),
        ({"NumPy": 3.0, "gpunp": "MemoryError: none left"}, "gpunp MemoryError: none left"),
        ({"NumPy": 3.0, "gpunp": 4.0, "PyTorch": "RuntimeError: no"}, "0.75x"),
    ],
)
def test_ratios_to_numpy(host_table, outcome, text):
    assert host_table.ratio_text(outcome) == text


def test_summary_of_the_cpu_devices_table(host_table):
    rows = {"add": {"NumPy": 4.0, "gpunp": 1.0}, "exp": {"NumPy": 1.0, "gpunp": 1.0}}
    assert list(host_table.summary({"rows": rows})) == [("calls on large arrays", 2, 2.0, 1.0)]


def test_sizes(tmp_path, monkeypatch):
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    rows = ["add", "sum", "softmax", "tiny_add"]
    for path in paths:
        done = benchmarks(
            *rows,
            "--sizes",
            "256",
            "1024",
            "--quick",
            "--device",
            "cpu",
            "--repeats",
            "3",
            "--json",
            str(path),
        )
        assert done.returncode == 0, done.stderr
        found = json.loads(path.read_text())
        assert {size: set(measured) for size, measured in found["sizes"].items()} == {
            size: {"add", "sum", "softmax"} for size in ("256", "1024")
        }
        assert all(
            outcome["gpunp"] > 0 and outcome["NumPy"] > 0
            for measured in found["sizes"].values()
            for outcome in measured.values()
        )
    done = benchmarks(*rows, "--device", "cpu", "--sizes", "--render", *map(str, paths))
    assert done.returncode == 0, done.stderr
    assert "1,024 elements (3 rows): geometric mean" in done.stdout
    least = min(json.loads(path.read_text())["sizes"]["256"]["add"]["gpunp"] for path in paths)
    monkeypatch.syspath_prepend(str(FOLDER))
    from rows import format_seconds

    assert format_seconds(least) in done.stdout


def test_sizes_are_powers_of_two():
    assert benchmarks("--sizes", "1000", "--device", "cpu").returncode == 2
