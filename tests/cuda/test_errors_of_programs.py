"""Functions of the program that raise, and arguments that are none: clear errors, and nothing is lost."""

import gc
import io
import sys

import numpy as np
import pytest

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]


@pytest.fixture
def printed(monkeypatch):
    """The exceptions that nobody could catch."""
    found = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: found.append(what.exc_type))
    return found


def used_by(device):
    from gpunp import cuda

    gc.collect()
    return cuda.get_default_memory_pool(device).used_bytes()


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, KeyboardInterrupt, MemoryError])
def test_functions_that_streams_call(cuda_device, printed, error):
    """Nothing that a function raises ends the process or the stream."""
    from gpunp import cuda

    def fail(*args):
        raise error

    stream, called = cuda.Stream(non_blocking=True), []
    stream.launch_host_func(fail)
    stream.add_callback(fail)
    stream.launch_host_func(called.append, 1)
    stream.synchronize()
    assert called == [1]
    assert printed == [error, error]


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit])
def test_hooks(cuda_device, printed, error):
    import gpunp
    from gpunp import cuda

    class Failing(cuda.MemoryHook):
        def malloc_postprocess(self, **what):
            raise error

    def fail(*args):
        raise error

    before = used_by(cuda_device)
    with Failing():
        assert gpunp.asarray(np.arange(100)).tolist() == list(range(100))
    cuda.add_allocation_hook(fail)
    try:
        array = gpunp.asarray(np.arange(100))
    finally:
        cuda.remove_allocation_hook(fail)
    assert array.tolist() == list(range(100))
    del array
    assert set(printed) == {error}
    assert used_by(cuda_device) == before


def test_a_closed_file_of_a_hook(cuda_device, printed):
    import gpunp
    from gpunp.cuda.memory_hooks import DebugPrintHook

    before = used_by(cuda_device)
    file = io.StringIO()
    file.close()
    with DebugPrintHook(file):
        assert gpunp.asarray(np.arange(1000)).tolist() == list(range(1000))
    assert set(printed) == {ValueError}
    assert used_by(cuda_device) == before


@pytest.mark.parametrize("error", [OSError, SystemExit])
def test_functions_that_free(cuda_device, fake, printed, error):
    import gpunp
    from gpunp import cuda
    from gpunp.cuda import runtime

    def free(address, device):
        runtime.free(address)
        raise error

    allocator = cuda.PythonFunctionAllocator(lambda size, device: runtime.malloc(size), free)
    before = fake.fake_living_blocks()
    with cuda.using_allocator(allocator.malloc):
        assert gpunp.asarray(np.arange(100)).tolist() == list(range(100))
    gc.collect()
    assert printed == [error]
    assert fake.fake_living_blocks() == before


def sized_calls():
    """Everything that takes a number of bytes."""
    from gpunp import cuda

    return {
        "alloc": cuda.alloc,
        "pool": cuda.MemoryPool().malloc,
        "async pool": cuda.MemoryAsyncPool().malloc,
        "managed": cuda.malloc_managed,
        "async": cuda.malloc_async,
        "memory": cuda.Memory,
        "pinned pool": cuda.PinnedMemoryPool().malloc,
        "pinned": cuda.PinnedMemory,
        "python": cuda.PythonFunctionAllocator(lambda *args: 0, lambda *args: None).malloc,
    }


SIZED = ["alloc", "pool", "async pool", "managed", "async", "memory", "pinned pool", "pinned", "python"]


@pytest.mark.parametrize("name", SIZED)
def test_sizes(cuda_device, name):
    call = sized_calls()[name]
    for size in ("x", 1.5, None):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            call(size)
    with pytest.raises(ValueError, match=": the size must not be negative, it is -1"):
        call(-1)
    for size in (1 << 62, 1 << 63, 1 << 64, 1 << 100):
        with pytest.raises(MemoryError):
            call(size)
    if name != "python":
        assert call(np.int64(100)).ptr


def test_times_between_events(cuda_device, fake):
    from gpunp import cuda

    first, second = cuda.Event(), cuda.Event()
    with pytest.raises(ValueError, match="was not recorded"):
        cuda.elapsed_time(first, second)
    first.record()
    fake.fake_hold(1)
    second.record()
    with pytest.raises(RuntimeError, match=r"has not happened yet; call end\.synchronize\(\)"):
        cuda.elapsed_time(first, second)
    fake.fake_hold(0)
    second.synchronize()
    assert cuda.elapsed_time(first, second) >= 0


def test_streams_that_end_in_a_capture(cuda_device):
    """A stream whose capture nobody ends leaves other streams and captures usable."""
    from gpunp import cuda

    stream = cuda.Stream(non_blocking=True)
    stream.begin_capture()
    with pytest.raises(RuntimeError, match="captured already"):
        stream.begin_capture()
    stream.end_capture()
    with pytest.raises(RuntimeError, match="is not being captured"):
        stream.end_capture()
    with cuda.graph() as graph:
        cuda.alloc(8)
    with pytest.raises(ValueError, match="the stream is on cuda:1 and the graph on cuda:0"):
        graph.launch(cuda.Stream(device=1))
    graph.launch(stream)
    stream.synchronize()
