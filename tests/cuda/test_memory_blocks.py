"""Memory outside of pools, pointers, allocators and memory hooks, on the stand-in driver."""

import ctypes
import gc
import io

import numpy as np
import pytest

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]

MEMORY = ["Memory", "ManagedMemory", "MemoryAsync"]


def make(name, size):
    from gpunp import cuda

    kind = getattr(cuda, name)
    return kind(size, cuda.Stream.null) if name == "MemoryAsync" else kind(size)


@pytest.mark.parametrize("name", MEMORY)
def test_blocks(fake, name):
    import gpunp
    from gpunp import cuda

    before = fake.fake_living_blocks()
    memory = make(name, 1000)
    assert (memory.size, memory.device_id, memory.device) == (1000, 0, gpunp.Device("cuda", 0))
    assert int(memory) == memory.ptr
    assert name in repr(memory)
    pointer = cuda.MemoryPointer(memory, 200)
    del memory
    pointer.copy_from(b"a" * 800)
    assert bytes(read(pointer)) == b"a" * 800
    assert fake.fake_living_blocks() == before + 1
    del pointer
    gpunp.Device("cuda", 0).synchronize()
    assert fake.fake_living_blocks() == before
    assert make(name, 0).ptr == 0
    with pytest.raises(ValueError, match="must not be negative"):
        make(name, -1)
    fake.fake_set_memory(10)
    with pytest.raises(MemoryError, match="out of memory on cuda:0"):
        make(name, 1000)


def read(pointer):
    target = bytearray(pointer.size)
    pointer.copy_to(target)
    return target


def test_pointers(cuda_device):
    from gpunp import cuda

    pointer = cuda.alloc(100)
    assert isinstance(pointer, cuda.MemoryPointer)
    assert pointer.mem.ptr == pointer.ptr == int(pointer) == pointer.address
    assert (pointer.mem.size, pointer.mem.device_id, pointer.device_id) == (100, 0, 0)
    assert pointer.device is cuda_device
    moved = 10 + pointer + 20 - 5
    assert moved.ptr == pointer.ptr + 25
    assert moved.size == moved.nbytes == 75
    pointer.memset(1, 100)
    moved.memset_async(258, 5, cuda.Stream.null)
    assert bytes(read(pointer)) == b"\1" * 25 + b"\2" * 5 + b"\1" * 70
    other = cuda.alloc(75)
    other.copy_from(moved, 75)
    other.copy_from_device_async(moved, 75)
    assert bytes(read(other)) == b"\2" * 5 + b"\1" * 70
    host = (ctypes.c_char * 75)()
    for address in (ctypes.addressof(host), ctypes.c_void_p(ctypes.addressof(host))):
        other.copy_to_host(address, 75)
        assert host.raw == b"\2" * 5 + b"\1" * 70
        other.copy_to_host_async(address, 75, cuda.Stream.null)
    host.raw = b"x" * 75
    for copy in (other.copy_from, other.copy_from_host, other.copy_from_host_async, other.copy_from_async):
        other.memset(0, 75)
        copy(ctypes.addressof(host), 75)
        assert bytes(read(other)) == b"x" * 75
    assert repr(pointer).startswith("<MemoryPointer to 0x")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda p: p + 101, "outside"),
        (lambda p: p - 1, "outside"),
        (lambda p: p.memset(0, 101), "101 bytes were requested, and there are 100"),
        (lambda p: p.copy_from(b"x" * 101), "101 bytes were requested"),
        (lambda p: p.copy_from(b"x", 2), "2 bytes were requested from 1"),
        (lambda p: p.copy_to(bytearray(101)), "101 bytes"),
        (lambda p: p.copy_from_device(p + 50, 51), "51 bytes were requested, and there are 50"),
        (lambda p: p.copy_to_host(1, -1), "-1 bytes"),
        (lambda p: p.memset_async(0, 1, other_stream()), "the stream is on cuda:1"),
    ],
)
def test_bounds_of_pointers(call, error):
    from gpunp import cuda

    with pytest.raises(ValueError, match=error):
        call(cuda.alloc(100))


def other_stream():
    from gpunp import cuda

    return cuda.Stream(device=1)


def test_wrong_arguments_of_pointers():
    from gpunp import cuda

    pointer = cuda.alloc(100)
    with pytest.raises(TypeError, match="number of bytes"):
        pointer.copy_from(3)
    with pytest.raises(TypeError, match="host memory is given as"):
        pointer.copy_from_host("x", 1)
    with pytest.raises(ValueError, match="offset 101"):
        cuda.MemoryPointer(pointer.mem, 101)
    with pytest.raises(ValueError, match="negative"):
        cuda.alloc(-1)


