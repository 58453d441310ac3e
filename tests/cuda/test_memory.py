"""Device memory: reuse in stream order, statistics, limits, exhaustion, allocators and hooks."""

import functools
import gc
import subprocess
import sys
import threading

import pytest
from threads import run_together

pytestmark = pytest.mark.fake_driver()
MIB = 1 << 20


@pytest.fixture
def pool(cuda_device):
    if cuda_device is None:
        return None
    import gpunp.cuda

    return gpunp.cuda.get_default_memory_pool(cuda_device)


def test_small_blocks_are_reused_without_the_driver(pool, fake):
    address = pool.malloc(1000).address
    calls = fake.fake_calls(b"cuMemAllocFromPoolAsync")
    for nbytes in (1000, 513, 1024):
        assert pool.malloc(nbytes).address == address
    assert fake.fake_calls(b"cuMemAllocFromPoolAsync") == calls
    assert pool.malloc(512).address != address


def test_size_classes_hold_what_is_asked(pool):
    sizes = [
        1,
        511,
        512,
        513,
        1024,
        1025,
        2048,
        2049,
        2560,
        2561,
        4096,
        4097,
        5120,
        65537,
        MIB - 1,
        MIB,
        MIB + 1,
    ]
    for nbytes in sizes:
        before = pool.used_bytes()
        buffer = pool.malloc(nbytes)
        used = pool.used_bytes() - before
        assert buffer.nbytes == nbytes
        assert nbytes <= used <= max(1.25 * nbytes + 512, 2 * nbytes if nbytes < 2048 else 0, 512)
        # The stand-in driver aborts if this writes beyond the block.
        buffer.copy_from(b"x" * nbytes)
        result = bytearray(nbytes)
        buffer.copy_to(result)
        assert result == b"x" * nbytes
        del buffer


def test_blocks_stay_with_their_stream(pool):
    import gpunp.cuda

    first, second = gpunp.cuda.Stream(), gpunp.cuda.Stream()
    with first:
        buffer = pool.malloc(1000)
        address = buffer.address
    del buffer
    with second:
        other = pool.malloc(1000)
        assert other.address != address
    with first:
        assert pool.malloc(1000).address == address


def test_statistics(pool):
    small, large = pool.malloc(1000), pool.malloc(3 * MIB)
    assert pool.used_bytes() == 1024 + 3 * MIB
    assert pool.live_buffers() == 2
    del small
    assert pool.cached_bytes() == 1024
    assert pool.total_bytes() >= 3 * MIB + 1024
    assert pool.free_bytes() == pool.total_bytes() - pool.used_bytes()
    assert pool.n_free_blocks() == 1
    del large
    assert pool.used_bytes() == 0
    assert pool.peak_bytes() == 1024 + 3 * MIB
    pool.reset_peak()
    assert pool.peak_bytes() == 0
    assert pool.allocations() == 2
    pool.free_all_blocks()
    assert pool.cached_bytes() == pool.total_bytes() == 0
    assert set(pool.statistics()) == {
        "used_bytes",
        "peak_bytes",
        "pending_bytes",
        "cached_bytes",
        "total_bytes",
        "limit",
        "live_buffers",
        "allocations",
    }


def test_blocks_of_one_stream_are_freed(pool):
    import gpunp.cuda

    first, second = gpunp.cuda.Stream(), gpunp.cuda.Stream()
    for stream in (first, second):
        with stream:
            pool.malloc(1000)
    assert pool.n_free_blocks() == 2
    pool.free_all_blocks(first)
    assert pool.n_free_blocks() == 1
    with pytest.raises(TypeError):
        pool.free_all_blocks(3)
    pool.free_all_blocks()
    assert pool.n_free_blocks() == pool.free_bytes() == 0


