"""What observers are told, and what the report counts."""

import re
import threading

import numpy as np
import pytest
from waiting import PATIENCE

import gpunp
from gpunp import fusion
from gpunp.fusion import worker
from gpunp.fusion.summary import Summary

LARGE = 1 << 16


@pytest.fixture(autouse=True)
def usual():
    """Operations on large arrays are deferred, as in programs."""
    before, least = gpunp.config.fusion, fusion.set_least_elements(LARGE)
    gpunp.config.fusion = "on"
    fusion.reset_report()
    yield
    fusion.observe(None)
    gpunp.config.fusion = before
    fusion.set_least_elements(least)


@pytest.fixture
def x():
    return gpunp.asarray(np.arange(float(LARGE)))


@pytest.fixture
def events():
    found = []
    fusion.observe(found.append)
    return found


def groups(events, deferred=True):
    """Names of operations, kind and reason of each group; of those that were deferred, or not."""
    names = [event[1] for event in events if event[0] == "op"]
    return [
        ([names[number] for number in event[1]], event[2], event[4])
        for event in events
        if event[0] == "group" and deferred != event[4].startswith("not deferred")
    ]


def test_lines_and_bytes_of_operations(x, events):
    y = np.sqrt(x * 2, where=x > 1, out=x)
    fusion.flush()
    compared, doubled, root = (event for event in events if event[0] == "op")
    line = test_lines_and_bytes_of_operations.__code__.co_firstlineno + 1
    compared, doubled = sorted((compared, doubled))[::-1] if compared[1] == "greater" else (doubled, compared)
    assert {compared[1], doubled[1]} == {"greater", "multiply"}
    assert root == ("op", "sqrt", (LARGE,), ("float64", "float64"), 17 * LARGE, __file__, line)
    assert y is x


def test_a_group_and_its_kernel(x, events, device):
    for _ in range(3):
        y = x * 2 + 1
        float(y[0])
        assert worker.wait(PATIENCE)
    done = [event for event in events if event[0] == "group" and len(event[1]) == 2]
    assert [names for names, _, _ in groups(events)] == [["multiply", "add"]] * 3
    assert {event[4] for event in done} == {"a read of a value"}
    # The product is neither written nor read.
    assert done[-1][2:4] == ("fused", 2 * 8 * LARGE)
    assert done[-1][5].startswith("blocks" if device.is_cpu else "chain_")


def test_a_reduction_computes_its_elements(x, events, device):
    if device.is_cpu:
        pytest.skip("the CPU device stores the elements")
    # The first round may only import what reductions need, two more ask for the kernel.
    for _ in range(4):
        assert float(np.sum(x * 2 + 1)) == LARGE * LARGE
        assert worker.wait(PATIENCE)
    assert worker.failures() == []
    names, kind, reason = groups(events)[-1]
    assert (names[:2], len(names), kind, reason) == (["multiply", "add"], 3, "fused", "another kernel")
    assert re.search(r"[1-4] reductions? of deferred calls", fusion.report())


def ends(x):
    """Programs, and the group that they make first."""
    yield "a read of a value", lambda: float((x + 1)[3])
    yield "a read of a value", lambda: gpunp.asnumpy(x + 1)
    yield "another kernel", lambda: np.sort(x + 1)
    yield "a synchronization", lambda: (x + 1, x.device.synchronize())
    yield "a request", lambda: (x + 1, fusion.flush())
    yield "the next round of a loop", lambda: [x + 1 for _ in range(2)]
    yield "memory that is handed out", lambda: (x + 1).__dlpack__()


NAMES = [
    "item",
    "asnumpy",
    "sort",
    "synchronize",
    "flush",
    "loop",
    "export",
]


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_what_ends_a_chain(x, events, number):
    reason, program = list(ends(x))[number]
    kept = program()
    fusion.flush()
    assert groups(events)[0] == (["add"], "single", reason)
    del kept


def test_what_ends_a_group(x, events):
    x = np.concatenate([x, x])
    shape = x[:-1] * 2
    other = x * 3
    # Written where the operation before reads other elements of it.
    x[1:] += x[:-1]
    kept = [x.copy()]
    fusion.flush()
    found = groups(events)
    assert found[0] == (["multiply"], "single", "another shape")
    start = y = x + 0
    for _ in range(70):
        y = np.negative(y)
    fusion.flush()
    assert "too many operations" in [reason for _, _, reason in groups(events)]
    # Numbers are operands, too.
    start = y = x + 0
    for number in range(70):
        y = y + number
    fusion.flush()
    assert "too many operands" in [reason for _, _, reason in groups(events)]
    events.clear()
    fusion.observe(events.append)
    x[:-1] *= 2
    x[1:] = np.negative(x[:-1])
    fusion.flush()
    assert "overlapping memory" in [reason for _, _, reason in groups(events)]
    del shape, other, start, kept


