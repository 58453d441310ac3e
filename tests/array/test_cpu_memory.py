"""The memory pool of the CPU device: reuse, limits, statistics, hooks, zeros, forks, threads."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from gpunp.cpu.pool import MemoryPool
from threads import run_together

import gpunp

MIB = 1 << 20
CPU = gpunp.Device("cpu")


def empty(nbytes):
    return gpunp.empty(nbytes, np.uint8, device=CPU)


@pytest.fixture
def pool():
    return MemoryPool()


@pytest.fixture
def default():
    gc.collect()
    found = gpunp.get_default_memory_pool("cpu")
    yield found
    found.set_limit()


@pytest.mark.parametrize("nbytes", [0, 1, 64, 65, 1000, MIB, MIB + 1, 5 * MIB, 100 * MIB])
def test_freed_memory_serves_the_next_request(pool, nbytes):
    address = pool.malloc(nbytes).address
    assert pool.malloc(nbytes).address == address
    assert pool.live_buffers() == 0
    assert pool.allocations() == 2
    assert pool.used_bytes() == 0
    assert pool.cached_bytes() == pool.free_bytes() == pool.total_bytes() >= max(nbytes, 1)
    assert pool.n_free_blocks() == 1
    pool.free_all_blocks()
    assert pool.cached_bytes() == pool.total_bytes() == pool.n_free_blocks() == 0


@pytest.mark.parametrize(
    ("freed", "wanted", "served"),
    [
        (10 * MIB, 9 * MIB, True),
        (10 * MIB, 4 * MIB, False),
        (10 * MIB, 14 * MIB, False),
        (1000, 900, True),
        (1000, 100, False),
    ],
)
def test_only_blocks_of_about_the_size_serve(pool, freed, wanted, served):
    address = pool.malloc(freed).address
    assert (pool.malloc(wanted).address == address) == served


@pytest.mark.parametrize("nbytes", [1, 8, 63, 64, 100, 4096, MIB, MIB + 1, 2 * MIB, 33 * MIB])
def test_blocks_are_aligned_and_hold_what_is_asked(nbytes):
    arrays = [empty(nbytes) for _ in range(5)]
    for i, array in enumerate(arrays):
        assert array.data.ptr % 64 == 0
        array[...] = i
    for i, array in enumerate(arrays):
        assert int(np.min(array)) == int(np.max(array)) == i


def test_small_blocks_that_were_given_back(default):
    """Buffers that were freed keep small blocks for the next arrays, until unused blocks are given back."""
    for _ in range(3):
        made = [gpunp.full(8, float(k)) for k in range(100)]
        del made
        default.free_all_blocks()
    made = [gpunp.full(8, float(k)) for k in range(100)]
    assert [array.get().tolist() for array in made] == [[float(k)] * 8 for k in range(100)]


def test_statistics(pool):
    small, large = pool.malloc(100), pool.malloc(3 * MIB)
    used = pool.used_bytes()
    assert 100 + 3 * MIB <= used <= 1.26 * (100 + 3 * MIB)
    assert pool.statistics() == {
        "used_bytes": used,
        "peak_bytes": used,
        "pending_bytes": 0,
        "cached_bytes": 0,
        "total_bytes": used,
        "limit": 0,
        "live_buffers": 2,
        "allocations": 2,
    }
    del large
    assert pool.peak_bytes() == used > pool.used_bytes()
    pool.reset_peak()
    assert pool.peak_bytes() == pool.used_bytes() < 200
    assert "cpu" in repr(pool)
    assert pool.device is CPU
    del small


@pytest.mark.parametrize("nbytes", [100_000, 8 * MIB])
def test_limit(pool, nbytes):
    pool.set_limit(3 * nbytes)
    assert pool.get_limit() == 3 * nbytes
    kept = [pool.malloc(nbytes), pool.malloc(nbytes)]
    with pytest.raises(MemoryError, match=r"on cpu: requested .* limit .*GPUNP_CPU_MEMORY_LIMIT"):
        pool.malloc(3 * nbytes)
    # What is kept is given back for what is wanted.
    del kept
    assert pool.cached_bytes() > 0
    buffer = pool.malloc(int(2.4 * nbytes))
    assert pool.total_bytes() <= 3 * nbytes
    del buffer
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() > nbytes
    for arguments in ({"size": "lots"}, {"fraction": 2}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError, match=r"limit|fraction"):
            pool.set_limit(**arguments)


def test_arrays_beyond_the_limit_are_refused(default):
    array = empty(100)
    default.set_limit(default.used_bytes() + 1000)
    with pytest.raises(MemoryError, match="requested 50,000,000"):
        empty(50_000_000)
    array[...] = 1
    assert int(np.sum(array)) == 100


def test_sizes_that_no_host_has(pool):
    for nbytes in (1 << 60, (1 << 64) - 1):
        with pytest.raises(MemoryError, match="out of memory on cpu"):
            pool.malloc(nbytes)
    with pytest.raises(ValueError, match="negative"):
        pool.malloc(-1)


def test_results_reuse_pages(default):
    a, b = (gpunp.ones(4 * MIB, np.float32, device=CPU) for _ in range(2))
    addresses = set()
    for _ in range(5):
        result = a + b
        addresses.add(result.data.ptr)
        del result
    assert len(addresses) == 1


@pytest.mark.parametrize("nbytes", [8, 1000, MIB, 3 * MIB, 40 * MIB])
def test_zeros_in_memory_that_was_used(nbytes):
    for _ in range(2):
        array = empty(nbytes)
        array[...] = 7
        del array
        zeros = np.zeros(nbytes, np.uint8, like=gpunp.empty(1, device=CPU))
        assert not zeros.any()
        zeros[...] = 5
        del zeros


def test_zeros_of_a_part_leave_the_rest():
    array = empty(8 * MIB)
    array[...] = 3
    array[:100] = 0
    assert int(np.count_nonzero(array)) == 8 * MIB - 100
    array[: 4 * MIB] = 0
    assert int(np.count_nonzero(array)) == 4 * MIB


def test_fresh_zeros_take_no_pages():
    resource = pytest.importorskip("resource")
    array = np.zeros(1 << 30, np.uint8, like=gpunp.empty(1, device=CPU))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    more = np.zeros(1 << 30, np.uint8, like=array)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 1000
    assert not bool(more[12345])


def test_allocation_hooks(pool):
    from gpunp.pooling import add_allocation_hook, remove_allocation_hook

    seen = []
    add_allocation_hook(hook := lambda *event: seen.append(event))
    try:
        address = pool.malloc(3 * MIB).address
    finally:
        remove_allocation_hook(hook)
    pool.malloc(100)
    assert [(event, pointer, stream) for event, pointer, _, stream in seen] == [
        ("allocate", address, None),
        ("free", address, None),
    ]


def test_memory_hooks(pool):
    from gpunp.cuda.memory_hook import MemoryHook

    class Record(MemoryHook):
        def __init__(self):
            self.seen = []

        def alloc_postprocess(self, **what):
            self.seen.append(("alloc", what["device_id"]))

        def malloc_postprocess(self, **what):
            self.seen.append(("malloc", what["size"]))

        def free_postprocess(self, **what):
            self.seen.append(("free", what["device_id"]))

    with Record() as hook:
        for _ in range(2):
            pool.malloc(100)
    assert hook.seen == [("alloc", -1), ("malloc", 100), ("free", -1), ("malloc", 100), ("free", -1)]


def test_exported_memory_outlives_its_array():
    array = gpunp.arange(2_000_000, device=CPU)
    host = np.from_dlpack(array)
    del array
    others = [gpunp.zeros(2_000_000, np.int64, device=CPU) for _ in range(3)]
    assert host[-1] == 1_999_999
    assert len(others) == 3


def test_threads_have_blocks_of_their_own():
    def work():
        for i in range(200):
            nbytes = 1 << (i % 23)
            array = empty(nbytes)
            array[...] = i
            assert int(array[-1]) == i % 256

    run_together(*(work,) * 4)


def test_a_child_process_has_its_own_copies():
    program = """
import os, warnings
import numpy as np, gpunp

a = gpunp.ones(3_000_000, device="cpu")
del a
kept = gpunp.arange(3_000_000, device="cpu")
warnings.simplefilter("ignore")
child = os.fork()
if child == 0:
    b = gpunp.ones(3_000_000, device="cpu") + kept
    kept[...] = 0
    gpunp.get_default_memory_pool("cpu").free_all_blocks()
    os._exit(0 if float(b[-1]) == 3_000_000 else 1)
assert os.waitpid(child, 0)[1] == 0
assert int(kept[-1]) == 2_999_999
"""
    subprocess.run([sys.executable, "-P", "-c", program], check=True)


@pytest.mark.parametrize(("text", "limit"), [("1GiB", 1 << 30), ("", 0), ("1000000", 10**6)])
def test_limit_of_the_environment(text, limit):
    program = f"import gpunp; assert gpunp.get_default_memory_pool('cpu').get_limit() == {limit}"
    environment = {**os.environ, "GPUNP_CPU_MEMORY_LIMIT": text, "GPUNP_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-P", "-c", program], env=environment, check=True)


def test_pool_of_the_current_device():
    with CPU:
        assert gpunp.get_default_memory_pool() is gpunp.get_default_memory_pool("cpu")
