"""Streams, events and the current stream of each thread."""

import functools
import gc

import pytest
from threads import run_together

pytestmark = pytest.mark.fake_driver()


def test_default_is_the_legacy_stream(cuda_device):
    import gpunp.cuda

    stream = gpunp.cuda.get_current_stream(cuda_device)
    assert stream.ptr == 0
    assert stream == gpunp.cuda.Stream.legacy_default()
    assert stream.__cuda_stream__() == (0, 0)
    assert gpunp.cuda.Stream.per_thread_default().ptr == 2


def test_context_manager_nests(cuda_device):
    import gpunp.cuda as cuda

    first, second = cuda.Stream(), cuda.Stream(non_blocking=True, priority=-1)
    with first:
        assert cuda.get_current_stream() is first
        with second:
            assert cuda.get_current_stream() is second
            with first:
                assert cuda.get_current_stream() is first
            assert cuda.get_current_stream() is second
        assert cuda.get_current_stream() is first
    assert cuda.get_current_stream().ptr == 0
    assert second.use() is second
    assert cuda.get_current_stream() is second
    assert cuda.Stream.priority_range() == (0, -5)


def test_current_stream_is_of_the_device(cuda_device):
    import gpunp.cuda as cuda

    other = cuda.Stream(device=1)
    with other:
        assert cuda.get_current_stream(0).ptr == 0
        assert cuda.get_current_stream(1) is other
    assert other.device_index == 1
    assert str(other.device) == "cuda:1"


def test_current_stream_is_of_the_thread(cuda_device):
    import gpunp.cuda as cuda

    seen = {}
    stream = cuda.Stream().use()

    def work(number):
        seen[number, "before"] = cuda.get_current_stream(0).ptr
        mine = cuda.Stream().use()
        seen[number, "after"] = cuda.get_current_stream(0) is mine

    run_together(*(functools.partial(work, i) for i in range(8)))
    assert all(seen[i, "before"] == 0 and seen[i, "after"] for i in range(8))
    assert cuda.get_current_stream(0) is stream


def test_streams_are_destroyed_when_nothing_uses_them(cuda_device, fake):
    import gpunp.cuda as cuda

    pool = cuda.get_default_memory_pool()
    stream = cuda.Stream()
    with stream:
        small, large = pool.malloc(1000), pool.malloc(4 << 20)
    del stream
    gc.collect()
    # The stream is kept, because the buffers are freed on it.
    assert fake.fake_calls(b"cuStreamDestroy") == 0
    del small, large
    gc.collect()
    assert fake.fake_calls(b"cuStreamDestroy") == 1
    cuda_device.synchronize()
    assert fake.fake_living_blocks() == 0
    assert pool.used_bytes() == pool.cached_bytes() == 0


def test_events(cuda_device, fake):
    import gpunp.cuda as cuda

    stream = cuda.Stream()
    fake.fake_hold(1)
    event = stream.record()
    assert not event.done
    assert not stream.done
    fake.fake_hold(0)
    event.synchronize()
    assert event.done
    start, end = cuda.Event(timing=True).record(stream), cuda.Event(timing=True).record(stream)
    end.synchronize()
    assert cuda.elapsed_time(start, end) >= 0
    with pytest.raises(ValueError, match="disable_timing"):
        cuda.elapsed_time(event, end)
    other = cuda.Stream()
    other.wait_event(event)
    other.wait_stream(stream)
    assert fake.fake_calls(b"cuStreamWaitEvent") == 2


def test_external_streams(cuda_device):
    import gpunp.cuda as cuda

    owned = cuda.Stream()

    class Foreign:
        def __cuda_stream__(self):
            return 0, owned.ptr

    foreign = cuda.ExternalStream(Foreign())
    assert foreign == owned
    assert hash(foreign) == hash(owned)
    assert cuda.ExternalStream(owned.ptr) == owned
    with foreign:
        assert cuda.get_current_stream() is foreign
        cuda_device.synchronize()
    with pytest.raises(TypeError, match="__cuda_stream__"):
        cuda.ExternalStream("stream")


def test_external_streams_are_not_destroyed(cuda_device, fake):
    import gpunp.cuda as cuda

    owned = cuda.Stream()
    with cuda.ExternalStream(owned.ptr):
        pass
    gc.collect()
    assert fake.fake_calls(b"cuStreamDestroy") == 0
    owned.synchronize()


def test_a_device_waits_for_all_streams(cuda_device, fake):
    from gpunp import cuda

    cuda_device.use()
    called = []
    streams = [cuda.Stream(non_blocking=True) for _ in range(3)]
    for turn in range(20):
        for stream in streams:
            stream.launch_host_func(called.append, turn)
        cuda_device.synchronize()
        assert len(called) == 3 * (turn + 1)
    # Where a graph is captured, only the current stream can be waited for.
    stream = cuda.Stream()
    stream.begin_capture()
    cuda_device.synchronize()
    assert len(stream.end_capture()) == 0