def test_what_nothing_needs(x, events):
    y = x + 1
    del y
    fusion.flush()
    assert groups(events) == [(["add"], "dropped", "a request")]
    assert events[-1][3] == 16 * LARGE


def test_what_is_not_deferred(x, events):
    x[:4] + 1
    np.divmod(x, 2)
    integers = x.astype("i4")
    integers ** integers[:1]
    with gpunp.config.using(fusion="off"):
        x + 1
    x.data_address  # noqa: B018 - others may know it from now on
    x + 1
    reasons = [(names, reason) for names, kind, reason in groups(events, deferred=False)]
    assert reasons == [
        (["add"], "not deferred: a small array"),
        (["divmod"], "not deferred: several results"),
        (["power"], "not deferred: it may report an error"),
        (["add"], "not deferred: fusion is off"),
        (["add"], "not deferred: memory that others know"),
    ]


def test_fusion_is_off(x, events):
    gpunp.config.fusion = "off"
    x + 1
    assert groups(events, deferred=False) == [(["add"], "single", "not deferred: fusion is off")]
    assert groups(events) == []


def test_observers_are_replaced(x):
    first, second = [], []
    assert fusion.observe(first.append) is None
    y = x + 1
    # What is deferred belongs to the observer at that time.
    before = fusion.observe(second.append)
    assert len(first) == 2
    assert before.__self__ is first
    z = x + 2
    fusion.observe(None)
    assert groups(second) == [(["add"], "single", "a request")]
    assert len(first) == 2
    w = x + 3
    fusion.flush()
    assert (len(first), len(second)) == (2, 2)
    del y, z, w


def test_observers_that_fail(x, capsys):
    def observe(event):
        raise ValueError("observer")

    seen = []
    import sys

    before, sys.unraisablehook = sys.unraisablehook, lambda error: seen.append(error.exc_type)
    try:
        fusion.observe(observe)
        assert float((x + 1)[3]) == 4
        fusion.observe(None)
    finally:
        sys.unraisablehook = before
    assert set(seen) == {ValueError}


def test_observers_are_functions():
    with pytest.raises(TypeError, match="observe: a callable or None is needed, not int"):
        fusion.observe(3)


def test_threads_are_observed(x):
    summary = Summary()
    fusion.observe(summary)

    def program():
        for _ in range(30):
            assert float((x * 2 + 1)[1]) == 3

    threads = [threading.Thread(target=program) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fusion.observe(None)
    assert summary.text().startswith("calls     ")
    assert "did not run" not in summary.text()


def test_the_report_counts(x):
    for _ in range(3):
        y = x * 2 + 1
        float(y[0])
        assert worker.wait(PATIENCE)
    z = x + 1
    del z
    lines = fusion.report().splitlines()
    assert lines[0].startswith("calls    7 deferred: ")
    assert lines[0].endswith(" 1 not needed")
    assert "saved" in lines[1]
    fusion.reset_report()
    assert fusion.report().splitlines()[0] == (
        "calls    0 deferred: 0 fused in 0 kernels, 0 one by one, 0 not needed"
    )


def test_the_report_counts_what_was_moved(x, device):
    if not device.is_cpu:
        pytest.skip("a GPU runs calls one by one until there is a kernel")
    y = x * 2 + 1
    float(y[0])
    del y
    assert fusion.report().splitlines()[:2] == [
        "calls    2 deferred: 2 fused in 1 kernel, 0 one by one, 0 not needed",
        "moved    1.0 MiB, 50% of 2.0 MiB saved",
    ]


def test_the_report_has_failures():
    class Entry:
        ready = False

        def __str__(self):
            return "add on cpu"

    worker.fail(Entry(), RuntimeError("no compiler\nlong"))
    lines = fusion.report().splitlines()
    assert lines[-2:] == [
        "kernels  0 compiled in 0 ms, 0 loaded from disk, 1 failed",
        "  add on cpu: RuntimeError: no compiler",
    ]


def test_pending_bytes(x, device):
    # Looked up before: what is deferred runs after 2 ms.
    pool = None if device.is_cpu else gpunp.get_default_memory_pool()
    fusion.flush()
    assert device.pending_bytes == 0
    y = x * 2
    y += 1
    z = y + x
    assert device.pending_bytes == 16 * LARGE
    if pool is not None:
        assert pool.pending_bytes() == pool.statistics()["pending_bytes"] == 16 * LARGE
    # The memory exists already.
    x += 1
    assert device.pending_bytes == 16 * LARGE
    fusion.flush()
    assert device.pending_bytes == 0
    del z
