"""Graphs of NumPy programs, allocators and textures on a GPU: results are those of the same calls."""

import gc
import subprocess
import sys

import numpy as np
import pytest

import gpunp
from gpunp import cuda


@pytest.fixture(autouse=True)
def gpu(device):
    """The device, which must be a GPU."""
    if device.is_cpu:
        pytest.skip("needs a GPU")
    with device:
        yield device


def step(u, f):
    """One step of Jacobi's iteration, in place."""
    u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])


@pytest.mark.parametrize("size", [16, 700])
def test_a_time_step(size):
    # 700 x 700 is large enough for calls to be deferred and fused.
    rng = np.random.default_rng(0)
    start, source = rng.random((size, size)), rng.random((size, size))
    expected = start.copy()
    for _ in range(20):
        step(expected, source)
    u, f = gpunp.asarray(start), gpunp.asarray(source)
    step(u, f)
    u[...] = gpunp.asarray(start)
    with cuda.graph() as graph:
        step(u, f)
    np.testing.assert_array_equal(u.get(), start)
    for _ in range(20):
        graph.launch()
    np.testing.assert_allclose(u.get(), expected, rtol=1e-12)


PROGRAMS = {
    "elementwise": lambda x, y: np.sqrt(x * x + y * y) / (1 + np.abs(x)),
    "reduction": lambda x, y: (x - x.mean(axis=0)) / x.std(axis=0) + y.sum(),
    "matmul": lambda x, y: x @ y.T,
    "scan and sort": lambda x, y: np.sort(np.cumsum(x, axis=1), axis=0) + y,
    "gather": lambda x, y: x[np.arange(x.shape[0])[::-1]] + y,
    "mixed host array": lambda x, y: x * np.linspace(0, 1, x.shape[1]) + y,
    "fft": lambda x, y: np.fft.irfft(np.fft.rfft(x, axis=1), n=x.shape[1], axis=1) + y,
    "where": lambda x, y: np.where(x > 0.5, x, y).clip(0.1, 0.9),
    "solve": lambda x, y: np.linalg.solve(x.T @ x + np.eye(x.shape[1]), y[0]),
}


