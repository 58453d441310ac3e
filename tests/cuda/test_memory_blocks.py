"""Memory outside of pools, pointers, allocators and memory hooks, on the stand-in driver."""

import ctypes
import gc
import io

import numpy as np
import pytest

pytestmark = pytest.mark.fake_driver()
MIB = 1 << 20


@pytest.fixture(autouse=True)
def on_device(cuda_device):
    if cuda_device is not None:
        cuda_device.use()


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
    with pytest.raises(ValueError, match="is no address of memory on a CUDA device"):
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


ALLOCATORS = {
    "memory": lambda cuda: lambda size: cuda.MemoryPointer(cuda.Memory(size), 0),
    "managed": lambda cuda: cuda.malloc_managed,
    "async": lambda cuda: cuda.malloc_async,
    "async pool": lambda cuda: cuda.MemoryAsyncPool().malloc,
    "pool": lambda cuda: cuda.MemoryPool().malloc,
    "pool of managed": lambda cuda: cuda.MemoryPool(cuda.malloc_managed).malloc,
    "python": lambda cuda: python_allocator(cuda).malloc,
    "pool of python": lambda cuda: cuda.MemoryPool(python_allocator(cuda).malloc).malloc,
}


def python_allocator(cuda):
    from gpunp.cuda import runtime

    return cuda.PythonFunctionAllocator(
        lambda size, device_id: runtime.malloc(size), lambda pointer, device_id: runtime.free(pointer)
    )


@pytest.mark.parametrize("name", ALLOCATORS)
def test_arrays_of_allocators(cuda_device, fake, name):
    import gpunp
    from gpunp import cuda

    default = cuda.get_default_memory_pool()
    allocator = ALLOCATORS[name](cuda)
    before = fake.fake_living_blocks()
    cuda.set_allocator(allocator)
    assert cuda.get_allocator() == allocator
    array = gpunp.asarray(np.arange(100_000))
    assert default.used_bytes() == 0
    assert array.tolist() == list(range(100_000))
    cuda.set_allocator(None)
    assert cuda.get_allocator() == default.malloc
    with cuda.using_allocator(allocator):
        second = gpunp.asarray(np.arange(10))
        with cuda.using_allocator():
            third = gpunp.asarray(np.arange(5))
            assert default.used_bytes() == 512
        assert cuda.get_allocator() == allocator
        assert cuda.alloc(100).size >= 100
    assert second.tolist() == list(range(10))
    del array, second, third
    gc.collect()
    owner = getattr(allocator, "__self__", None)
    if hasattr(owner, "free_all_blocks"):
        owner.free_all_blocks()
    default.free_all_blocks()
    cuda_device.synchronize()
    assert fake.fake_living_blocks() == before


BAD = {
    "none": (lambda size: None, TypeError, "not None of NoneType"),
    "no pointer": (lambda size: object(), TypeError, r"object with \.ptr"),
    "text": (lambda size: Answer("x"), TypeError, "a str there"),
    "null": (lambda size: Answer(0), MemoryError, "null pointer"),
    "odd": (lambda size: Answer(4099), ValueError, "not a multiple of 16"),
    "negative": (lambda size: Answer(-16), ValueError, "not a multiple"),
    "small": (lambda size: Answer(4096, size=3), ValueError, "the allocator gave 3"),
    "elsewhere": (lambda size: Answer(4096, device_id=1), ValueError, "memory on cuda:1"),
    "raises": (lambda size: 1 / 0, ZeroDivisionError, "division"),
    "exhausted": (lambda size: exhausted(), MemoryError, "mine"),
}


class Answer:
    def __init__(self, ptr, **attributes):
        self.ptr = ptr
        vars(self).update(attributes)


def exhausted():
    raise MemoryError("mine")


@pytest.mark.parametrize("name", BAD)
def test_bad_allocators(name):
    import gpunp
    from gpunp import cuda

    allocator, error, message = BAD[name]
    kept = gpunp.asarray(np.arange(10))
    cuda.set_allocator(allocator)
    for _ in range(2):
        with pytest.raises(error, match=message):
            gpunp.asarray(np.arange(10))
    with pytest.raises(RuntimeError, match="using_allocator"), cuda.using_allocator(allocator):
        cuda.set_allocator(None)
    cuda.set_allocator(None)
    assert kept.tolist() == gpunp.asarray(np.arange(10)).tolist()
    with pytest.raises(TypeError, match="callable"):
        cuda.using_allocator(3)


