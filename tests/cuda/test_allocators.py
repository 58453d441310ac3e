"""Allocators, pools over allocators and the pools of the driver, on the stand-in driver."""

import ctypes
import gc

import numpy as np
import pytest
from allocators import ALLOCATORS

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]
MIB = 1 << 20


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
