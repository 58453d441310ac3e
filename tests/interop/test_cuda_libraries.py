"""Arrays shared with PyTorch, JAX, CuPy and numba-cuda kernels in both directions, without copies."""

import gc
import os
import weakref

import numpy as np
import pytest

import gpunp

CHARS = "?bBhHiIqQefdFD"
# Without unsigned integers of 2 to 8 bytes: PyTorch has them since 2.3, with few operations.
TORCH_CHARS = "?bBhiqefdFD"


pytestmark = pytest.mark.usefixtures("on_cuda")


def layouts(char):
    base = gpunp.asarray(np.arange(24).reshape(4, 6).astype(char))
    return base, base.T, base[1::2, ::3], base[2, 3, ...]


def same(a, host):
    assert a.dtype == host.dtype
    np.testing.assert_array_equal(gpunp.asnumpy(a), host, strict=True)


@pytest.mark.parametrize("char", TORCH_CHARS)
def test_arrays_in_torch(torch, char, device):
    for a in layouts(char):
        for tensor in (torch.from_dlpack(a), torch.as_tensor(a, device=str(device))):
            assert tensor.data_ptr() == a.data_address
            assert tensor.device.index == device.index
            np.testing.assert_array_equal(tensor.cpu().numpy(), gpunp.asnumpy(a), strict=True)


@pytest.mark.parametrize("char", TORCH_CHARS)
def test_tensors_as_arrays(torch, char, device):
    host = np.arange(24).reshape(4, 6).astype(char)
    tensor = torch.as_tensor(host, device=str(device))
    for t, expected in ((tensor, host), (tensor.T, host.T), (tensor[1::2, ::3], host[1::2, ::3])):
        for a in (gpunp.asarray(t), gpunp.from_dlpack(t)):
            assert a.data_address == t.data_ptr()
            assert a.device is device
            same(a, expected)


def test_torch_and_arrays_write_the_same_memory(torch, device):
    a = gpunp.zeros(5)
    tensor = torch.from_dlpack(a)
    tensor += 1
    a *= 3
    tensor[1] = 7
    assert a.tolist() == tensor.tolist() == [3, 7, 3, 3, 3]


def test_streams_of_torch_are_ordered(torch, device):
    n = 1 << 24
    side = torch.cuda.Stream(device=str(device))
    a = gpunp.zeros(n)
    for _ in range(20):
        a += 1
    with torch.cuda.stream(side):
        # from_dlpack makes the side stream wait for the additions.
        total = torch.from_dlpack(a).sum()
        tensor = torch.full((n,), 2.0, device=str(device), dtype=torch.float64)
        for _ in range(20):
            tensor += 1
        b = gpunp.from_dlpack(tensor)
    assert b.sum().item() == 22 * n
    assert total.item() == 20 * n
    with gpunp.cuda.ExternalStream(side.cuda_stream, device):
        c = gpunp.ones(n) * 2
    torch.cuda.synchronize(device.index)
    assert c.sum().item() == 2 * n


def test_lifetimes_with_torch(torch, device):
    a = gpunp.arange(1000.0)
    address, alive = a.data_address, weakref.ref(a)
    tensor = torch.from_dlpack(a)
    del a
    gc.collect()
    assert alive() is not None
    gpunp.zeros(1000)
    assert tensor.data_ptr() == address
    assert tensor.sum().item() == 999 * 500
    del tensor
    gc.collect()
    assert alive() is None
    tensor = torch.arange(1000, device=str(device))
    b = gpunp.from_dlpack(tensor)[::2]
    del tensor
    gc.collect()
    torch.zeros(1000, device=str(device))
    assert b.sum().item() == 2 * 499 * 250


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.mark.parametrize("char", CHARS)
def test_arrays_in_cupy_and_back(cupy, char, device):
    with cupy.cuda.Device(device.index):
        for a in layouts(char):
            host = gpunp.asnumpy(a)
            for theirs in (cupy.asarray(a), cupy.from_dlpack(a)):
                assert theirs.data.ptr == a.data_address
                np.testing.assert_array_equal(theirs.get(), host, strict=True)
                for ours in (gpunp.asarray(theirs), gpunp.from_dlpack(theirs)):
                    assert ours.data_address == a.data_address
                    assert ours.device is device
                    same(ours, host)