def test_empty_buffer_takes_nothing(pool, fake):
    buffer = pool.malloc(0)
    assert buffer.nbytes == 0
    assert pool.used_bytes() == 0
    assert fake.fake_calls(b"cuMemAllocFromPoolAsync") == 0
    with pytest.raises(ValueError, match="negative"):
        pool.malloc(-1)


def test_out_of_memory_leaves_everything_usable(pool, fake):
    fake.fake_set_memory(64 * MIB)
    kept = pool.malloc(40 * MIB)
    kept.copy_from(b"kept")
    for _ in range(2):
        with pytest.raises(MemoryError, match="cuda:0: requested 41,943,040 bytes, used 41,943,040, limit n"):
            pool.malloc(40 * MIB)
    assert pool.used_bytes() == 40 * MIB
    result = bytearray(4)
    kept.copy_to(result)
    assert result == b"kept"
    assert pool.malloc(20 * MIB).nbytes == 20 * MIB
    with pytest.raises(MemoryError):
        pool.malloc(2**64 - 1)


def test_cached_memory_is_used_before_giving_up(pool, fake):
    fake.fake_set_memory(32 * MIB)
    blocks = [pool.malloc(MIB) for _ in range(30)]
    del blocks
    assert pool.cached_bytes() == 30 * MIB
    assert pool.malloc(31 * MIB).nbytes == 31 * MIB
    assert pool.cached_bytes() == 0


def test_free_all_blocks_is_for_other_pools(pool, fake):
    import gpunp.cuda

    fake.fake_set_memory(32 * MIB)
    own = gpunp.cuda.MemoryPool(0)
    own.malloc(20 * MIB)
    assert own.total_bytes() == 20 * MIB
    own.free_all_blocks()
    assert pool.malloc(30 * MIB).nbytes == 30 * MIB


@pytest.mark.parametrize(
    ("size", "expected"),
    [(10 * MIB, 10 * MIB), ("10MiB", 10 * MIB), ("1GB", 10**9), ("50%", 512 * MIB), (None, 0), ("0", 0)],
)
def test_limit_spellings(pool, size, expected):
    pool.set_limit(size)
    assert pool.get_limit() == expected


def test_limit(pool):
    pool.set_limit("10MiB")
    cached = [pool.malloc(MIB) for _ in range(8)]
    del cached
    # Cached blocks count toward the limit, and are freed to make room.
    kept = pool.malloc(6 * MIB)
    with pytest.raises(MemoryError, match=r"requested 5,242,880 bytes, used 6,291,456, limit 10,485,760"):
        pool.malloc(5 * MIB)
    assert pool.malloc(4 * MIB).nbytes == 4 * MIB
    del kept
    pool.set_limit(fraction=0.25)
    assert pool.get_limit() == 256 * MIB
    for arguments in ({"size": "lots"}, {"size": -1}, {"fraction": 2}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError, match=r"limit|fraction"):
            pool.set_limit(**arguments)


@pytest.mark.fake_driver(GPUNP_MEMORY_LIMIT="25%")
def test_limit_from_the_environment(pool):
    assert pool.get_limit() == 256 * MIB


def test_per_thread_default_stream_blocks_of_other_threads(pool, fake):
    import gpunp.cuda

    with gpunp.cuda.Stream.per_thread_default():
        buffers = [pool.malloc(1000), pool.malloc(1000)]
    buffers.pop()
    assert fake.fake_last_free_stream() == 2
    thread = threading.Thread(target=buffers.pop)
    thread.start()
    thread.join()
    # The per-thread stream has one handle in all threads, so the block is freed on the legacy stream, which
    # waits for all of them.
    assert fake.fake_last_free_stream() == 0


def test_a_pool_of_ones_own(pool, cuda_device):
    import gpunp.cuda

    own = gpunp.cuda.MemoryPool(cuda_device)
    gpunp.cuda.set_allocator(own)
    upload_one()
    assert own.allocations() == 1
    assert pool.allocations() == 0
    gpunp.cuda.set_allocator(None)
    upload_one()
    assert pool.allocations() == 1


