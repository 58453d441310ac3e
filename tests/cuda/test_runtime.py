"""Devices, streams and pools under the names that CUDA programs use."""

import pytest

pytestmark = pytest.mark.fake_driver()


def test_devices_by_number(cuda_device):
    import gpunp
    from gpunp import cuda

    assert cuda.Device(0) is cuda_device
    assert cuda.Device(cuda_device) is cuda_device
    cuda.Device(0).use()
    assert cuda.Device() is cuda_device
    cuda.Device().synchronize()
    with cuda.Device(0):
        assert gpunp.zeros(2).device is cuda_device


def test_null_stream(cuda_device):
    from gpunp import cuda

    assert cuda.Stream.null.ptr == 0
    assert cuda.Stream.null == cuda.Stream().null == cuda.Stream.legacy_default()
    cuda.Stream.null.synchronize()
    with cuda.Stream.null as stream:
        assert cuda.get_current_stream() is stream


def test_runtime(cuda_device):
    from gpunp.cuda import runtime

    assert runtime.getDeviceCount() >= 1
    runtime.setDevice(0)
    assert runtime.getDevice() == 0
    runtime.deviceSynchronize()
    assert runtime.driverGetVersion() >= 13000
    free, total = runtime.memGetInfo()
    assert 0 < free <= total
    properties = runtime.getDeviceProperties(0)
    assert properties["name"].decode() == cuda_device.name
    assert (properties["major"], properties["minor"]) == cuda_device.compute_capability
    assert properties["multiProcessorCount"] == cuda_device.multiprocessors


def test_pools(cuda_device):
    import gpunp
    from gpunp import cuda

    pool = gpunp.get_default_memory_pool(cuda_device)
    assert pool is cuda.get_default_memory_pool()
    with cuda_device:
        a = gpunp.zeros(1024)
    assert pool.used_bytes() >= a.nbytes
    pool.free_all_blocks()
    assert gpunp.get_default_pinned_memory_pool() is cuda.get_default_pinned_memory_pool()
    gpunp.get_default_pinned_memory_pool().free_all_blocks()


def test_copies_on_a_stream(cuda_device):
    import numpy as np

    import gpunp
    from gpunp import cuda

    with cuda_device:
        a = gpunp.asarray([1.0, 2.0, 3.0])
        stream = cuda.Stream()
        out = np.empty(3)
        assert a.get(stream=stream, out=out) is out
        assert out.tolist() == gpunp.asnumpy(a, stream).tolist() == [1, 2, 3]
        a.set(np.array([4.0, 5.0, 6.0]), stream=stream)
        assert a.get(stream, blocking=False).tolist() == [4, 5, 6]
        with pytest.raises(TypeError, match="out="):
            a.get(out)
        with pytest.raises(TypeError, match="Stream"):
            gpunp.asnumpy(a, stream=3)
