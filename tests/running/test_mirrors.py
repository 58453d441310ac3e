"""Copies of arrays on the side where they are used again and again: counted, and never out of date."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from waiting import PATIENCE, until

import gpunp
from gpunp.array import host_copies
from gpunp.running import counting, elements, mirrors
from gpunp.running.loops import read_parameters
from gpunp.running.report import Report


@pytest.fixture
def reads(device, watched):
    """A function that reads an element as a program does; arrays are mirrored meanwhile."""
    counting.reset()
    mirrors.start()
    host_copies.keep(mirrors.host_copy)
    space = {counting.MARK: None}
    exec("def read(x, key):\n    return x[key]", space)
    yield space["read"]
    host_copies.keep(None)
    mirrors.stop()


def kept(side="host"):
    return counting.summed(f"kept on the {side}").count


def test_elements_that_are_read_again_and_again(reads):
    x = gpunp.arange(100.0)
    found = [reads(x, i) for i in range(100)]
    assert [float(v) for v in found] == list(range(100))
    assert type(found[0]) is gpunp.ndarray
    assert type(found[-1]) is np.float64
    assert kept() == 1


@pytest.mark.parametrize("key", [3, -2, np.int64(5)])
def test_indices(key, reads):
    x = gpunp.arange(10)
    assert {int(reads(x, key)) for _ in range(40)} == {int(np.arange(10)[key])}
    assert kept() == 1
    with pytest.raises(IndexError):
        reads(x, 10)


def test_elements_of_matrices(reads):
    m = gpunp.arange(12.0).reshape(3, 4).copy()
    for _ in range(40):
        assert float(reads(m, (1, np.int64(2)))) == 6
    assert type(reads(m, (2, 3))) is np.float64
    for key in (1, (1,), (1, slice(2)), (None, 1, 2), (..., 1), (True, 1)):
        assert type(reads(m, key)) is gpunp.ndarray


WRITES = [
    "x[5] = 77.0",
    "x[2:8] = 77.0",
    "x += 1",
    "np.add(x, x, out=x)",
    "x.fill(3)",
    "x.sort()",
    "x[x > 2] = 0",
    "view[5] = 77.0",
    "np.multiply(view, 2, out=view)",
    "np.copyto(x, 9.0)",
    "np.put(x, [5], 4.0)",
    "np.add.at(x, [5], 4.0)",
    "x.set(np.full(40, 6.0))",
]


@pytest.mark.parametrize("statement", WRITES)
def test_every_write_is_seen(statement, reads):
    x = gpunp.arange(40.0)
    view, host = x[:], np.arange(40.0)
    for _ in range(40):
        reads(x, 5)
    assert type(reads(x, 5)) is np.float64
    exec(statement, {"x": x, "view": view, "np": np})
    if "set" in statement:
        host[:] = 6
    else:
        exec(statement, {"x": host, "view": host[:], "np": np})
    for _ in range(3):
        assert float(reads(x, 5)) == host[5]
        assert float(reads(x, 39)) == host[39]
    assert np.array_equal(np.array(gpunp.asnumpy(x)), host)


def test_arrays_that_are_written_between_reads_are_copied_less_and_less(reads):
    x = gpunp.arange(50.0)
    for i in range(2000):
        x[i % 50] = i
        assert float(reads(x, i % 50)) == i
    assert kept() < 10


def test_a_copy_that_has_paid_is_made_again_at_once(reads):
    x = gpunp.arange(50.0)
    for _ in range(60):
        reads(x, 1)
    for i in range(5):
        x[1] = i
        assert [float(reads(x, 1)) for _ in range(40)] == [i] * 40
    assert kept() == 6


def test_deferred_operations_run_before(reads):
    x = np.sqrt(gpunp.arange(40.0) * 4)
    mirrors.expect(x, 1)
    assert type(reads(x, 9)) is np.float64
    assert reads(x, 9) == 6


def test_only_programs_get_numbers(reads):
    x = gpunp.arange(40.0)
    assert {type(x[3]) for _ in range(60)} == {gpunp.ndarray}


def test_a_mirror_keeps_no_memory(reads):
    x = gpunp.arange(1000.0)
    for _ in range(60):
        reads(x, 3)
    assert kept() == 1
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None
    for i in range(60):
        assert float(reads(gpunp.full(1000, float(i)), 3)) == i


def test_copies_for_libraries(reads, device):
    x = gpunp.arange(500.0)
    with gpunp.config.using(host_copies="allow"):
        copies = [np.asarray(x) for _ in range(6)]
        before = device.transfer_counts
        again = np.asarray(x)
        assert device.transfer_counts == before
        assert kept() == 1
        for copy in (*copies, again):
            assert np.array_equal(copy, np.arange(500.0))
            with pytest.raises(ValueError, match="read-only"):
                copy[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            again.flags.writeable = True
        own = np.array(x, copy=True)
        own[0] = 7
        x[1] = 8
        assert np.asarray(x)[:2].tolist() == [0, 8]
        assert np.asarray(x, dtype="i4").dtype == np.int32
    assert again[:2].tolist() == [0, 1]


def test_threads_read_and_write(reads):
    x = gpunp.zeros(200)
    failed = []

    def watch():
        seen = 0.0
        while seen < 50:
            now = float(reads(x, 7))
            if now < seen:
                failed.append((now, seen))
            seen = now

    threads = [threading.Thread(target=watch) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(1, 51):
        for _ in range(20):
            reads(x, 3)
        x[7] = i
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert failed == []


@pytest.fixture
def many_switches():
    """Threads take turns as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_mirror_that_is_being_made_is_not_read(reads, many_switches):
    x = gpunp.arange(400_000.0)
    failed, started = [], threading.Barrier(4)

    def read():
        started.wait()
        try:
            failed.extend(i for i in range(3000) if float(reads(x, i)) != i)
        except Exception as error:
            failed.append(error)

    # The threads that wait do not write: the copy is made while others read.
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert failed == []


