"""What the first calls of a program wait for: few imports, and a background thread that pauses often."""

import subprocess
import sys
import textwrap
import threading
import time

import pytest
from waiting import PATIENCE

from gpunp.fusion import worker


def imported(before, code):
    """The modules that a statement imports in a new process, in which another part ran before."""
    program = "\n".join(
        [
            "import os, sys, numpy as np, gpunp",
            textwrap.dedent(before),
            "present = set(sys.modules)",
            textwrap.dedent(code),
            "print(*sorted(set(sys.modules) - present))",
        ]
    )
    command = [sys.executable, "-P", "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n")[-2].split())


ARRAYS = """
import gpunp.compiler.cache_folder
x = gpunp.asarray(np.ones(1 << 17, np.float32))
small = gpunp.asarray(np.ones(4, np.float32)) + 1
"""
GROUP = """
from gpunp.fusion.steps import Steps, loop_of
x, out = gpunp.asarray(np.ones(16)), gpunp.empty(16)
loop = loop_of("arithmetic_f8", "add_f8f8", (11, 11, 11), 2)
group = Steps([(loop, [Steps.leaf(0), Steps.leaf(0)], "d"), (loop, [0, 0], "d")], [x], [(1, out)])
"""


def test_the_first_deferred_operation_imports_little():
    found = imported(ARRAYS, "y = x + x")
    # On a GPU, a thread may have imported it early.
    found.add("gpunp.custom")
    assert {name for name in found if name.startswith("gpunp.")} == {
        "gpunp.custom",
        "gpunp.custom.plan",
        "gpunp.fusion",
        "gpunp.fusion.block_programs",
        "gpunp.fusion.blocks",
        "gpunp.fusion.checking",
        "gpunp.fusion.description",
        "gpunp.fusion.generated",
        "gpunp.fusion.group_runs",
        "gpunp.fusion.grouping",
        "gpunp.fusion.nodes",
        "gpunp.fusion.observing",
        "gpunp.fusion.reporting",
        "gpunp.fusion.rest",
        "gpunp.fusion.shared_blocks",
        "gpunp.fusion.sites",
        "gpunp.fusion.trace",
        "gpunp.fusion.watch",
    }
    assert not {"typing", "dataclasses", "hashlib", "tempfile", "subprocess"} & found


def test_a_group_seen_first_imports_nothing_if_the_cache_is_empty(own_cache):
    assert imported(GROUP, "assert not group.launch()") == set()
    own_cache.mkdir()
    assert imported(GROUP, "assert not group.launch()") == set()
    # A file that is there before the context would bring modules with the context.
    file = "open(os.path.join(os.environ['GPUNP_CACHE_DIR'], '0' * 40), 'w').close()"
    found = imported(GROUP + file, "assert not group.launch()")
    assert "gpunp.compiler.cache" in found
    assert not {"gpunp.compiler.compiling", "gpunp.compiler.nvrtc", "gpunp.fusion.source"} & found


def test_a_group_seen_first_imports_nothing_without_a_cache(own_cache, monkeypatch):
    own_cache.mkdir()
    (own_cache / ("0" * 40)).write_bytes(b"")
    monkeypatch.setenv("GPUNP_CACHE", "0")
    assert imported(GROUP, "assert not group.launch()") == set()


@pytest.mark.parametrize("for_cuda", [False, True])
def test_modules_are_brought_one_by_one(for_cuda):
    if for_cuda:
        pytest.importorskip("gpunp.cuda.device", reason="gpunp was built without CUDA")
    # What a program that has called reductions of deferred operations on the device has imported.
    found = imported(
        "import gpunp.fusion.reductions, gpunp.fusion.worker as worker"
        + (", gpunp.cuda.device" if for_cuda else ""),
        f"""
        def pause():
            new = set(sys.modules) - known
            known.update(new)
            steps.append(sorted(name for name in new if name.startswith("gpunp")))

        known, steps = set(sys.modules), []
        worker.pause = pause
        worker.bring(for_cuda={for_cuda}, reduces=True)
        assert all(len(step) <= 1 for step in steps), steps
        """,
    )
    assert "gpunp.fusion.reduction_source" in found


BUILD = """
from gpunp.fusion import compiled
from gpunp.fusion.description import Description, Reduced, StepText

step = StepText("arithmetic_f4", "add_f4f4", (64, 64, -1, -1, -1), 10)
group = Description((step,), ((10, 1),), ((10, 1, 0),), (), (1, 1, 1, False, 0))
fold = Reduced((step,), ((10, 1),), (), (), (1, True, True), "rows", "add_f4_f4")
"""


@pytest.mark.parametrize("architecture", [0, 90])
def test_making_kernels_imports_what_was_brought(architecture, own_cache):
    if architecture:
        pytest.importorskip("gpunp.compiler.cuda_module", reason="gpunp was built without CUDA")
        from gpunp.compiler import nvrtc

        try:
            nvrtc.version()
        except RuntimeError as error:
            pytest.skip(str(error))
    found = imported(
        f"""
        from gpunp.fusion import worker
        worker.bring(for_cuda={architecture != 0}, reduces=True)
        """
        + textwrap.dedent(BUILD).replace("\n", "\n        "),
        f"""
        for description in (group, fold, group):
            key = compiled.key_of(description, {architecture})
            compiled.find(key)
            compiled.keep(key, compiled.build(description, {architecture}), description, {architecture})
        """,
    )
    assert {name for name in found if name.startswith(("gpunp", "tempfile", "subprocess", "random"))} == set()
    assert len(list(own_cache.iterdir())) == 2


class Pauses:
    """A request that pauses."""

    requested = failed = ready = False

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()

    def make(self):
        self.begun.set()
        self.go_on.wait(PATIENCE)
        worker.pause()


def pauses_of(monkeypatch, meanwhile):
    """The pauses of the background thread while something else happens."""
    slept = []
    request = Pauses()
    sleep = time.sleep
    monkeypatch.setattr(
        worker, "time", type("time", (), {"sleep": slept.append, "perf_counter": time.perf_counter})
    )
    worker.request(request)
    assert request.begun.wait(PATIENCE)
    meanwhile(request, sleep)
    request.go_on.set()
    assert worker.wait(PATIENCE)
    return slept


def test_the_thread_pauses(monkeypatch):
    def until_done(request, sleep):
        request.go_on.set()
        while worker._state.running is not None:
            sleep(0.001)

    assert pauses_of(monkeypatch, until_done) == [worker._PAUSE]
    # Other threads do not.
    worker.pause()


def test_it_does_not_pause_while_others_wait_for_it(monkeypatch):
    def wait(request, sleep):
        waiting = threading.Thread(target=worker.wait)
        waiting.start()
        while not worker._state.waiting:
            sleep(0.001)

    assert pauses_of(monkeypatch, wait) == []


def test_a_pause_ends_the_thread_at_exit(monkeypatch):
    state = worker._State()
    monkeypatch.setattr(worker, "_state", state)
    state.leaving = True
    worker.pause()
    state.thread = threading.current_thread()
    with pytest.raises(SystemExit):
        worker.pause()