@pytest.mark.parametrize("answer", ["x", None, 0, -5, 1.5])
def test_bad_python_functions(answer):
    from gpunp import cuda

    allocator = cuda.PythonFunctionAllocator(lambda size, device: answer, lambda pointer, device: None)
    with pytest.raises((TypeError, MemoryError, ValueError), match="PythonFunctionAllocator: "):
        allocator.malloc(100)
    with pytest.raises(TypeError, match="free_func must be callable"):
        cuda.PythonFunctionAllocator(len, 3)


def test_c_functions(fake):
    from gpunp import cuda

    freed = []
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    def allocate(param, size, device):
        return None if size > 1000 else 4096

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    def free(param, pointer, device):
        freed.append((param, pointer, device))

    addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in (allocate, free)]
    allocator = cuda.CFunctionAllocator(7, *addresses, (allocate, free))
    pointer = allocator.malloc(100)
    assert (pointer.ptr, pointer.size) == (4096, 100)
    del pointer
    assert freed == [(7, 4096, 0)]
    with pytest.raises(MemoryError, match="null pointer"):
        allocator.malloc(2000)
    with pytest.raises(ValueError, match="address of a function is 0"):
        cuda.CFunctionAllocator(0, 0, 0, None)


def test_pools_over_allocators(fake):
    from gpunp import cuda

    calls = []

    def allocator(size):
        calls.append(size)
        return cuda.malloc_managed(size)

    pool = cuda.MemoryPool(allocator)
    first = pool.malloc(1000)
    address = first.ptr
    del first
    assert (pool.used_bytes(), pool.total_bytes()) == (0, 1024)
    assert (pool.free_bytes(), pool.n_free_blocks()) == (1024, 1)
    again = pool.malloc(900)
    assert again.ptr == address
    assert calls == [1024]
    with cuda.Stream():
        assert pool.malloc(900).ptr != address
    del again
    pool.free_all_blocks()
    assert pool.total_bytes() == pool.n_free_blocks() == 0
    pool.set_limit(4 * MIB)
    with pytest.raises(MemoryError, match="limit 4,194,304"):
        pool.malloc(5 * MIB)
    bad = cuda.MemoryPool(lambda size: None)
    with pytest.raises(TypeError, match=r"integer \.ptr"):
        bad.malloc(5)
    with pytest.raises(MemoryError, match="requested 5 bytes"):
        cuda.MemoryPool(lambda size: Answer(0)).malloc(5)
    with pytest.raises(TypeError, match="callable"):
        cuda.MemoryPool("x", device=0)
    with pytest.warns(DeprecationWarning, match="free_all_blocks"):
        pool.free_all_free()


def test_pools_over_exhausted_allocators():
    from gpunp import cuda

    living = []

    class Block:
        def __init__(self, size):
            if len(living) == 2:
                raise MemoryError("no more")
            self.memory = cuda.Memory(size)
            self.ptr = self.memory.ptr
            living.append(self.ptr)

        def __del__(self):
            if hasattr(self, "ptr"):
                living.remove(self.ptr)

    pool = cuda.MemoryPool(Block)
    kept = pool.malloc(1 * MIB)
    pool.malloc(2 * MIB)
    # What the pool keeps is given back before the allocator is asked again.
    second = pool.malloc(3 * MIB)
    assert len(living) == 2
    with pytest.raises(MemoryError, match="requested 4,194,304 bytes"):
        pool.malloc(4 * MIB)
    del kept, second


def test_pools_of_the_driver(cuda_device, fake):
    from gpunp import cuda
    from gpunp.cuda import runtime

    pool = cuda.MemoryAsyncPool()
    pointer = pool.malloc(1000)
    assert pool.used_bytes() == 1000
    assert pool.total_bytes() == 1000
    del pointer
    assert pool.used_bytes() == 0
    assert pool.free_bytes() == 1000
    pool.free_all_blocks()
    assert pool.total_bytes() == 0
    assert pool.memoryAsyncHasStat
    with pytest.raises(NotImplementedError, match="free_bytes"):
        pool.n_free_blocks()
    pool.set_limit("1MiB")
    assert pool.get_limit() == MIB
    kept = pool.malloc(MIB // 2)
    with pytest.raises(MemoryError, match="limit 1,048,576"):
        pool.malloc(MIB)
    del kept
    own = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0))
    other = cuda.MemoryAsyncPool([own, runtime.deviceGetDefaultMemPool(1)])
    assert other.malloc(10).size == 10
    for handles, error in (([own], "2 devices and 1"), ("mine", "'current', 'default'")):
        with pytest.raises(ValueError, match=error):
            cuda.MemoryAsyncPool(handles)
    with pytest.raises(ValueError, match="negative"):
        pool.malloc(-1)
    assert pool.malloc(0).ptr == 0


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
