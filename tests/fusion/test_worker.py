"""The background thread, its failures, and code on disk: a program runs on, whatever happens there."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from gpunp.fusion.steps import Steps
from groups import named, prepare
from waiting import PATIENCE

import gpunp
from gpunp.fusion import compiled, generated, source, worker

leaf, constant = Steps.leaf, Steps.constant

pytestmark = pytest.mark.usefixtures("own_cache")


def group(operation="add", size=16):
    """A group of two operations, and a function that checks what it stored."""
    x, y = (gpunp.asarray(np.arange(1.0, size + 1) + k) for k in range(2))
    out = gpunp.empty(size)
    steps = [(named(operation, "dd"), [leaf(0), leaf(1)], "d"), (named("negative", "d"), [0], "d")]
    return Steps(steps, [x, y], [(1, out)]), lambda: np.testing.assert_array_equal(
        out.get(), -getattr(np, operation)(x.get(), y.get())
    )


def failed(*messages):
    """Whether the failures are those of one group, with these texts, and the group is not tried again."""
    found = worker.failures()
    assert len(found) == 1
    assert "add_f8f8, negative_f8" in found[0][0]
    for text in messages:
        assert text in found[0][1]
    return True


def sight(steps, times):
    """See a group without a kernel."""
    for _ in range(times):
        assert not steps.launch()
    assert worker.wait(PATIENCE)


def test_the_second_sighting_requests_a_kernel():
    steps, check = group()
    sight(steps, 1)
    entry = generated.entries()[0]
    assert (entry.requested, entry.ready, entry.failed) == (False, False, False)
    sight(steps, 1)
    assert (entry.requested, entry.ready, entry.failed) == (True, True, False)
    assert steps.launch()
    check()
    assert str(entry) == f"add_f8f8, negative_f8 on {entry.device}"


def test_no_thread_before_a_request():
    code = """
        import threading
        import gpunp.fusion.generated, gpunp.fusion.worker
        assert threading.active_count() == 1
    """
    subprocess.run([sys.executable, "-P", "-c", textwrap.dedent(code)], check=True)


def test_requests_are_made_once(monkeypatch):
    made, allowed = [], threading.Event()

    def build(description, architecture):
        made.append(description)
        assert allowed.wait(PATIENCE)
        return original(description, architecture)

    original = compiled.build
    monkeypatch.setattr(compiled, "build", build)
    steps, check = group()
    for _ in range(5):
        assert not steps.launch()
    allowed.set()
    assert worker.wait(PATIENCE)
    assert len(made) == 1
    assert steps.launch()
    check()


def test_a_kernel_at_once():
    steps, check = group()
    assert steps.launch(at_once=True, name="mine")
    check()
    (entry,) = generated.entries()
    assert entry.name.startswith("mine_")
    assert (entry.requested, entry.ready, entry.failed) == (True, True, False)
    assert worker.counts()["compiled"] >= 1


def test_at_once_waits_for_the_thread(monkeypatch):
    made, allowed = [], threading.Event()

    def build(description, architecture):
        made.append(description)
        assert allowed.wait(PATIENCE)
        return original(description, architecture)

    original = compiled.build
    monkeypatch.setattr(compiled, "build", build)
    steps, check = group()
    assert not steps.launch()
    assert not steps.launch()
    threading.Timer(0.2, allowed.set).start()
    assert steps.launch(at_once=True)
    check()
    assert len(made) == 1


def test_at_once_without_a_compiler(monkeypatch):
    def build(description, architecture):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(compiled, "build", build)
    steps, _ = group()
    assert not steps.launch(at_once=True)
    assert failed("no compiler")
    assert not steps.launch(at_once=True)
    assert len(worker.failures()) == 1


def test_an_interrupt_is_no_failure(monkeypatch):
    def build(description, architecture):
        raise KeyboardInterrupt

    steps, check = group()
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "build", build)
        with pytest.raises(KeyboardInterrupt):
            steps.launch(at_once=True)
    assert steps.launch(at_once=True)
    check()


def test_another_process_finds_the_code_at_once():
    steps, check = group()
    prepare(steps)
    generated.forget()
    assert steps.launch()
    check()
    assert not generated.entries()[0].requested


def test_without_a_cache(monkeypatch):
    monkeypatch.setenv("GPUNP_CACHE", "0")
    steps, check = group()
    prepare(steps)
    assert steps.launch()
    check()
    generated.forget()
    assert not steps.launch()


@pytest.mark.parametrize("damage", [b"", b"gpunpc02", b"x" * 1000])
def test_damaged_code_is_compiled_again(own_cache, damage):
    steps, check = group()
    prepare(steps)
    (file,) = own_cache.iterdir()
    good = file.read_bytes()
    for content in (damage, good[:-7], good[:200] + b"?" + good[201:]):
        file.write_bytes(content)
        generated.forget()
        sight(steps, 2)
        assert steps.launch()
        check()
        assert file.stat().st_size == len(good)
    assert worker.failures() == []


def test_a_program_of_new_groups_looks_on_disk_in_the_background(own_cache, monkeypatch):
    steps, check = group()
    prepare(steps)
    generated.forget()
    looks = []
    find = compiled.find
    monkeypatch.setattr(compiled, "find", lambda key: looks.append(key) or find(key))
    others = (
        "subtract",
        "multiply",
        "minimum",
        "maximum",
        "fmin",
        "fmax",
        "hypot",
        "copysign",
        "arctan2",
        "power",
    )
    for operation in others:
        assert not group(operation)[0].launch()
    assert len(looks) == 8
    # The group whose code is on disk gets it from the background thread.
    sight(steps, 2)
    assert len(looks) == 9
    assert steps.launch()
    check()
    generated.forget()
    assert steps.launch()


def test_code_that_cannot_be_loaded(monkeypatch):
    # For example code for another processor, whose description is the same.
    monkeypatch.setattr(gpunp.compiler, "load_module", None, raising=False)
    steps, _ = group()
    sight(steps, 3)
    assert failed("TypeError")
    assert not steps.launch()


def test_source_that_does_not_compile(monkeypatch):
    steps, _ = group()
    with monkeypatch.context() as patch:
        patch.setattr(source, "group_source", lambda description: "nonsense")
        sight(steps, 5)
    assert failed("CompileException", "nonsense")
    assert generated.entries()[0].failed
    # Others are not concerned.
    steps, check = group("multiply")
    sight(steps, 2)
    assert steps.launch()
    check()


def test_no_compiler(monkeypatch, device):
    if device.is_cpu:
        monkeypatch.setenv("CXX", "/nowhere/g++")
    else:
        from gpunp.compiler import nvrtc

        def missing(*args):
            raise RuntimeError("nvrtc is missing: /nowhere/g++")

        monkeypatch.setattr(nvrtc, "Program", missing)
    steps, _ = group()
    sight(steps, 5)
    assert failed("RuntimeError", "/nowhere/g++")


@pytest.mark.filterwarnings("error")
def test_full_disk(monkeypatch):
    def write(path, data):
        raise OSError(28, "No space left on device")

    from gpunp.compiler import cache_files

    monkeypatch.setattr(cache_files, "_write", write)
    steps, check = group()
    sight(steps, 2)
    assert failed("No space left on device")
    assert not generated.entries()[0].failed
    assert steps.launch()
    check()


def test_no_more_threads(monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(worker, "_state", worker._State())
    monkeypatch.setattr(threading.Thread, "start", start)
    steps, _ = group()
    sight(steps, 3)
    assert failed("can't start new thread")


def test_many_failures_are_not_kept():
    for number in range(200):
        worker.fail(Entry(), ValueError(number))
    assert len(worker.failures()) == 100
    assert worker.failures()[-1] == ("entry", "ValueError: 199")


class Entry:
    requested = failed = ready = False
    name = "entry"

    def __str__(self):
        return "entry"


def test_the_thread_yields_to_others(monkeypatch):
    # A thread of its own, with the priority that it has in programs.
    monkeypatch.setattr(worker, "_state", worker._State())
    monkeypatch.setattr(worker, "_NICENESS", 10)
    found = []

    class Asks(Entry):
        def make(self):
            found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    worker.request(Asks())
    assert worker.wait(PATIENCE)
    assert found[0] >= os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) + 10 or found == [19]


PROGRAM = """
    import os, sys, time
    sys.path.insert(0, {tests!r})
    import numpy as np
    import gpunp
    from groups import named
    from waiting import PATIENCE
    from gpunp.fusion import generated, worker
    from gpunp.fusion.steps import Steps

    x, out = gpunp.asarray(np.arange(16.0)), gpunp.empty(16)
    steps = [(named("add", "dd"), [Steps.leaf(0), Steps.leaf(0)], "d"), (named("negative", "d"), [0], "d")]
    group = Steps(steps, [x], [(1, out)])
