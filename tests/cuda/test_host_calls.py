"""Functions that streams call, on the stand-in driver: the interpreter's lock, and what lives how long."""

import ctypes
import gc
import sys
import threading

import numpy as np
import pytest

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]


class Owned:
    """Notes the thread that drops it."""

    def __init__(self, threads):
        self.threads = threads

    def __del__(self):
        self.threads.append(threading.get_ident())


def test_arguments_are_not_dropped_by_the_driver(cuda_device):
    from gpunp import cuda

    stream, threads, seen = cuda.Stream(non_blocking=True), [], []
    stream.launch_host_func(lambda owned: seen.append(type(owned)), Owned(threads))
    stream.add_callback(lambda *args: seen.append(args[1:]), "x")
    stream.synchronize()
    # The next call drops what has run, if the main thread has not yet.
    stream.launch_host_func(id)
    assert seen == [Owned, (0, "x")]
    assert threads == [threading.get_ident()]
    stream.synchronize()


def test_the_last_reference_to_a_stream(cuda_device, fake):
    from gpunp import cuda

    called = threading.Event()
    cuda.Stream(non_blocking=True).add_callback(lambda stream, status, arg: arg.set(), called)
    assert called.wait(60)
    gc.collect()


def test_threads_that_compute_give_way(cuda_device):
    from gpunp import cuda

    called = []
    cuda.Stream(non_blocking=True).launch_host_func(called.append, 1)
    # No call that waits, and no thread that the interpreter would switch to.
    while not called:
        pass


@pytest.mark.parametrize("where", ["main", "thread"])
def test_full_queues(cuda_device, fill, where):
    """Launches fill the driver's queue while a function of the host wants the interpreter's lock."""
    from gpunp import cuda

    memory, called = cuda.alloc(8), []

    def run():
        cuda.get_current_stream().launch_host_func(called.append, 1)
        for _ in range(3000):
            fill(memory, 2)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        if where == "main":
            run()
        else:
            thread = threading.Thread(target=run)
            thread.start()
            cuda_device.synchronize()
            sys.setswitchinterval(before)
            thread.join()
    finally:
        sys.setswitchinterval(before)
    cuda_device.synchronize()
    assert called == [1]


def released_in(fake, name):
    """Let the device run once a function of the driver is called, which waits for the device."""

    def wait():
        while fake.fake_calls(name) == before:
            pass
        fake.fake_hold(0)

    before = fake.fake_calls(name)
    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.parametrize("what", ["function", "upload", "errors"])
def test_graphs_are_dropped_while_they_run(cuda_device, fake, what):
    from gpunp import cuda

    stream, calls, memory = cuda.Stream(non_blocking=True), [], cuda.alloc(800)
    with cuda.graph(stream) as graph:
        stream.launch_host_func(lambda value: calls.append(value), 2)
        if what == "upload":
            memory.copy_from(np.arange(100.0))
        if what == "errors":
            assert cuda_device.status_address
    fake.fake_hold(1)
    graph.launch(stream)
    graph.launch(stream)
    # The function needs the interpreter's lock while the driver waits for the launches.
    thread = released_in(fake, b"cuGraphExecDestroy" if what == "function" else b"cuMemFreeHost")
    del graph
    gc.collect()
    thread.join()
    stream.synchronize()
    assert calls == [2, 2]


def test_a_graph_in_a_graph_is_dropped_while_it_runs(cuda_device, fake, fill):
    from gpunp import cuda

    stream, calls = cuda.Stream(non_blocking=True), []
    with cuda.graph() as inner:
        memory = cuda.alloc(1000)
        fill(memory, 1)
        cuda.get_current_stream().launch_host_func(lambda value: calls.append(value), 3)
        del memory
    with cuda.graph() as outer:
        inner.launch()
    fake.fake_hold(1)
    outer.launch(stream)
    thread = released_in(fake, b"cuGraphExecDestroy")
    del inner, outer
    gc.collect()
    thread.join()
    # The stand-in driver aborts if the launch writes memory that was freed before.
    stream.synchronize()
    assert calls == [3]


def test_errors_at_the_end_of_a_block(cuda_device):
    import gpunp
    from gpunp import cuda

    class Failing(cuda.Stream):
        def __exit__(self, *exc):
            super().__exit__(*exc)
            raise MemoryError("deferred")

    stream = Failing(non_blocking=True)
    with pytest.raises(MemoryError, match="deferred"), cuda.graph(stream) as graph:
        pass
    assert not stream.is_capturing()
    assert gpunp.get_device() is cuda_device
    with pytest.raises(RuntimeError, match="has not been captured"):
        graph.launch()


def test_a_block_that_ends_its_capture(cuda_device):
    from gpunp import cuda

    stream = cuda.Stream(non_blocking=True)

    def ended():
        stream.end_capture()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), cuda.graph(stream):
        ended()
    with pytest.raises(RuntimeError, match="is not being captured"), cuda.graph(stream):
        stream.end_capture()
    assert not stream.is_capturing()


def test_allocators_that_give_memory_of_another_device(pair):
    from gpunp import cuda
    from gpunp.cuda import runtime

    def malloc(size, device):
        with pair[1]:
            return runtime.malloc(size)

    freed = []

    def free(address, device):
        freed.append(address)
        with pair[1]:
            runtime.free(address)

    allocator = cuda.PythonFunctionAllocator(malloc, free).malloc
    with pair[0]:
        with pytest.raises(ValueError, match="memory on cuda:0 was requested"):
            allocator(100)
        assert len(freed) == 1
        with cuda.using_allocator(allocator), pytest.raises(ValueError, match="gave some on cuda:1"):
            cuda.alloc(100)
    with pair[1]:
        assert allocator(100).ptr


def test_the_current_device_of_other_libraries(pair, fake):
    import gpunp
    from gpunp.cuda import runtime

    current = ctypes.c_void_p()
    contexts = []
    for device in pair:
        runtime.setDevice(device.index)
        assert gpunp.get_device() is device
        fake.cuCtxGetCurrent(ctypes.byref(current))
        contexts.append(current.value)
    assert contexts[0] != contexts[1]
