"""Programs whose kernels cannot be compiled, loaded or kept: they run on, and the report says why."""

import numpy as np
import pytest
from gpunp.fusion.folds import compile_rows_on_cpu
from waiting import PATIENCE

import gpunp
from gpunp import fusion
from gpunp.compiler import cache_files
from gpunp.fusion import reduction_source, reductions, row_kernels, row_source, source, worker

pytestmark = pytest.mark.usefixtures("own_cache", "new")


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def chain(x):
    return np.sqrt(x * x + 1) - x


def reduction(x):
    return np.sum((x - 1) ** 2)


# Programs, and whether the CPU device can be made to compile kernels for them.
PROGRAMS = {"softmax": (softmax, True), "chain": (chain, False), "reduction": (reduction, False)}


@pytest.fixture
def new(device):
    """No kernel is known, and the CPU device compiles those that hold rows."""
    row_kernels.forget()
    reductions.forget()
    before, least = compile_rows_on_cpu(True), fusion.set_least_elements(1)
    yield
    fusion.set_least_elements(least)
    compile_rows_on_cpu(before)


def no_compiler(monkeypatch, device):
    if device.is_cpu:
        monkeypatch.setenv("CXX", "/nowhere/g++")
        return
    from gpunp.compiler import nvrtc

    def missing(*args):
        raise RuntimeError("nvrtc is missing: /nowhere/g++")

    monkeypatch.setattr(nvrtc, "Program", missing)


def bad_source(monkeypatch, device):
    for module, name in (
        (source, "group_source"),
        (row_source, "row_source"),
        (reduction_source, "reduction_source"),
    ):
        monkeypatch.setattr(module, name, lambda description: "nonsense")


def bad_code(monkeypatch, device):
    def load(code, device):
        raise RuntimeError("the code is for another device")

    monkeypatch.setattr(gpunp.compiler, "load_module", load, raising=False)


def full_disk(monkeypatch, device):
    def write(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_files, "_write", write)


# What fails, and what the report has of it.
FAULTS = {
    no_compiler: "/nowhere/g++",
    bad_source: "does not compile",
    bad_code: "the code is for another device",
    full_disk: "No space left on device",
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_program_runs_on(name, fault, rng, monkeypatch, device):
    program, compiles_on_cpu = PROGRAMS[name]
    if device.is_cpu and not compiles_on_cpu:
        pytest.skip("the CPU device computes these in blocks, without a compiler")
    x = gpunp.asarray(rng.standard_normal((1100, 256)).astype("f4"))
    with gpunp.config.using(fusion="off"):
        expected = program(x).get().tobytes()
    fusion.reset_report()
    fault(monkeypatch, device)
    for _ in range(5):
        assert program(x).get().tobytes() == expected
        assert worker.wait(PATIENCE)
    assert FAULTS[fault] in fusion.report()
    counts = worker.counts()
    if fault is full_disk:
        # The kernel is used, though no other process will find it.
        assert counts["compiled"] > 0 == counts["failed"]
    else:
        assert counts["compiled"] == 0 < counts["failed"]
