"""No memory left, and memory that was freed: errors that say so, and everything else stays usable."""

import gc

import numpy as np
import pytest
from allocators import ALLOCATORS

MIB = 1 << 20
FUNCTIONS = ("python", "pool of python")


def too_much(allocator, size):
    """Ask for more than there is, as memory and as an array, in and out of a pool."""
    import gpunp
    from gpunp import cuda

    # What a function of the user raises is passed on.
    errors = (MemoryError, cuda.CUDADriverError)
    with cuda.using_allocator(allocator):
        kept = gpunp.asarray(np.arange(1000.0))
        for _ in range(3):
            with pytest.raises(errors, match=r"out of memory|OUT_OF_MEMORY|memory"):
                allocator(size)
            with pytest.raises(errors):
                cuda.alloc(size)
            with pytest.raises(errors):
                gpunp.empty(size, np.uint8)
        again = gpunp.asarray(np.arange(1000.0))
        assert kept.tolist() == again.tolist() == list(range(1000))
    return kept


@pytest.mark.fake_driver
@pytest.mark.parametrize("name", ALLOCATORS)
def test_exhausted_stand_in(cuda_device, fake, name):
    from gpunp import cuda

    cuda_device.use()
    allocator = ALLOCATORS[name](cuda)
    before = fake.fake_living_blocks()
    fake.fake_set_memory(MIB)
    try:
        kept = too_much(allocator, 2 * MIB)
        if name not in FUNCTIONS:
            with pytest.raises(MemoryError, match=r"out of memory on cuda:0|requested"):
                allocator(2 * MIB)
    finally:
        fake.fake_set_memory(1 << 34)
    del kept
    gc.collect()
    assert allocator(2 * MIB).size >= 2 * MIB
    owner = getattr(allocator, "__self__", None)
    if hasattr(owner, "free_all_blocks"):
        owner.free_all_blocks()
    cuda_device.synchronize()
    cuda.get_default_memory_pool().free_all_blocks()
    assert fake.fake_living_blocks() == before


@pytest.mark.parametrize("name", ALLOCATORS)
def test_exhausted(device, name):
    """The same on a GPU."""
    if device.is_cpu:
        pytest.skip("needs a GPU")
    from gpunp import cuda

    pool = cuda.get_default_memory_pool()
    used = pool.used_bytes()
    kept = too_much(ALLOCATORS[name](cuda), 1 << 50)
    assert (kept + 1).sum().item() == 1000 * 1001 / 2
    del kept
    gc.collect()
    device.synchronize()
    # Less if garbage of an earlier test was collected meanwhile.
    assert pool.used_bytes() <= used


@pytest.mark.fake_driver
def test_freed_memory(cuda_device):
    """Pointers keep their memory; a freed address is not usable."""
    import gpunp
    from gpunp import cuda
    from gpunp.cuda import runtime

    cuda_device.use()
    address = runtime.malloc(800)
    memory = cuda.UnownedMemory(address, 800, None)
    array = gpunp.ndarray(100, memptr=cuda.MemoryPointer(memory, 0))
    array.set(np.arange(100.0))
    assert array.tolist() == list(range(100))
    runtime.free(address)
    with pytest.raises(ValueError, match="is not an address of memory on a CUDA device"):
        cuda.UnownedMemory(address, 800, None)
    with pytest.raises(cuda.CUDADriverError, match="cuMemFree"):
        runtime.free(address)
    pointer = cuda.alloc(800) + 400
    gc.collect()
    pointer.copy_from(bytes(range(200)) * 2)
    assert bytes(read(pointer)) == bytes(range(200)) * 2
    view = gpunp.ndarray(10, memptr=pointer)
    del pointer
    gc.collect()
    cuda.get_default_memory_pool().free_all_blocks()
    assert view.view(np.uint8)[:5].tolist() == list(range(5))


def read(pointer):
    target = bytearray(pointer.size)
    pointer.copy_to(target)
    return target[:400]
