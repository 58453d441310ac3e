"""The benchmark for several GPUs runs, the CPU device in their place; the model of scaling is plausible."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "tests" / "benchmarks"
# What needs a GPU, or another library.
MAY_FAIL = {"torch", "peer_copy_1GiB", "dask"}


@pytest.fixture(scope="module")
def model():
    spec = importlib.util.spec_from_file_location("scaling_model", BENCHMARKS / "scaling_model.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_benchmark(model, tmp_path):
    path = tmp_path / "rows.json"
    done = subprocess.run(
        [
            sys.executable,
            str(BENCHMARKS / "several_gpus.py"),
            *("--gpus", "2", "--quick", "--only", "collectives", "--only", "arrays", "--json", str(path)),
            *("--seconds", str(PATIENCE)),
        ],
        env={**os.environ, "GPUNP_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(path.read_text())
    assert {row["name"] for row in found["rows"] if "error" in row} <= MAY_FAIL, done.stderr[-3000:]
    names = {row["name"] for row in found["rows"]}
    assert names >= {"all_reduce_1KiB", "all_gather_64KiB", "send_recv_1KiB", "threads", "small_call"}
    assert names >= {"distributed_sum", "distributed_chain", "distributed_matmul_256"}
    machine = model.of_rows(found["rows"], 2)
    assert machine.call != model.Machine().call
    assert len([*model.checked(found["rows"], machine, 2)]) > 3


def test_model(model):
    machine = model.Machine()
    assert len([*model.table(machine)]) == 2 + len(model.PROGRAMS)
    for name, program in model.PROGRAMS.items():
        times = [program(machine, count) for count in model.COUNTS]
        if not name.startswith("all_reduce"):
            assert times == sorted(times, reverse=True), name
            for count, seconds in zip(model.COUNTS, times, strict=True):
                assert times[0] / seconds <= count * 1.001, (name, count)
    # More bytes take longer, and a second host is felt.
    for collective in (model.all_reduce, model.all_gather, model.all_to_all):
        assert collective(machine, 1, 1 << 30) == 0
        assert collective(machine, 8, 1 << 30) > collective(machine, 8, 1 << 20)
        assert collective(machine, 16, 1 << 30) > collective(machine, 8, 1 << 30)


def test_tables_without_measurements():
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "scaling_model.py")], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "| matmul 32768^2 float32 |" in done.stdout
