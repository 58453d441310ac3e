"""Checked driver calls, and the errors on machines without a usable driver."""

import subprocess
import sys

import pytest


@pytest.mark.fake_driver
def test_counts_and_versions():
    import gpunp.cuda

    assert gpunp.cuda.is_available()
    assert gpunp.cuda.device_count() == 2
    assert gpunp.cuda.driver_version() == (13, 0)


@pytest.mark.fake_driver(FAKE_DEVICES="0")
def test_no_device():
    import gpunp.cuda

    assert not gpunp.cuda.is_available()
    with pytest.raises(gpunp.cuda.CUDADriverError, match=r"CUDA_VISIBLE_DEVICES.*GPUNP_DEVICE=cpu"):
        gpunp.cuda.device_count()


@pytest.mark.fake_driver(FAKE_VERSION="12080")
def test_old_driver():
    import gpunp.cuda

    with pytest.raises(gpunp.cuda.CUDADriverError, match=r"CUDA 12\.8, gpunp needs 13\.0"):
        gpunp.cuda.device_count()


@pytest.mark.fake_driver
def test_missing_device_index():
    from gpunp.device import Device

    with pytest.raises(ValueError, match="no CUDA device 7; this process sees 2: 0 to 1"):
        Device("cuda", 7)


@pytest.mark.fake_driver
def test_errors_name_the_call(cuda_device, units):
    import pickle

    import gpunp.cuda

    units("unit", "nothing")
    with pytest.raises(gpunp.cuda.CUDADriverError, match="cuLaunchKernel failed: CUDA_ERROR_INV") as caught:
        cuda_device.launch_kernel(cuda_device.get_kernel("unit", "nothing"), (1, 1, 1), 2048, b"1234")
    error = caught.value
    assert (error.call, error.name, error.code) == ("cuLaunchKernel", "CUDA_ERROR_INVALID_VALUE", 1)
    assert "unit/nothing" in error.__notes__[0]
    assert pickle.loads(pickle.dumps(error)).name == error.name


def test_import_loads_no_cuda():
    code = "import sys, gpunp.cuda; sys.exit(any(name.startswith('cuda') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0


def test_names_without_cuda_hardware():
    import gpunp.cuda

    assert gpunp.cuda.is_available() in (True, False)
    assert {"Stream", "MemoryPool", "set_allocator"} <= set(dir(gpunp.cuda))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gpunp.cuda.nothing