@pytest.mark.parametrize("size", [(8, 6), (600, 300)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, size):
    program = PROGRAMS[name]
    rng = np.random.default_rng(1)
    first, second = (rng.random(size), rng.random(size)), (rng.random(size), rng.random(size))
    x, y = map(gpunp.asarray, first)
    # Plans, handles and kernels are made before the capture.
    program(x, y)
    with cuda.graph() as graph:
        result = program(x, y)
    for values in (first, second):
        x[...], y[...] = map(gpunp.asarray, values)
        graph.launch()
        np.testing.assert_allclose(result.get(), program(*values), rtol=1e-9, atol=1e-12)


FIRST = """
import gpunp
x = gpunp.ones(1 << 20)
with gpunp.cuda.graph() as graph:
    total = x.sum()
graph.launch()
print(float(total))
"""


def test_the_first_reduction_of_a_process():
    # What reductions keep is made before the capture, which cannot wait for it.
    done = subprocess.run([sys.executable, "-P", "-c", FIRST], capture_output=True, text=True, check=False)
    assert done.stdout == "1048576.0\n", done.stderr


def test_twenty_small_calls():
    x = gpunp.asarray(np.linspace(0, 1, 1000))
    with cuda.graph() as graph:
        y = x
        for _ in range(10):
            y = np.sin(y) + 0.5
    assert len(graph) == 20
    graph.launch()
    expected = np.linspace(0, 1, 1000)
    for _ in range(10):
        expected = np.sin(expected) + 0.5
    np.testing.assert_allclose(y.get(), expected, rtol=1e-13)


def test_the_memory_of_a_graph_is_its_own():
    x = gpunp.asarray(np.arange(1000.0))
    with cuda.graph() as graph:
        y = (x + 1) * 2
        z = y + x
        del y
    garbage = [gpunp.full(1000, -1.0) for _ in range(100)]
    for value in range(3):
        x[...] = value
        graph.launch()
        assert (z.get() == (value + 1) * 2 + value).all()
        assert all((g.get() == -1).all() for g in garbage)
    pool = cuda.get_default_memory_pool()
    used = pool.used_bytes()
    del graph, z
    gc.collect()
    assert pool.used_bytes() < used


def test_scalars_of_a_graph_are_read_anew():
    x = gpunp.ones(100)
    with cuda.graph() as graph:
        total = x.sum()
    for value in (1.0, 2.0, 3.0):
        x[...] = value
        graph.launch()
        assert float(total) == 100 * value


REFUSED = {
    "item": lambda x: float(x.sum()),
    "truth": lambda x: bool(x[0] > 0),
    "mask": lambda x: x[x > 0.5],
    "unique": np.unique,
    "print": str,
    "get": lambda x: x.get(),
    "wait": lambda x: x.device.synchronize(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_reads_values_is_refused(name):
    x = gpunp.asarray(np.linspace(0, 1, 5000))
    block = cuda.graph()

    def run():
        with block:
            y = x + 1
            REFUSED[name](y)

    with pytest.raises(RuntimeError, match="cannot be part of a graph"):
        run()
    # Everything works afterwards.
    REFUSED[name](x)
    with cuda.graph() as graph:
        y = x + 1
    graph.launch()
    np.testing.assert_array_equal(y.get(), x.get() + 1)


def test_errors_in_the_data_are_raised():
    x = gpunp.asarray(np.arange(10.0))
    index = gpunp.asarray(np.array([1, 2]))
    np.take(x, index)
    with cuda.graph() as graph:
        y = np.take(x, index)
    graph.launch()
    assert y.get().tolist() == [1, 2]
    index[...] = 99
    graph.launch()
    with pytest.raises(IndexError, match="out of bounds"):
        x.device.synchronize()
    index[...] = 3
    graph.launch()
    assert y.get().tolist() == [3, 3]


def test_graphs_on_streams_with_events():
    x = gpunp.zeros(1 << 20)
    with cuda.graph() as graph:
        x += 1
    stream = cuda.Stream(non_blocking=True)
    stream.wait_stream(cuda.get_current_stream())
    start, end = cuda.Event().record(stream), cuda.Event()
    for _ in range(10):
        graph.launch(stream)
    end.record(stream).synchronize()
    assert cuda.get_elapsed_time(start, end) > 0
    assert (x.get() == 10).all()
    assert "digraph" in graph.debug_dot_str()


ALLOCATORS = {
    "managed": lambda: cuda.malloc_managed,
    "async": lambda: cuda.malloc_async,
    "async pool": lambda: cuda.MemoryAsyncPool().malloc,
    "pool": lambda: cuda.MemoryPool().malloc,
    "pool of managed": lambda: cuda.MemoryPool(cuda.malloc_managed).malloc,
    "functions": lambda: (
        cuda.PythonFunctionAllocator(
            lambda size, device: cuda.runtime.malloc(size), lambda pointer, device: cuda.runtime.free(pointer)
        ).malloc
    ),
    "rmm": lambda: cuda.rmm_allocator if pytest.importorskip("rmm") else None,
    "torch": lambda: cuda.torch_allocator if pytest.importorskip("torch") else None,
    "torch by functions": lambda: _torch_allocator().malloc,
}


def _torch_allocator():
    torch = pytest.importorskip("torch")
    return cuda.PythonFunctionAllocator(
        lambda size, device: torch.cuda.caching_allocator_alloc(size, device),
        lambda pointer, device: torch.cuda.caching_allocator_delete(pointer),
    )


@pytest.mark.parametrize("name", ALLOCATORS)
def test_programs_with_allocators(name):
    values = np.random.default_rng(2).random((300, 400))
    with cuda.using_allocator(ALLOCATORS[name]()):
        x = gpunp.asarray(values)
        for _ in range(3):
            result = np.sort(np.sqrt(x) @ x.T, axis=0)
        with cuda.graph() as graph:
            y = x * 2
        graph.launch()
        np.testing.assert_allclose(result.get(), np.sort(np.sqrt(values) @ values.T, axis=0), rtol=1e-12)
        np.testing.assert_array_equal(y.get(), values * 2)


FETCH = r"""
extern "C" __global__ void fetch(cudaTextureObject_t texture, float* out, int width, int height,
                                 float shift) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = tex2D<float>(texture, x + 0.5f + shift, y + 0.5f);
}
extern "C" __global__ void write(cudaSurfaceObject_t surface, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) surf2Dwrite<float>(x + 100.0f * y, surface, x * (int)sizeof(float), y);
}
"""


@pytest.mark.parametrize("kind", ["array", "pitch"])
@pytest.mark.parametrize("shift", [0, 0.5])
def test_textures(kind, shift):
    from gpunp.cuda import runtime, texture

    height, width = 48, 64
    values = np.random.default_rng(3).random((height, width)).astype(np.float32)
    desc = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    if kind == "array":
        memory = texture.CUDAarray(desc, width, height)
        memory.copy_from(gpunp.asarray(values))
        resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=memory)
    else:
        resource = texture.ResourceDescriptor(
            runtime.cudaResourceTypePitch2D,
            arr=gpunp.asarray(values),
            chDesc=desc,
            width=width,
            height=height,
            pitchInBytes=4 * width,
        )
    mode = runtime.cudaAddressModeClamp
    sampled = texture.TextureDescriptor((mode, mode), runtime.cudaFilterModeLinear)
    out = gpunp.empty((height, width), np.float32)
    kernel = gpunp.RawModule(FETCH).get_function("fetch")
    image = texture.TextureObject(resource, sampled)
    kernel((4, 3), (16, 16), (image, out, width, height, np.float32(shift)))
    right = np.concatenate([values[:, 1:], values[:, -1:]], axis=1)
    expected = values if shift == 0 else (values + right) / 2
    np.testing.assert_allclose(out.get(), expected, atol=2e-3)


def test_surfaces():
    from gpunp.cuda import runtime, texture

    height, width = 48, 64
    desc = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    memory = texture.CUDAarray(desc, width, height, flags=runtime.cudaArraySurfaceLoadStore)
    surface = texture.SurfaceObject(texture.ResourceDescriptor(0, cuArr=memory))
    kernel = gpunp.RawModule(FETCH).get_function("write")
    kernel((4, 3), (16, 16), (surface, width, height))
    result = np.zeros((height, width), np.float32)
    memory.copy_to(result)
    np.testing.assert_array_equal(result, np.arange(width) + 100 * np.arange(height)[:, None])


def test_functions_of_the_runtime():
    from gpunp.cuda import runtime

    pointer = runtime.mallocManaged(8000)
    array = gpunp.ndarray(1000, memptr=cuda.MemoryPointer(cuda.UnownedMemory(pointer, 8000, None), 0))
    array[...] = np.arange(1000)
    runtime.deviceSynchronize()
    host = np.zeros(1000)
    runtime.memcpy(host.ctypes.data, pointer, 8000, runtime.memcpyDeviceToHost)
    assert host.tolist() == list(range(1000))
    assert runtime.pointerGetAttributes(pointer).type == runtime.memoryTypeManaged
    del array
    runtime.free(pointer)
    assert runtime.get_local_runtime_version() >= 13000
    properties = runtime.getDeviceProperties(0)
    assert properties["warpSize"] == 32
    handle = runtime.malloc(1 << 20)
    assert len(runtime.ipcGetMemHandle(handle)) == 64
    runtime.free(handle)
    event = runtime.eventCreateWithFlags(runtime.eventInterprocess | runtime.eventDisableTiming)
    assert len(runtime.ipcGetEventHandle(event)) == 64
    runtime.eventDestroy(event)


def test_host_functions():
    calls = []
    x = gpunp.zeros(1 << 20)
    stream = cuda.Stream(non_blocking=True)
    with stream:
        x += 1
        stream.launch_host_func(calls.append, "done")
        stream.synchronize()
    assert calls == ["done"]


@pytest.mark.parametrize("count", [1, 2])
def test_nccl(count):
    pytest.importorskip("nccl.core", reason="nccl4py is not installed")
    from gpunp.cuda import nccl, runtime

    if runtime.getDeviceCount() < count:
        pytest.skip(f"needs {count} GPUs")
    assert nccl.get_version() >= 22000
    communicators = nccl.NcclCommunicator.initAll(count)
    arrays = [gpunp.arange(10.0, device=f"cuda:{i}") for i in range(count)]
    nccl.groupStart()
    for comm, a in zip(communicators, arrays, strict=True):
        comm.allReduce(a.data.ptr, a.data.ptr, a.size, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, 0)
    nccl.groupEnd()
    for i, (comm, a) in enumerate(zip(communicators, arrays, strict=True)):
        assert a.get().tolist() == [count * float(x) for x in range(10)]
        assert (comm.size(), comm.rank_id(), comm.device_id()) == (count, i, i)
        comm.check_async_error()
        comm.destroy()
