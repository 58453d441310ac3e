"""Arrays in memory of RMM and of PyTorch's allocator, with the real packages on a GPU."""

import gc

import numpy as np
import pytest

import gpunp
from gpunp import cuda

MIB = 1 << 20


pytestmark = pytest.mark.usefixtures("on_cuda")


@pytest.fixture
def rmm(device):
    """RMM with a resource that counts what is allocated."""
    rmm = pytest.importorskip("rmm")
    # RMM's current device is that of the driver.
    cuda.driver.make_current(device)
    before = rmm.mr.get_current_device_resource()
    yield rmm
    gc.collect()
    device.synchronize()
    cuda.driver.make_current(device)
    rmm.mr.set_current_device_resource(before)


def in_use_of_torch(torch, device):
    gc.collect()
    return torch.cuda.memory_allocated(device.index)


RESOURCES = {
    "cuda": lambda mr: mr.CudaMemoryResource(),
    "async": lambda mr: mr.CudaAsyncMemoryResource(),
    "managed": lambda mr: mr.ManagedMemoryResource(),
    "pool": lambda mr: mr.PoolMemoryResource(mr.CudaMemoryResource(), 64 * MIB, 256 * MIB),
    "arena": lambda mr: mr.ArenaMemoryResource(mr.CudaMemoryResource(), 64 * MIB),
}


def computed(values):
    """A chain of calls with temporaries, of NumPy or device arrays."""
    for _ in range(3):
        result = np.sort(np.sqrt(values) @ values.T, axis=0) + values.sum()
    return result


@pytest.mark.parametrize("name", RESOURCES)
def test_arrays_of_rmm(rmm, device, name):
    counted = rmm.mr.TrackingResourceAdaptor(RESOURCES[name](rmm.mr))
    rmm.mr.set_current_device_resource(counted)
    values = np.random.default_rng(3).random((300, 400))
    # What calls keep for later ones is there before.
    computed(gpunp.asarray(values))
    pool = cuda.get_default_memory_pool()
    with cuda.using_allocator(cuda.rmm_allocator):
        before = pool.used_bytes()
        x = gpunp.asarray(values)
        assert counted.get_allocated_bytes() >= values.nbytes
        result = computed(x)
        # Less if garbage of an earlier test was collected meanwhile.
        assert pool.used_bytes() <= before
        np.testing.assert_allclose(result.get(), computed(values), rtol=1e-12)
        stream = cuda.Stream(non_blocking=True)
        with stream:
            y = gpunp.asarray(values) * 2
            stream.synchronize()
        np.testing.assert_array_equal(y.get(), values * 2)
    del x, y, result
    gc.collect()
    device.synchronize()
    assert counted.get_allocated_bytes() == 0


def test_memory_of_the_wrong_device(rmm, device):
    """A resource that allocates on another device than it was set for."""
    if cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    cuda.driver.make_current(1 - min(device.index, 1))
    pool = rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), 64 * MIB, 64 * MIB)
    rmm.mr.set_per_device_resource(device.index, pool)
    with cuda.using_allocator(cuda.rmm_allocator), pytest.raises(ValueError, match="rmm_allocator: memory"):
        gpunp.empty(1000)
    cuda.driver.make_current(device)


def test_exhausted_rmm(rmm, device):
    limited = rmm.mr.LimitingResourceAdaptor(rmm.mr.CudaMemoryResource(), MIB)
    rmm.mr.set_current_device_resource(limited)
    with cuda.using_allocator(cuda.rmm_allocator):
        kept = gpunp.arange(1000.0)
        for _ in range(3):
            with pytest.raises(MemoryError):
                gpunp.empty(2 * MIB, np.uint8)
        assert (kept + 1).sum().item() == 1000 * 999 / 2 + 1000
    del kept
    gc.collect()
    device.synchronize()
    assert limited.get_allocated_bytes() == 0
    assert gpunp.ones(10).sum().item() == 10


def test_graphs_with_rmm(rmm):
    counted = rmm.mr.TrackingResourceAdaptor(rmm.mr.CudaMemoryResource())
    rmm.mr.set_current_device_resource(counted)
    with cuda.using_allocator(cuda.rmm_allocator):
        x = gpunp.arange(1000.0)
        np.sqrt(x * 2)
        gc.collect()
        before = counted.get_allocated_bytes()
        with cuda.graph() as graph:
            y = np.sqrt(x * 2)
        # Memory of a graph is gpunp's own.
        assert counted.get_allocated_bytes() == before
        graph.launch()
        np.testing.assert_array_equal(y.get(), np.sqrt(np.arange(1000.0) * 2))


def test_arrays_of_torch(torch, device):
    values = np.random.default_rng(3).random((300, 400))
    torch.zeros(1, device=str(device))
    before = in_use_of_torch(torch, device)
    pool = cuda.get_default_memory_pool()
    with cuda.using_allocator(cuda.torch_allocator):
        ours = pool.used_bytes()
        x = gpunp.asarray(values)
        assert in_use_of_torch(torch, device) >= before + values.nbytes
        result = computed(x)
        assert pool.used_bytes() == ours
        np.testing.assert_allclose(result.get(), computed(values), rtol=1e-12)
        tensor = torch.from_dlpack(x)
        tensor += 1
        np.testing.assert_array_equal(x.get(), values + 1)
        stream = cuda.Stream(non_blocking=True)
        with stream:
            y = gpunp.asarray(values) * 2
            stream.synchronize()
        np.testing.assert_array_equal(y.get(), values * 2)
    del x, y, result, tensor
    device.synchronize()
    assert in_use_of_torch(torch, device) == before


def test_exhausted_torch(torch, device):
    torch.zeros(1, device=str(device))
    before = in_use_of_torch(torch, device)
    free, _ = torch.cuda.mem_get_info(device.index)
    with cuda.using_allocator(cuda.torch_allocator):
        kept = gpunp.arange(1000.0)
        for _ in range(3):
            with pytest.raises(MemoryError, match="torch_allocator: PyTorch has no"):
                gpunp.empty(2 * free, np.uint8)
        assert (kept + 1).sum().item() == 1000 * 999 / 2 + 1000
    del kept
    assert in_use_of_torch(torch, device) == before
    assert gpunp.ones(10).sum().item() == 10


def test_streams_of_torch_memory(torch, device):
    """A block that is freed is used again on its own stream only, after what is queued there."""
    first, second = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    n = 1 << 22
    results = []
    with cuda.using_allocator(cuda.torch_allocator):
        for turn in range(10):
            for stream in (first, second):
                with stream:
                    x = gpunp.full(n, float(turn))
                    for _ in range(5):
                        x = x + 1
                    results.append((turn + 5, x.sum()))
        device.synchronize()
    assert [total.item() for _, total in results] == [expected * n for expected, _ in results]


def test_pools_over_libraries(torch, device):
    torch.zeros(1, device=str(device))
    before = in_use_of_torch(torch, device)
    pool = cuda.MemoryPool(cuda.torch_allocator)
    with cuda.using_allocator(pool.malloc):
        x = gpunp.arange(1000.0)
        assert x.sum().item() == 1000 * 999 / 2
    assert pool.used_bytes() >= 8000
    del x
    pool.free_all_blocks()
    device.synchronize()
    assert in_use_of_torch(torch, device) == before
