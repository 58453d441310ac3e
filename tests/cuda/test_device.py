"""CUDA devices: attributes, loading kernels, launching them, and the status word."""

import struct
import time

import pytest
from launches import last_launch

pytestmark = pytest.mark.fake_driver()


def test_attributes(cuda_device):
    assert cuda_device.name == "Fake GPU 0"
    assert cuda_device.compute_capability == (9, 0)
    assert cuda_device.multiprocessors == 132
    assert cuda_device.l2_bytes == 50 << 20
    assert cuda_device.memory_info == (1 << 30, 1 << 30)
    assert str(cuda_device) == "cuda:0"


def test_one_object_a_device(cuda_device):
    from gpunp.device import Device

    assert Device("cuda", 0) is cuda_device
    assert Device("cuda:1") is not cuda_device


def test_launch_passes_shape_stream_and_parameters(cuda_device, fake, units):
    import gpunp.cuda

    units("memory", "fill nothing")
    buffer = gpunp.cuda.get_default_memory_pool().malloc(100)
    kernel = cuda_device.get_kernel("memory", "fill")
    params = struct.pack("PQi4x", buffer.address, 100, 7)
    with gpunp.cuda.Stream() as stream:
        cuda_device.launch_kernel(kernel, (3, 2, 1), 64, params, 1024)
        result = bytearray(100)
        buffer.copy_to(result)
    assert result == b"\x07" * 100
    assert last_launch(fake) == [3, 2, 1, 64, 1, 1, 1024, stream.ptr, 0]


def test_units_are_loaded_once(cuda_device, fake, units):
    units("pair", "first second")
    assert cuda_device.get_kernel("pair", "first") is cuda_device.get_kernel("pair", "first")
    cuda_device.get_kernel("pair", "second")
    assert fake.fake_calls(b"cuModuleLoadData") == 1
    assert fake.fake_calls(b"cuModuleGetFunction") == 2


def test_missing_kernels(cuda_device, units):
    units("known", "kernel")
    units("foreign", "other arch")
    with pytest.raises(RuntimeError, match=r"absent\.fatbin was not found"):
        cuda_device.get_kernel("absent", "kernel")
    with pytest.raises(RuntimeError, match="unit known has no kernel absent"):
        cuda_device.get_kernel("known", "absent")
    with pytest.raises(RuntimeError, match=r"foreign was not built for Fake GPU 0 \(compute .* 9\.0\)"):
        cuda_device.get_kernel("foreign", "kernel")


def test_shared_memory_is_asked_for_when_it_grows(cuda_device, fake, units):
    units("shared", "kernel")
    kernel = cuda_device.get_kernel("shared", "kernel")
    # The first call asks for 48 KiB: without, those are reduced by the static shared memory of the kernel.
    for shared_bytes in (1000, 49152, 100_000, 90_000, 120_000):
        cuda_device.launch_kernel(kernel, (1, 1, 1), 32, b"1234", shared_bytes)
    assert fake.fake_calls(b"cuFuncSetAttribute") == 3
    with pytest.raises(RuntimeError, match="300000 bytes of shared memory"):
        cuda_device.launch_kernel(kernel, (1, 1, 1), 32, b"1234", 300_000)


def test_context_is_restored_after_other_libraries(cuda_device, fake, units):
    units("unit", "nothing")
    kernel = cuda_device.get_kernel("unit", "nothing")
    fake.fake_drop_context()
    cuda_device.launch_kernel(kernel, (1, 1, 1), 32, b"1234")
    assert fake.fake_calls(b"cuLaunchKernel") == 1


@pytest.mark.parametrize(
    ("bit", "error", "text"), [(1, ValueError, "negative integer powers"), (2, IndexError, "out of bounds")]
)
def test_status_is_raised_once(cuda_device, units, bit, error, text):
    import gpunp.cuda

    units("status", "set_status nothing")
    kernel = cuda_device.get_kernel("status", "set_status")

    def report(bits=bit):
        params = struct.pack("PI4x", cuda_device.status_address, bits)
        cuda_device.launch_kernel(kernel, (1, 1, 1), 1, params)

    report()
    with pytest.raises(error, match=text):
        cuda_device.synchronize()
    cuda_device.synchronize()

    # Without synchronization, the next call after the kernel has run raises.
    report()
    stream = gpunp.cuda.get_current_stream()
    while not stream.done:
        time.sleep(0.001)
    with pytest.raises(error, match=text):
        report(0)
    report()
    with pytest.raises(error, match=text):
        stream.synchronize()

    # A download synchronizes, so it raises too.
    buffer = gpunp.cuda.get_default_memory_pool().malloc(8)
    report()
    with pytest.raises(error, match=text):
        buffer.copy_to(bytearray(8))