def test_arrays_over_pointers(cuda_device):
    import gpunp
    from gpunp import cuda

    pointer = cuda.alloc(80)
    pointer.copy_from(np.arange(10.0))
    array = gpunp.ndarray((2, 4), np.float64, memptr=pointer + 16)
    assert array.tolist() == [[2, 3, 4, 5], [6, 7, 8, 9]]
    assert array.data.ptr == pointer.ptr + 16
    assert array.data.mem.ptr == pointer.ptr + 16 or array.data.mem.ptr == pointer.ptr
    same = gpunp.ndarray(8, np.float64, memptr=array.data)
    assert same.tolist() == list(range(2, 10))
    (array.data + 8).memset(0, 8)
    assert array.tolist()[0] == [2, 0, 4, 5]
    del pointer, array
    gc.collect()
    assert same.tolist()[0] == 2
    with pytest.raises(TypeError, match="too small"):
        gpunp.ndarray(100, np.float64, memptr=same.data)
    with pytest.raises(ValueError, match="not a multiple of the 8 bytes"):
        gpunp.ndarray(1, np.float64, memptr=cuda.alloc(80) + 4)
    with pytest.raises(TypeError, match="give one of them"):
        gpunp.ndarray(1, np.float64, same, memptr=same.data)


def test_unowned_memory():
    from gpunp import cuda

    owner = cuda.Memory(100)
    memory = cuda.UnownedMemory(owner.ptr, 100, owner)
    assert (memory.device_id, memory.owner) == (0, owner)
    pointer = cuda.MemoryPointer(memory, 0)
    del owner, memory
    pointer.copy_from(b"y" * 100)
    assert bytes(read(pointer)) == b"y" * 100
    assert cuda.UnownedMemory(pointer.ptr, 100, None, 1).device_id == 1
    with pytest.raises(ValueError, match="is not an address of memory on a CUDA device"):
        cuda.UnownedMemory(12345, 100, None)


def test_managed_memory(fake):
    from gpunp import cuda
    from gpunp.cuda import runtime

    memory = cuda.ManagedMemory(100)
    memory.prefetch(cuda.Stream.null)
    memory.prefetch(device_id=-1)
    memory.advise(runtime.cudaMemAdviseSetReadMostly, 0)
    assert fake.fake_calls(b"cuMemPrefetchAsync_v2") == 2
    with pytest.raises(ValueError, match="no device -3"):
        memory.prefetch(device_id=-3)
    assert runtime.pointerGetAttributes(memory.ptr).type == runtime.memoryTypeManaged


def test_pinned_memory(fake):
    from gpunp import cuda

    memory = cuda.PinnedMemory(1000)
    pointer = cuda.PinnedMemoryPointer(memory, 8)
    assert (pointer.ptr, pointer.size(), pointer.mem) == (memory.ptr + 8, 992, memory)
    array = np.frombuffer(pointer, np.float64, 10)
    array[:] = 3
    del memory, pointer
    gc.collect()
    assert array.sum() == 30
    pool = cuda.PinnedMemoryPool()
    pointer = pool.malloc(100)
    assert pointer.size() == 100
    assert pool.used_bytes() > 0
    pool.free(pointer, 100)
    del pointer
    assert pool.used_bytes() == 0
    assert pool.n_free_blocks() == 1
    pool.set_limit(0)
    assert pool.malloc(100).size() == 100
    assert cuda.alloc_pinned_memory(100).size() == 100
    cuda.set_pinned_memory_allocator(lambda size: cuda.PinnedMemoryPointer(cuda.PinnedMemory(size), 0))
    assert cuda.alloc_pinned_memory(50).mem.size == 50
    cuda.set_pinned_memory_allocator(lambda size: 3)
    with pytest.raises(TypeError, match=r"\.ptr"):
        cuda.alloc_pinned_memory(50)
    cuda.set_pinned_memory_allocator()
    with pytest.raises(TypeError, match="callable"):
        cuda.set_pinned_memory_allocator(3)
    with pytest.raises(ValueError, match="offset 2000"):
        cuda.PinnedMemoryPointer(cuda.PinnedMemory(1000), 2000)


def test_memory_hooks(cuda_device):
    import gpunp
    from gpunp import cuda

    class Record(cuda.MemoryHook):
        name = "Record"

        def __init__(self):
            self.events = []

        def malloc_preprocess(self, **what):
            self.events.append(("malloc", what["size"], what["mem_size"]))

        def malloc_postprocess(self, **what):
            assert what["mem_ptr"]
            assert what["pmem_id"]

        def alloc_postprocess(self, **what):
            self.events.append(("alloc", what["mem_size"]))

        def free_postprocess(self, **what):
            self.events.append(("free", what["mem_size"]))

    cuda.get_default_memory_pool().free_all_blocks()
    with Record() as hook:
        gpunp.asarray(np.arange(100))
        with pytest.raises(KeyError, match="active"), Record():
            pass
    gpunp.asarray(np.arange(100))
    assert hook.events == [("malloc", 800, 1024), ("alloc", 1024), ("free", 1024)]


def test_ready_hooks(cuda_device):
    import gpunp
    from gpunp.cuda.memory_hooks import DebugPrintHook, LineProfileHook

    file = io.StringIO()
    with DebugPrintHook(file):
        gpunp.asarray(np.arange(100))
    assert [line.split('"')[3] for line in file.getvalue().splitlines()] == ["alloc", "malloc", "free"]
    hook = LineProfileHook()
    with hook:
        for _ in range(3):
            gpunp.asarray(np.arange(100_000))
    file = io.StringIO()
    hook.print_report(file)
    lines = [line for line in file.getvalue().splitlines() if "test_ready_hooks" in line]
    assert len(lines) == 1
    assert "(2.62MB, 896.00KB)" in lines[0]