def test_allocator_callable(pool):
    import gpunp.cuda

    class Memory:
        living = 0

        def __init__(self, nbytes):
            self.buffer = pool.malloc(nbytes)
            self.ptr = self.buffer.address
            Memory.living += 1

        def __del__(self):
            Memory.living -= 1

    gpunp.cuda.set_allocator(Memory)
    array = upload_one()
    assert Memory.living == 1
    del array
    gc.collect()
    assert Memory.living == 0
    gpunp.cuda.set_allocator(lambda nbytes: object())
    with pytest.raises(TypeError, match=r"object with \.ptr"):
        upload_one()
    with pytest.raises(TypeError, match="callable"):
        gpunp.cuda.set_allocator(3)
    gpunp.cuda.set_allocator(None)


def upload_one():
    """A device array from the current allocator."""
    import numpy

    import gpunp

    return gpunp.asarray(numpy.arange(10), device="cuda:0")


def test_hooks(pool):
    import gpunp.cuda

    events = []

    def hook(event, pointer, nbytes, stream):
        events.append((event, pointer, nbytes, stream.ptr))

    gpunp.cuda.add_allocation_hook(hook)
    buffer = pool.malloc(1000)
    address = buffer.address
    del buffer
    gpunp.cuda.remove_allocation_hook(hook)
    pool.malloc(1000)
    assert events == [("allocate", address, 1000, 0), ("free", address, 1024, 0)]
    with pytest.raises(ValueError, match="was not added"):
        gpunp.cuda.remove_allocation_hook(hook)


def test_threads(pool, fake):
    import gpunp.cuda

    def work(number):
        with gpunp.cuda.Stream():
            for i in range(200):
                buffer = pool.malloc(500 + 37 * ((number + i) % 50))
                buffer.copy_from(bytes([number]) * 100)
                result = bytearray(100)
                buffer.copy_to(result)
                assert result == bytes([number]) * 100

    run_together(*(functools.partial(work, i) for i in range(6)))
    gc.collect()
    assert pool.used_bytes() == 0
    assert fake.fake_calls(b"cuStreamDestroy") == 6


def test_the_interpreter_exits_in_peace(cuda_device):
    # Memory that is alive at exit must not be freed, since the driver is being unloaded.
    code = """
import threading, gpunp.cuda as cuda
pool = cuda.get_default_memory_pool()
stream = cuda.Stream().use()
kept = [pool.malloc(1000), pool.malloc(5 << 20), cuda.Event(), cuda.pinned_empty(5 << 20)]
cycle = [pool.malloc(100)]
cycle.append(cycle)
thread = threading.Thread(target=lambda: kept.append(cuda.Stream().use()))
thread.start()
thread.join()
"""
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_buffers_in_reference_cycles(pool):
    class Holder:
        pass

    for nbytes in (1000, 5 * MIB):
        holder = Holder()
        holder.me, holder.buffer = holder, pool.malloc(nbytes)
    del holder
    gc.collect()
    assert pool.used_bytes() == 0
    assert pool.live_buffers() == 0


def test_allocator_that_is_malloc_of_a_pool(pool, cuda_device):
    import gpunp.cuda

    own = gpunp.cuda.MemoryPool(cuda_device)
    # The allocator may be a pool's bound method, or a function that returns a pool's buffers.
    for count, allocator in enumerate((own.malloc, lambda nbytes: own.malloc(nbytes)), start=1):
        gpunp.cuda.set_allocator(allocator)
        array = upload_one()
        assert array.tolist() == list(range(10))
        assert own.allocations() == count
        assert own.used_bytes() > 0
        del array
        gc.collect()
        assert own.used_bytes() == pool.allocations() == 0
    gpunp.cuda.set_allocator(lambda nbytes: own.malloc(1))
    with pytest.raises(ValueError, match="the allocator gave 1 on cuda:0"):
        upload_one()
    gpunp.cuda.set_allocator(None)
