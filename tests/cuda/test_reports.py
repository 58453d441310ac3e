"""The status words of threads: an error is raised once, in the thread whose launch caused it."""

import gc
import struct
import sys
import threading

import pytest
from waiting import until

pytestmark = pytest.mark.fake_driver()


@pytest.fixture
def report(cuda_device, units):
    """``report(bits)`` launches a kernel that sets status bits in ``word``, by default the thread's own."""
    if cuda_device is None:
        return None
    import gpunp.sorting.search  # noqa: F401 - registers the meaning of bit 8

    units("status", "set_status nothing")
    kernel = cuda_device.get_kernel("status", "set_status")

    def launch(bits, word=None):
        word = cuda_device.status_address if word is None else word
        cuda_device.launch_kernel(kernel, (1, 1, 1), 1, struct.pack("PI4x", word, bits))
        return word

    return launch


def in_thread(work):
    """Run ``work`` in a new thread; return the exception that it raised, or None."""
    raised = []

    def run():
        try:
            work()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised[0] if raised else None


@pytest.fixture
def unraisable(monkeypatch):
    """The exceptions reported through `sys.unraisablehook`."""
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: told.append(hook.exc_value))
    return told


def test_errors_stay_in_their_thread(cuda_device, report):
    ready, looked = threading.Event(), threading.Event()
    raised = []

    def culprit():
        report(2)
        ready.set()
        looked.wait()
        with pytest.raises(IndexError) as caught:
            cuda_device.synchronize()
        raised.append(caught.value)
        cuda_device.synchronize()

    thread = threading.Thread(target=culprit)
    thread.start()
    ready.wait()
    for _ in range(20):
        report(0)
        cuda_device.synchronize()
    looked.set()
    thread.join()
    assert str(raised[0]) == "launch_kernel: an index was out of bounds for its axis"
    assert "launch_kernel" in raised[0].__notes__[-1]


def count(error):
    """The number of launches that an error reports."""
    return 1 + sum(note.startswith("Reported as well: ") for note in error.__notes__)


def test_errors_are_raised_together(cuda_device, report, fake):
    fake.fake_hold(1)
    for bits in (1, 2, 0, 8, 2):
        report(bits)
    fake.fake_hold(0)
    with pytest.raises(ValueError, match=r"^launch_kernel: integers to negative") as caught:
        cuda_device.synchronize()
    kinds = [note.split(": ")[1] for note in caught.value.__notes__ if note.startswith("Reported as well: ")]
    assert kinds == ["IndexError", "ValueError", "IndexError"]
    cuda_device.synchronize()


def test_an_error_waits_for_what_is_under_way(cuda_device, report, fake):
    report(2)
    fake.fake_hold(1)
    report(8)
    timer = threading.Timer(0.2, fake.fake_hold, (0,))
    timer.start()
    raised = []
    while not raised:
        try:
            report(0)
        except (IndexError, ValueError) as error:
            raised.append(error)
    assert type(raised[0]) is IndexError
    assert count(raised[0]) == 2
    timer.join()
    cuda_device.synchronize()


def test_one_launch_gives_one_error(cuda_device, report, fake):
    word = report(2)
    with pytest.raises(IndexError):
        cuda_device.synchronize()
    # Another block of the same launch reports after the error has been raised.
    report(2, word)
    cuda_device.synchronize()
    report(1 | 2)
    with pytest.raises(ValueError, match="negative integer powers") as caught:
        cuda_device.synchronize()
    assert "index was out of bounds" in caught.value.__notes__[0]
    cuda_device.synchronize()


@pytest.mark.parametrize("streams", [1, 2, 3])
def test_more_launches_than_words(cuda_device, report, streams):
    import gpunp.cuda as cuda

    queues = [cuda.Stream() for _ in range(streams)]
    expected = raised = 0
    for i in range(1000):
        with queues[i % streams]:
            try:
                report(2 if i % 7 == 3 else 0)
                expected += i % 7 == 3
            except IndexError as error:
                raised += count(error)
    try:
        cuda_device.synchronize()
    except IndexError as error:
        raised += count(error)
    assert expected > 100
    assert raised == expected


def test_events_streams_and_downloads_raise(cuda_device, report):
    import gpunp.cuda as cuda

    event = cuda.Event()
    report(2)
    event.record()
    with pytest.raises(IndexError):
        event.synchronize()
    report(2)
    with pytest.raises(IndexError):
        cuda.Stream().synchronize()
    buffer = cuda.get_default_memory_pool().malloc(8)
    report(2)
    with pytest.raises(IndexError):
        buffer.copy_to(bytearray(8))
    cuda_device.synchronize()


def test_words_are_of_the_device(cuda_device, report):
    from gpunp.device import Device

    other = Device("cuda", 1)
    report(2)
    assert until(lambda: cuda_device.stream.done)
    other.synchronize()
    with pytest.raises(IndexError):
        cuda_device.synchronize()


def test_errors_of_ended_threads_are_told(cuda_device, report, fake, unraisable):
    # If a thread ends before its kernel has run, the next wait on the device reports the error.
    fake.fake_hold(1)
    assert in_thread(lambda: report(2)) is None
    assert unraisable == []
    fake.fake_hold(0)
    cuda_device.synchronize()
    assert [str(error) for error in unraisable] == ["launch_kernel: an index was out of bounds for its axis"]
    cuda_device.synchronize()
    assert len(unraisable) == 1

    # If a thread ends after its kernel has run and makes no further call, its end reports the error.
    def work():
        stream = cuda_device.stream
        report(1)
        assert until(lambda: stream.done)

    assert in_thread(work) is None
    assert [type(error) for error in unraisable] == [IndexError, ValueError]


def test_words_of_running_kernels_are_not_used_again(cuda_device, report, fake, unraisable):
    fake.fake_hold(1)
    words = []
    for _ in range(20):
        assert in_thread(lambda: words.append(report(2))) is None
    assert len(set(words)) == 20
    words.append(report(0))
    assert len(set(words)) == 21
    fake.fake_hold(0)
    cuda_device.synchronize()
    assert len(unraisable) == 20


def test_threads_leave_nothing_behind(cuda_device, report, fake, unraisable):
    report(0)
    slabs, events = fake.fake_calls(b"cuMemHostAlloc"), fake.fake_calls(b"cuEventCreate")
    for _ in range(500):
        assert in_thread(lambda: report(0)) is None
    gc.collect()
    assert fake.fake_calls(b"cuMemHostAlloc") - slabs <= 1
    assert fake.fake_calls(b"cuEventCreate") - events <= 200
    assert unraisable == []