def test_a_write_that_is_not_finished_makes_no_mirror(reads):
    values = np.random.default_rng(0).random(1_000_000)
    x = gpunp.asarray(values)
    last = float(values.max())
    for _ in range(5):
        x.set(values)
        thread = threading.Thread(target=x.sort)
        thread.start()
        while thread.is_alive():
            reads(x, -1)
        assert float(reads(x, -1)) == last
        thread.join()


def test_a_thread_that_waits_does_not_keep_mirrors_from_being_made(reads):
    ready = threading.Event()
    thread = threading.Thread(target=ready.wait)
    thread.start()
    try:
        x = gpunp.arange(100.0)
        assert until(lambda: sys._current_frames()[thread.ident].f_code.co_name == "wait")
        for i in range(60):
            assert float(reads(x, i)) == i
        assert kept() == 1
    finally:
        ready.set()
        thread.join()


def test_iteration_while_another_thread_writes(device, watched):
    elements.start()
    try:
        for _ in range(20):
            x = gpunp.zeros(3000)
            written = []

            def write(x=x, written=written):
                for i in range(1, 200):
                    x[2999] = i
                    written.append(i)

            thread = threading.Thread(target=write)
            thread.start()
            turns = iter(x)
            for _ in range(2999):
                next(turns)
            least = written[-1] if written else 0
            assert float(next(turns)) >= least
            thread.join()
            assert float(list(x)[-1]) == 199
    finally:
        elements.stop()


def test_has_bytes():
    x = np.arange(10.0)
    assert mirrors.has_bytes(x, x.tobytes())
    assert mirrors.has_bytes(np.ones((2, 0)), b"")
    assert not mirrors.has_bytes(x, x.tobytes()[8:])
    x[9] = -1
    assert not mirrors.has_bytes(x, np.arange(10.0).tobytes())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(x):\n for i in range(len(x)): s = x[i]", {"x": 1}),
        ("def f(a, *, m):\n for i in range(a.n):\n  for j in range(a.n): s = m[i, j] + m[j, 0]", {"m": 2}),
        ("def f(x):\n for i in range(99): x[i] = x[i - 1]", {}),
        ("def f(x):\n for i in range(3): s = x[i]", {}),
        ("def f(x):\n for i in range(99): s = y[i]", {}),
        ("def f(x):\n for v in x: s = v", {}),
    ],
)
def test_parameters_that_loops_read(source, expected):
    import ast

    assert read_parameters(ast.parse(source).body[0]) == expected


PROGRAM = '''
import numpy as np

def total(values):
    """Adds."""
    s = 0.0
    for i in range(len(values)):
        s += values[i]
    return s

x = np.sqrt(np.arange(60.0))
first = total(x)
x[3] = 100.0
second = total(x)
small = np.arange(8.0)
big = np.ones((40, 8))
for _ in range(5):
    big = big + small
'''


def test_what_is_kept_is_in_the_report(program, device, watched):
    run = program(PROGRAM, threshold=50)
    host = {}
    exec(PROGRAM, host)
    assert type(run["x"]) is gpunp.ndarray
    assert type(run["small"]) is np.ndarray
    assert isinstance(run["first"], np.float64)
    for name in ("first", "second"):
        assert float(run[name]) == pytest.approx(host[name])

    class Recorder:
        seconds, lines = 1.0, {}

    text = Report(Recorder, 50).text()
    assert "kept       1 on the device (64 B), 2 on the host (960 B): arrays used there again" in text
    assert "values[i]" in text


def test_larger_operands_are_kept_later(device):
    from gpunp.running import small_operands

    counting.reset()
    small_operands.start()
    try:
        x, w = gpunp.ones((3, 5000)), np.arange(5000.0)
        before = device.transfer_counts[1]
        for _ in range(10):
            assert float((x * w)[2, 4999]) == 4999
        assert device.transfer_counts[1] - before == 4
        for i in range(40):
            w[0] = i
            assert float((x * w)[1, 0]) == i
        assert kept("device") < 4
        strided = np.arange(10_000.0)[::2]
        for _ in range(6):
            x * strided
        assert kept("device") < 4
    finally:
        small_operands.stop()


def test_what_others_write_is_not_mirrored(reads):
    x = gpunp.arange(40.0)
    exported = x.__dlpack__()
    for i in range(100):
        assert float(reads(x, i % 40)) == i % 40
    assert kept() == 0
    del exported
