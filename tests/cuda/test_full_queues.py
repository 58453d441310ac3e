"""Calls that wait for room in the driver's queue while a function of the host wants Python's lock."""

import importlib.metadata
import sys

import numpy as np
import pytest
from threads import often_switched, run_together

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]

# The operations for which the queue of the stand-in driver has room are 1024.
BEFORE, AFTER = 1000, 200
# The stand-in libraries are found only if the real ones are not installed.
REAL = {
    name
    for name in ("nvidia-cublas", "nvidia-cufft")
    if any(d.name == name for d in importlib.metadata.distributions())
}


def calls_of(fill):
    """Calls that queue work or wait for it, by their names; each has a stream that is current."""
    import gpunp
    from gpunp import cuda
    from gpunp.cuda import cublas
    from gpunp.fft import cufft

    device = gpunp.get_device()
    memory, other, host = cuda.alloc(1 << 10), cuda.alloc(1 << 10), bytes(1 << 10)
    matrix = gpunp.zeros((2, 80, 80), device=device)
    signal = gpunp.zeros(64, complex, device=device)
    stream, event = cuda.get_current_stream(), cuda.Event(disable_timing=True)
    pool = cuda.MemoryPool(device=0)
    if not REAL:
        cublas.version()
        cufft.last_axis(signal, False, True)

    def allocate():
        cuda.malloc_async(100)

    return {
        "launch": lambda: fill(memory, 1),
        "fill": lambda: memory.memset(0, 1 << 10),
        "copy": lambda: memory.copy_from_device(other, 1 << 10),
        "upload": lambda: memory.copy_from(host),
        "free": lambda: pool.malloc(2 << 20),
        "free in order": allocate,
        "record": lambda: stream.record(event),
        "product": lambda: np.matmul(matrix[0], matrix[1]),
        "transform": lambda: cufft.last_axis(signal, False, True),
        "new plan": lambda: cufft.last_axis(gpunp.zeros(96, complex), False, True),
    }


NAMES = [
    "launch",
    "fill",
    "copy",
    "upload",
    "free",
    "free in order",
    "record",
    "product",
    "transform",
    "new plan",
]
LIBRARIES = {"product": "nvidia-cublas", "transform": "nvidia-cufft", "new plan": "nvidia-cufft"}


def require_stand_in(name):
    if name in REAL:
        pytest.skip("the real library is installed, and needs the real driver")


@pytest.mark.parametrize("name", NAMES)
def test_full_queues(cuda_device, fill, name):
    from gpunp import cuda

    require_stand_in(LIBRARIES.get(name))
    memory, called = cuda.alloc(8), []
    call = calls_of(fill)[name]
    cuda_device.synchronize()
    for _ in range(BEFORE):
        memory.memset(1, 8)
    cuda.get_current_stream().launch_host_func(called.append, 1)
    before = sys.getswitchinterval()
    # No thread takes the lock from the one that computes.
    sys.setswitchinterval(1000)
    try:
        for _ in range(AFTER):
            call()
    finally:
        sys.setswitchinterval(before)
    cuda_device.synchronize()
    assert called == [1]


@pytest.fixture
def lasting_call(cuda_device):
    """A function of the host that is not done before the test, so that all calls leave the lock."""
    if cuda_device is None:
        return None
    from gpunp import cuda

    with cuda.graph() as graph:
        cuda.get_current_stream().launch_host_func(id, None)
    return graph


def test_threads_share_plans(cuda_device, lasting_call):
    """A plan's stream and work area are those of the call, whatever other threads do meanwhile."""
    import gpunp
    from gpunp import cuda

    require_stand_in("nvidia-cufft")
    n = 63
    inputs = [np.random.default_rng(k).random(n) + 0j for k in range(4)]
    plan = gpunp.fft.plan("fft", gpunp.zeros(n, complex))

    def work(values):
        def run():
            with cuda_device, cuda.Stream(non_blocking=True), plan:
                for _ in range(10):
                    found = np.fft.fft(gpunp.asarray(values))
                    np.testing.assert_allclose(found.get(), np.fft.fft(values), atol=1e-12)

        return run

    with often_switched():
        run_together(*map(work, inputs))


def test_threads_share_handles(cuda_device, lasting_call):
    import gpunp
    from gpunp import cuda

    require_stand_in("nvidia-cublas")
    matrices = [np.random.default_rng(k).random((70, 70)) for k in range(4)]

    def work(values):
        def run():
            with cuda_device, cuda.Stream(non_blocking=True):
                for _ in range(10):
                    a = gpunp.asarray(values)
                    np.testing.assert_allclose((a @ a).get(), values @ values)

        return run

    with often_switched():
        run_together(*map(work, matrices))


def test_blocks_that_are_freed_while_a_stream_drops_its_own(cuda_device, lasting_call):
    """The pool's numbers stay those of its blocks."""
    from gpunp import cuda

    pool, stream = cuda.get_default_memory_pool(), cuda.Stream(non_blocking=True)

    def allocate():
        with cuda_device, stream:
            for _ in range(100):
                kept = [pool.malloc(1000 * k) for k in range(1, 6)]
                del kept

    def drop():
        with cuda_device:
            for _ in range(20):
                pool.free_all_blocks(stream)

    run_together(allocate, allocate, drop)
    pool.free_all_blocks()
    assert (pool.cached_bytes(), pool.n_free_blocks()) == (0, 0)


def test_streams_that_end_while_a_pool_looks_for_them(cuda_device, lasting_call):
    from gpunp import cuda

    pool = cuda.get_default_memory_pool()

    def use():
        with cuda_device:
            for _ in range(50):
                with cuda.Stream(non_blocking=True):
                    pool.malloc(1000)

    def look():
        with cuda_device:
            for _ in range(50):
                pool.n_free_blocks()
                pool.free_all_blocks()

    run_together(use, use, look)
    pool.free_all_blocks()
    assert pool.cached_bytes() == 0


def test_graphs_that_are_dropped_while_others_look_for_errors(cuda_device, lasting_call):
    from gpunp import cuda

    def make():
        with cuda_device:
            for _ in range(15):
                with cuda.graph() as graph:
                    assert cuda_device.status_address
                graph.launch()
                del graph

    run_together(make, make, make)
    cuda_device.synchronize()
