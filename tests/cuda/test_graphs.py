"""Graphs on the stand-in driver: what is captured, what memory lives as long, and what cannot be captured."""

import gc
import struct
import threading

import pytest
from captures import content, lasting_bytes

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]


def test_a_launch_repeats_the_work(cuda_device, fill):
    from gpunp import cuda

    a, b = cuda.alloc(8), cuda.alloc(8)
    fill(a, 1)
    with cuda.graph() as graph:
        b.copy_from_device(a, 8)
        fill(a, 2)
    assert content(a) == b"\1" * 8
    graph.upload()
    graph.launch()
    assert (content(a), content(b)) == (b"\2" * 8, b"\1" * 8)
    fill(a, 5)
    graph.launch(cuda.Stream())
    cuda_device.synchronize()
    assert content(b) == b"\5" * 8
    assert len(graph) == 2
    assert repr(graph) == "<Graph of 2 nodes on cuda:0>"
    assert graph.device is cuda_device
    assert graph.graph
    assert graph.graphExec
    assert graph.debug_dot_str(1).startswith("digraph")


def test_methods_of_streams(cuda_device, fill):
    from gpunp import cuda

    a = cuda.alloc(8)
    stream = cuda.Stream(non_blocking=True)
    assert not stream.is_capturing()
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        assert cuda.get_current_stream() is stream
        fill(a, 3)
        graph = stream.end_capture()
        assert not stream.is_capturing()
        fill(a, 1)
        graph.launch()
    stream.synchronize()
    assert content(a) == b"\3" * 8


@pytest.mark.parametrize("which", ["null", "legacy"])
def test_default_streams_cannot_be_captured(cuda_device, which):
    from gpunp import cuda

    stream = cuda.Stream.null if which == "null" else cuda.ExternalStream(1)
    assert not stream.is_capturing()
    with pytest.raises(RuntimeError, match="legacy default stream cannot be captured"):
        stream.begin_capture()
    with pytest.raises(RuntimeError, match="is not being captured"):
        stream.end_capture()


def test_memory_of_a_graph_lives_as_long(cuda_device, fill, fake):
    from gpunp import cuda

    pool, lasting = cuda.get_default_memory_pool(), lasting_bytes(cuda_device)
    result = None
    with cuda.graph() as graph:
        first = cuda.alloc(1000)
        fill(first, 1)
        address = first.address
        del first
        # In stream order, the same memory.
        second = cuda.alloc(1000)
        assert second.address == address
        fill(second, 2)
        result = cuda.alloc(1000)
        result.copy_from_device(second, 1000)
        del second
    used = pool.used_bytes()
    assert used >= 2048 + lasting
    # Nobody else gets the memory, of which the graph writes.
    others = [cuda.alloc(1000) for _ in range(50)]
    assert address not in [other.address for other in others]
    graph.launch()
    assert content(result) == b"\2" * 1000
    del others, graph
    assert content(result) == b"\2" * 1000
    gc.collect()
    assert pool.used_bytes() >= 1024 + lasting
    del result
    gc.collect()
    assert pool.used_bytes() == lasting
    cuda_device.synchronize()


def test_memory_dropped_in_a_capture_lives_as_long(cuda_device, fill):
    from gpunp import cuda

    pool, lasting = cuda.get_default_memory_pool(), lasting_bytes(cuda_device)
    a, b = cuda.alloc(1000), cuda.alloc(1000)
    large = cuda.alloc(3 << 20)
    fill(a, 7)
    address = a.address
    with cuda.graph() as graph:
        b.copy_from_device(a, 1000)
        fill(large, 1)
        del a, large
    assert pool.used_bytes() == lasting + 2048 + (3 << 20)
    assert cuda.alloc(1000).address != address
    # The stand-in driver aborts if a launch uses freed memory.
    graph.launch()
    assert content(b) == b"\7" * 1000
    del graph
    gc.collect()
    assert pool.used_bytes() == lasting + 1024


def test_graphs_in_graphs(cuda_device, fill):
    from gpunp import cuda

    a = cuda.alloc(8)
    with cuda.graph() as inner:
        buffer = cuda.alloc(8)
        fill(buffer, 6)
        a.copy_from_device(buffer, 8)
        del buffer
    with cuda.graph() as outer:
        inner.launch()
        del inner
    gc.collect()
    outer.launch()
    assert content(a) == b"\6" * 8