def test_cupy_and_arrays_write_the_same_memory(cupy, device):
    with cupy.cuda.Device(device.index):
        theirs = cupy.zeros((2, 3))
        ours = gpunp.asarray(theirs)
        ours += 1
        theirs *= 2
        ours[0, 0] = 9
        assert theirs.tolist() == ours.tolist() == [[9, 2, 2], [2, 2, 2]]


@pytest.fixture(scope="module")
def jax():
    # JAX reads this when imported; without it JAX preallocates most of the device's memory.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    try:
        jax.devices("gpu")
    except RuntimeError:
        pytest.skip("this JAX has no CUDA")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("char", "bBhHiIqQefdFD")
def test_arrays_in_jax_and_back(jax, char, device):
    a = gpunp.asarray(np.arange(24).reshape(4, 6).astype(char))
    host = gpunp.asnumpy(a)
    theirs = jax.dlpack.from_dlpack(a)
    assert theirs.unsafe_buffer_pointer() == a.data_address
    np.testing.assert_array_equal(np.asarray(theirs), host, strict=True)
    made = jax.device_put(host, jax.devices("gpu")[device.index])
    ours = gpunp.from_dlpack(made)
    assert ours.data_address == made.unsafe_buffer_pointer()
    assert gpunp.asarray(made).data_address == made.unsafe_buffer_pointer()
    assert ours.device is device
    same(ours, host)


@pytest.fixture(scope="module")
def numba_cuda():
    with pytest.MonkeyPatch.context() as patch:
        # numba-cuda 0.30 uses this name, which NumPy 2.5 has removed.
        if not hasattr(np, "row_stack"):
            patch.setattr(np, "row_stack", np.vstack, raising=False)
        numba_cuda = pytest.importorskip("numba.cuda", exc_type=ImportError)
        if not numba_cuda.is_available():
            pytest.skip("numba sees no CUDA device")
        pytest.importorskip("numba.cuda.np.arrayobj", exc_type=ImportError)
        yield numba_cuda


@pytest.fixture(scope="module")
def doubled(numba_cuda):
    @numba_cuda.jit
    def kernel(source, target):
        i, j = numba_cuda.grid(2)
        if i < source.shape[0] and j < source.shape[1]:
            target[i, j] = source[i, j] + source[i, j]

    def run(source, target):
        kernel[(16, 16), (8, 8)](source, target)

    return run


@pytest.mark.parametrize("char", "bIqfdF")
def test_kernels_of_numba_take_arrays(numba_cuda, doubled, char, device):
    with numba_cuda.gpus[device.index]:
        base = gpunp.asarray(np.arange(24).reshape(4, 6).astype(char))
        for a in (base, base.T, base[1::2, ::3]):
            theirs = numba_cuda.as_cuda_array(a)
            assert theirs.device_ctypes_pointer.value == a.data_address
            out = gpunp.zeros_like(a)
            doubled(a, out)
            same(out, gpunp.asnumpy(a) * 2)
            # Source and target share memory, between two operations queued by gpunp.
            a += 1
            doubled(a, a)
            a -= 2
            same(a, gpunp.asnumpy(out))


@pytest.mark.parametrize("char", "?bBhHiIqQefdFD")
def test_arrays_of_numba(numba_cuda, char, device):
    host = np.arange(24).reshape(4, 6).astype(char)
    with numba_cuda.gpus[device.index]:
        theirs = numba_cuda.to_device(host)
        ours = gpunp.asarray(theirs)
        assert ours.data_address == theirs.device_ctypes_pointer.value
        assert ours.device is device
        same(ours, host)
        ours[0] = ours[1]
        np.testing.assert_array_equal(theirs.copy_to_host()[0], host[1])
        alive = weakref.ref(theirs)
        del theirs
        gc.collect()
        assert alive() is not None
        del ours
        gc.collect()
        assert alive() is None


def test_streams_of_numba(numba_cuda, doubled, device):
    with numba_cuda.gpus[device.index]:
        stream = numba_cuda.stream()
        n = 1 << 20
        host = np.ones((16, n // 16))
        theirs = numba_cuda.to_device(host, stream=stream)
        # A numba array names its stream in the interface; gpunp's current stream waits for that one.
        assert gpunp.asarray(theirs).sum().item() == n
        with gpunp.cuda.ExternalStream(stream, device) as ours:
            assert ours.ptr == int(stream)
            assert gpunp.cuda.get_current_stream() == ours
            a = gpunp.ones((128, 128)) * 3
            assert a.__cuda_array_interface__["stream"] == ours.ptr
            doubled(a, a)
        assert a.sum().item() == 6 * 128 * 128
