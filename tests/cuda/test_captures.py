"""Captures on the stand-in driver that fail, are refused, or extend to other streams."""

import pytest
from captures import content

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]


def capture(block, *calls):
    """Make calls in a block of `gpunp.cuda.graph`."""
    with block:
        for call in calls:
            call()


def calls_that_wait():
    import numpy as np

    import gpunp
    from gpunp import cuda

    array = gpunp.asarray(np.arange(3), device="cuda:0")
    event = cuda.Event()
    return {
        "copy": array.tolist,
        "item": lambda: array.data.copy_to(bytearray(8)),
        "device": lambda: gpunp.Device("cuda", 0).synchronize(),
        "stream": lambda: cuda.get_current_stream().synchronize(),
        "done": lambda: cuda.get_current_stream().done,
        "event": lambda: cuda.get_current_stream().record().synchronize(),
        "event done": lambda: cuda.get_current_stream().record().done,
        "outside": lambda: cuda.get_current_stream().wait_event(event.record(cuda.Stream.null)),
        "peer": lambda: array.to_device("cuda:1"),
        "async": lambda: cuda.malloc_async(100),
        "trim": lambda: cuda.get_default_memory_pool().free_all_blocks(),
    }


@pytest.mark.parametrize(
    "name",
    ["copy", "device", "stream", "done", "event", "event done", "outside", "peer", "async", "trim"],
)
def test_what_cannot_be_captured(cuda_device, fill, fake, name):
    from gpunp import cuda

    a = cuda.alloc(8)
    wait = calls_that_wait()[name]
    stream = cuda.Stream(non_blocking=True)
    block = cuda.graph(stream)
    with pytest.raises(RuntimeError, match=r"captured|the graph"):
        capture(block, lambda: fill(a, 1), wait)
    graph = block._graph
    with pytest.raises(RuntimeError, match="has not been captured"):
        graph.launch()
    assert repr(graph) == "<Graph that has not been captured>"
    # The streams are usable, and so is the next capture.
    assert cuda.get_current_stream() == cuda.Stream.null
    with cuda.graph(stream) as graph:
        fill(a, 2)
    graph.launch()
    assert content(a) == b"\2" * 8
    with stream:
        fill(a, 3)
        stream.synchronize()
        assert content(a) == b"\3" * 8
    wait()


def test_refused_calls_do_not_spoil_a_capture(cuda_device, fill):
    from gpunp import cuda

    a = cuda.alloc(8)
    with cuda.graph() as graph:
        fill(a, 4)
        with pytest.raises(RuntimeError, match="waits for the device"):
            cuda_device.synchronize()
    graph.launch()
    assert content(a) == b"\4" * 8


def test_a_capture_that_the_driver_ends(cuda_device, fill, fake):
    import ctypes

    from gpunp import cuda

    a = cuda.alloc(8)
    stream = cuda.Stream(non_blocking=True)
    with pytest.raises(RuntimeError, match=r"there is no graph of .* made meanwhile"):
        capture(
            cuda.graph(stream),
            lambda: fill(a, 1),
            lambda: fake.cuStreamSynchronize(ctypes.c_void_p(stream.ptr)),
        )
    with stream:
        fill(a, 5)
    stream.synchronize()
    assert content(a) == b"\5" * 8


def test_exceptions_of_the_block_are_raised(cuda_device, fill):
    from gpunp import cuda

    with pytest.raises(ZeroDivisionError):
        capture(cuda.graph(), lambda: 1 / 0)
    assert cuda.get_current_stream() == cuda.Stream.null
    stream = cuda.Stream()
    with pytest.raises(RuntimeError, match="captured already"), cuda.graph(stream):
        stream.begin_capture()
    with pytest.raises(ValueError, match="mode"):
        stream.begin_capture(3)


def test_other_streams_join(cuda_device, fill):
    from gpunp import cuda

    a, b = cuda.alloc(8), cuda.alloc(8)
    side = cuda.Stream(non_blocking=True)
    with cuda.graph() as graph:
        main = cuda.get_current_stream()
        fill(a, 1)
        side.wait_stream(main)
        with side:
            assert side.is_capturing()
            buffer = cuda.alloc(8)
            fill(buffer, 9)
            b.copy_from_device(buffer, 8)
            del buffer
        with pytest.raises(RuntimeError, match="end it there"):
            side.end_capture()
        main.wait_stream(side)
    assert not side.is_capturing()
    graph.launch()
    assert content(b) == b"\x09" * 8

    def fork():
        side.wait_stream(cuda.get_current_stream())
        with side:
            fill(a, 1)

    with pytest.raises(RuntimeError, match="let this one wait"):
        capture(cuda.graph(), fork)
    assert not side.is_capturing()
    side.synchronize()


def test_captures_exclude_each_other(cuda_device):
    from gpunp import cuda

    first, second = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    first.begin_capture()
    second.begin_capture()
    with pytest.raises(RuntimeError, match="different captures"):
        first.wait_stream(second)
    first.end_capture()
    second.end_capture()


def test_what_captures_need_is_made_before(cuda_device):
    from gpunp import cuda, device

    def tell(target):
        found.append((target, stream.is_capturing()))

    stream, found = cuda.Stream(non_blocking=True), []
    device.preparations.append(tell)
    try:
        stream.begin_capture()
        stream.end_capture()
    finally:
        device.preparations.remove(tell)
    assert found == [(cuda_device, False)]