"""


def run(code):
    """Run a program in a process of its own, where warnings are errors."""
    tests = os.path.dirname(os.path.dirname(__file__))
    text = textwrap.dedent(PROGRAM).format(tests=tests) + textwrap.dedent(code)
    command = [sys.executable, "-P", "-W", "error", "-c", text]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def test_exit_while_compiling():
    done = run("assert not group.launch() and not group.launch(); print(worker._state.thread is not None)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_exit_while_a_slow_compiler_runs(tmp_path, monkeypatch, device):
    if not device.is_cpu:
        pytest.skip("NVRTC is canceled, which tests/compiler checks")
    script = tmp_path / "slow-g++"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nsleep 1000\n")
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    # If the exit waited for the compiler, the process would be ended before that.
    done = run(
        f"""
        assert not group.launch() and not group.launch()
        while not os.path.exists({str(tmp_path / "started")!r}):
            time.sleep(0.01)
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_second_process_is_fused_from_its_first_call():
    code = """
        launched = [group.launch(), group.launch(), worker.wait(PATIENCE), group.launch()]
        print(*launched, (out.get() == -2 * x.get()).all())
    """
    assert run(code).stdout == "False False True True True\n"
    assert run(code).stdout == "True True True True True\n"


def test_processes_at_the_same_time(own_cache):
    found = []
    code = "group.launch(); group.launch(); worker.wait(PATIENCE); print(group.launch(), worker.failures())"
    threads = [threading.Thread(target=lambda: found.append(run(code).stdout)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["True []\n"] * 3
    assert len(list(own_cache.iterdir())) == 1


def test_fork(device):
    if not device.is_cpu:
        pytest.skip("the driver of CUDA does not work after a fork")
    code = """
        assert not group.launch() and not group.launch()
        child = os.fork()
        if child == 0:
            # The request of the parent is not done here: the next sighting requests again.
            group.launch()
            os._exit(0 if worker.wait(PATIENCE) and group.launch() and worker.failures() == [] else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert worker.wait(PATIENCE) and group.launch()
        print("done")
    """
    done = run(code)
    assert (done.stdout, done.stderr) == ("done\n", "")