def test_uploads_are_constants(cuda_device):
    import numpy as np

    import gpunp
    from gpunp import cuda

    a = cuda.alloc(800)
    host = np.arange(100.0)
    with cuda_device, cuda.graph() as graph:
        a.copy_from(host)
        array = gpunp.asarray(np.arange(50))
        large = gpunp.asarray(np.ones(200_000))
    host[:] = 0
    graph.launch()
    assert np.frombuffer(content(a)).tolist() == list(range(100))
    assert array.tolist() == list(range(50))
    assert large.tolist() == [1.0] * 200_000


def test_errors_in_the_data_are_raised_after_a_launch(cuda_device, fill):
    from gpunp import cuda

    kernel = cuda_device.get_kernel("memory", "set_status")

    def report():
        cuda_device.launch_kernel(kernel, (1, 1, 1), 32, struct.pack("PI4x", cuda_device.status_address, 1))

    with cuda.graph() as graph:
        report()
    cuda_device.synchronize()
    for _ in range(2):
        graph.launch()
        with pytest.raises(ValueError, match="launch_kernel: integers to negative"):
            cuda_device.synchronize()
        cuda_device.synchronize()
    # Only the thread that launched it gets the error.
    thread = threading.Thread(target=graph.launch)
    thread.start()
    thread.join()
    cuda_device.synchronize()


def test_values_of_graphs_are_read_anew(cuda_device, fill):
    import numpy as np

    import gpunp
    from gpunp import cuda

    with cuda.graph() as graph:
        # Without dimensions, like the result of a reduction.
        scalar = gpunp.empty(1, np.uint8)[0]
        fill(scalar.data, 1)
    graph.launch()
    assert int(scalar) == 1
    scalar.data.memset(5, 1)
    assert int(scalar) == 5


def test_streams_of_other_devices(cuda_device, fill):
    from gpunp import cuda

    a = cuda.alloc(8)
    with cuda.graph() as graph:
        fill(a, 1)
    with pytest.raises(ValueError, match="the stream is on cuda:1 and the graph on cuda:0"):
        graph.launch(cuda.Stream(device=1))
    with pytest.raises(TypeError, match="handle"):
        graph.launch("stream")


def test_host_functions(cuda_device, fill):
    from gpunp import cuda

    calls = []
    stream = cuda.Stream(non_blocking=True)
    stream.launch_host_func(calls.append, 1)
    stream.add_callback(lambda *args: calls.append(args), "x")
    stream.synchronize()
    assert calls == [1, (stream, 0, "x")]
    with cuda.graph(stream) as graph:
        stream.launch_host_func(calls.append, 2)
    graph.launch(stream)
    graph.launch(stream)
    stream.synchronize()
    assert calls[2:] == [2, 2]
    for method in (stream.launch_host_func, stream.add_callback):
        with pytest.raises(TypeError, match="callable"):
            method(3)


def test_exceptions_of_host_functions_are_printed(cuda_device, capsys):
    from gpunp import cuda

    seen = []
    import sys

    sys.unraisablehook = lambda what: seen.append(what.exc_type)
    stream = cuda.Stream()
    stream.launch_host_func(lambda _: 1 / 0)
    stream.synchronize()
    sys.unraisablehook = sys.__unraisablehook__
    assert seen == [ZeroDivisionError]


def test_the_device_of_the_stream_is_current(cuda_device):
    import gpunp
    from gpunp import cuda

    stream = cuda.Stream(device=1, non_blocking=True)
    with cuda.graph(stream) as graph:
        assert gpunp.get_device().id == 1
        assert cuda.get_current_stream() is stream
    assert gpunp.get_device() is cuda_device
    assert graph.device.id == 1


def test_streams_of_other_devices_cannot_join(cuda_device):
    from gpunp import cuda

    other = cuda.Stream(device=1)
    with cuda.graph() as graph, pytest.raises(RuntimeError, match="capture a graph on each device"):
        other.wait_event(cuda.get_current_stream(0).record())
    graph.launch()
    assert not other.is_capturing()


def test_memory_runs_out_in_a_capture(cuda_device, fill, fake):
    from gpunp import cuda

    fake.fake_set_memory(64 << 20)
    a = cuda.alloc(8)
    stream = cuda.Stream(non_blocking=True)
    with stream:
        # The stream keeps the block, which must not be freed while it is being captured.
        cuda.alloc(1000)
    with cuda.graph(stream) as graph:
        fill(a, 1)
        with pytest.raises(MemoryError):
            cuda.alloc(100 << 20)
    graph.launch()
    assert content(a) == b"\1" * 8
