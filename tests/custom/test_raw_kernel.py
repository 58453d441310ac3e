"""`RawKernel` on the device under test: real launches on a GPU, clear errors on the CPU device."""

import io
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import gpunp

AXPY = r"""
extern "C" __global__ void axpy(const float* x, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""
SIZES = (1, 31, 32, 33, 255, 256, 257, 10_000)


def blocks(n, threads=256):
    return ((n + threads - 1) // threads,)


def test_construction_needs_no_gpu():
    kernel = gpunp.RawKernel(AXPY, "axpy", ("-DN=1",), jitify=True)
    assert repr(kernel) == "<RawKernel axpy>"
    assert (kernel.name, kernel.code, kernel.options) == ("axpy", AXPY, ("-DN=1",))
    assert (kernel.backend, kernel.file_path, kernel.enable_cooperative_groups) == ("nvrtc", None, False)
    copy = pickle.loads(pickle.dumps(kernel))
    assert (copy.name, copy.code, copy.options) == ("axpy", AXPY, ("-DN=1",))


def test_the_cpu_device_runs_none(device):
    if not device.is_cpu:
        pytest.skip("a GPU")
    kernel = gpunp.RawKernel(AXPY, "axpy")
    a = gpunp.zeros(8, np.float32)
    for use in (
        lambda: kernel((1,), (8,), (a, a, 1.0, 8)),
        lambda: kernel.num_regs,
        lambda: kernel.attributes,
    ):
        with pytest.raises(RuntimeError, match=r"axpy is CUDA C\+\+ for a GPU.*gpunp\.ElementwiseKernel"):
            use()
    with pytest.raises(RuntimeError, match="compiled for a GPU"):
        kernel.compile()


@pytest.mark.parametrize(
    ("arguments", "keywords", "exception", "match"),
    [
        ((None, "f"), {}, TypeError, "exactly one of code and path"),
        ((3, "f"), {}, TypeError, "code must be a str"),
        ((AXPY, b"f"), {}, TypeError, "name must be a str"),
        ((AXPY, "f", "-O3"), {}, TypeError, "options must be a tuple of strings, not the string '-O3'"),
        ((AXPY, "f", (3,)), {}, TypeError, "options must be a tuple of strings, 3 is none"),
        ((AXPY, "f"), {"backend": "hip"}, ValueError, "backend must be 'nvrtc' or 'nvcc', not 'hip'"),
    ],
)
def test_wrong_construction(arguments, keywords, exception, match):
    with pytest.raises(exception, match=match):
        gpunp.RawKernel(*arguments, **keywords)


@pytest.mark.parametrize("n", SIZES)
def test_results(gpu, rng, n):
    x, y = rng.random((2, n), np.float32)
    out = gpunp.asarray(y)
    gpunp.RawKernel(AXPY, "axpy")(blocks(n), (256,), (gpunp.asarray(x), out, np.float32(2.5), np.int32(n)))
    np.testing.assert_allclose(gpunp.asnumpy(out), y + np.float32(2.5) * x, rtol=1e-6)


def test_grid_in_three_dimensions(gpu):
    kernel = gpunp.RawKernel(
        r"""extern "C" __global__ void where(int* out) {
            int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
            int z = blockIdx.z * blockDim.z + threadIdx.z;
            out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = x + 100 * y + 10000 * z;
        }""",
        "where",
    )
    out = gpunp.empty((6, 12, 20), np.int32)
    kernel((5, 3, 2), (4, 4, 3), (out,))
    z, y, x = np.indices(out.shape)
    np.testing.assert_array_equal(gpunp.asnumpy(out), x + 100 * y + 10000 * z)


SHARED = r"""
extern "C" __global__ void reverse(float* x, int n) {
    extern __shared__ float kept[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) kept[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = kept[n - 1 - i];
}
"""


@pytest.mark.parametrize("n", [100, 12 * 1024, 24 * 1024])
def test_dynamic_shared_memory(gpu, n):
    if 4 * n > gpu.shared_memory_per_block:
        pytest.skip("the GPU has less shared memory")
    kernel = gpunp.RawKernel(SHARED, "reverse")
    x = gpunp.arange(n, dtype=np.float32)
    kernel((1,), (256,), (x, n), shared_mem=4 * n)
    np.testing.assert_array_equal(gpunp.asnumpy(x), np.arange(n, dtype=np.float32)[::-1])
    assert kernel.max_dynamic_shared_size_bytes >= 4 * n


def test_too_much_shared_memory(gpu):
    kernel = gpunp.RawKernel(SHARED, "reverse")
    with pytest.raises(ValueError, match="that a block can have"):
        kernel((1,), (1,), (gpunp.zeros(1, np.float32), 1), shared_mem=gpu.shared_memory_per_block + 1)


COOPERATIVE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void total(const int* x, int* partial, int* out, int n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    __shared__ int sum;
    if (block.thread_rank() == 0) sum = 0;
    block.sync();
    for (long long i = grid.thread_rank(); i < n; i += grid.size()) atomicAdd(&sum, x[i]);
    block.sync();
    if (block.thread_rank() == 0) partial[blockIdx.x] = sum;
    grid.sync();
    if (grid.thread_rank() == 0) {
        *out = 0;
        for (int i = 0; i < gridDim.x; i++) *out += partial[i];
    }
}
"""


def test_cooperative_groups(gpu):
    kernel = gpunp.RawKernel(COOPERATIVE, "total", enable_cooperative_groups=True)
    x = gpunp.arange(1000, dtype=np.int32)
    partial, out = gpunp.empty(16, np.int32), gpunp.empty((), np.int32)
    for _ in range(10):
        kernel((16,), (128,), (x, partial, out, 1000))
        assert int(out) == 499500
    with pytest.raises(ValueError, match="blocks of a cooperative launch run at the same time"):
        kernel((100_000,), (128,), (x, gpunp.empty(100_000, np.int32), out, 1000))


CLUSTER = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void neighbours(int* out) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int mine;
    if (threadIdx.x == 0) mine = 10 * blockIdx.x;
    cluster.sync();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, next) + cluster.num_blocks();
    cluster.sync();
}
"""


@pytest.mark.parametrize("cluster", [1, 2, 4, 8, 16])
def test_clusters(gpu, cluster):
    kernel = gpunp.RawKernel(CLUSTER, "neighbours")
    out = gpunp.empty(32, np.int32)
    if gpu.compute_capability < (9, 0):
        with pytest.raises(ValueError, match=r"need compute capability 9\.0"):
            kernel((32,), (32,), (out,), cluster=(cluster,))
        return
    try:
        kernel((32,), (32,), (out,), cluster=(cluster,))
    except RuntimeError:
        if cluster <= 8:
            raise
        pytest.skip("the GPU has no clusters of 16 blocks")
    first = np.arange(32) // cluster * cluster
    expected = 10 * (first + (np.arange(32) - first + 1) % cluster) + cluster
    np.testing.assert_array_equal(gpunp.asnumpy(out), expected)


HEADERS = {
    "add_half": r"""
#include <cuda_fp16.h>
extern "C" __global__ void add_half(const __half* x, __half* out) {
    out[threadIdx.x] = __hadd(x[threadIdx.x], __float2half(0.5f));
}""",
    "bfloat": r"""
#include <cuda_bf16.h>
extern "C" __global__ void bfloat(const __half* x, __half* out) {
    __nv_bfloat16 value = __float2bfloat16(__half2float(x[threadIdx.x]));
    out[threadIdx.x] = __float2half(__bfloat162float(value) + 0.5f);
}""".replace("#include", "#include <cuda_fp16.h>\n#include", 1),
    "atomic": r"""
#include <cuda_fp16.h>
#include <cuda/atomic>
extern "C" __global__ void atomic(const __half* x, __half* out) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    cuda::atomic_ref<float, cuda::thread_scope_block> total(sum);
    total.fetch_add(0.03125f);
    __syncthreads();
    out[threadIdx.x] = __float2half(__half2float(x[threadIdx.x]) + 0.5f * sum);
}""",
    "reduce": r"""
#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void reduce(const __half* x, __half* out) {
    using Reduce = cub::BlockReduce<float, 32>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float sum;
    float found = Reduce(storage).Sum(1.0f / 64);
    if (threadIdx.x == 0) sum = found;
    __syncthreads();
    out[threadIdx.x] = __float2half(__half2float(x[threadIdx.x]) + sum);
}""",
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_of_cuda(gpu, name):
    x = np.arange(32, dtype=np.float16)
    out = gpunp.empty(32, np.float16)
    gpunp.RawKernel(HEADERS[name], name)((1,), (32,), (gpunp.asarray(x), out))
    np.testing.assert_array_equal(gpunp.asnumpy(out), x + np.float16(0.5))


TENSOR_CORES = r"""
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void multiply(const __half* a, const __half* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
"""


def test_tensor_cores(gpu, rng):
    a, b = rng.integers(-4, 5, (2, 16, 16)).astype(np.float16)
    c = gpunp.empty((16, 16), np.float32)
    gpunp.RawKernel(TENSOR_CORES, "multiply")((1,), (32,), (gpunp.asarray(a), gpunp.asarray(b), c))
    np.testing.assert_array_equal(gpunp.asnumpy(c), a.astype(np.float32) @ b.astype(np.float32))


def test_attributes(gpu):
    kernel = gpunp.RawKernel(
        r"""extern "C" __global__ void f(float* x) {
            __shared__ float kept[64];
            kept[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            x[threadIdx.x] = kept[63 - threadIdx.x];
        }""",
        "f",
    )
    assert kernel.attributes.keys() >= {"num_regs", "shared_size_bytes", "max_threads_per_block"}
    assert kernel.shared_size_bytes == 256
    assert 0 < kernel.num_regs <= 255
    assert kernel.max_threads_per_block == 1024
    assert kernel.local_size_bytes == 0
    major, minor = gpu.compute_capability
    assert kernel.binary_version == kernel.ptx_version == 10 * major + minor
    kernel.max_dynamic_shared_size_bytes = 4096
    assert kernel.attributes["max_dynamic_shared_size_bytes"] == 4096
    kernel.preferred_shared_memory_carveout = 50
    assert kernel.preferred_shared_memory_carveout == 50


def test_streams(gpu):
    kernel = gpunp.RawKernel(AXPY, "axpy")
    side = gpunp.cuda.Stream(non_blocking=True)
    x, y = gpunp.ones(10_000, np.float32), gpunp.zeros(10_000, np.float32)
    gpu.synchronize()
    for _ in range(100):
        kernel(blocks(10_000), (256,), (x, y, 1.0, 10_000), stream=side)
    side.synchronize()
    with side:
        kernel(blocks(10_000), (256,), (x, y, 1.0, 10_000))
        side.synchronize()
    np.testing.assert_array_equal(gpunp.asnumpy(y), np.full(10_000, 101, np.float32))


def test_threads(gpu):
    kernel = gpunp.RawKernel(AXPY, "axpy")
    results = [None] * 8

    def work(i):
        with gpu:
            x, y = gpunp.ones(1000, np.float32), gpunp.zeros(1000, np.float32)
            for _ in range(100):
                kernel(blocks(1000), (256,), (x, y, float(i), 1000))
            results[i] = gpunp.asnumpy(y)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(8):
        np.testing.assert_array_equal(results[i], np.full(1000, 100 * i, np.float32))


def test_several_devices(gpu):
    if gpunp.cuda.device_count() < 2:
        pytest.skip("one GPU")
    kernel = gpunp.RawKernel(AXPY, "axpy")
    for index in (0, 1, 0):
        x = gpunp.ones(100, np.float32, device=f"cuda:{index}")
        y = gpunp.zeros(100, np.float32, device=f"cuda:{index}")
        kernel((1,), (128,), (x, y, 3.0, 100))
        np.testing.assert_array_equal(gpunp.asnumpy(y), np.full(100, 3, np.float32))


def test_pickled(gpu):
    kernel = pickle.loads(pickle.dumps(gpunp.RawKernel(AXPY, "axpy")))
    x, y = gpunp.ones(100, np.float32), gpunp.zeros(100, np.float32)
    kernel((1,), (128,), (x, y, 3.0, 100))
    np.testing.assert_array_equal(gpunp.asnumpy(y), np.full(100, 3, np.float32))


def test_captured_in_a_graph(gpu):
    driver = pytest.importorskip("cuda.bindings.driver")
    kernel = gpunp.RawKernel(AXPY, "axpy")
    x, y = gpunp.ones(1000, np.float32), gpunp.zeros(1000, np.float32)
    kernel(blocks(1000), (256,), (x, y, 0.0, 1000))
    gpu.synchronize()
    side = gpunp.cuda.Stream(non_blocking=True)

    def checked(result):
        assert int(result[0]) == 0
        return result[1] if len(result) > 1 else None

    checked(driver.cuStreamBeginCapture(side.ptr, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
    kernel(blocks(1000), (256,), (x, y, 1.0, 1000), stream=side)
    kernel(blocks(1000), (256,), (x, y, 2.0, 1000), stream=side)
    graph = checked(driver.cuStreamEndCapture(side.ptr))
    runnable = checked(driver.cuGraphInstantiate(graph, 0))
    for _ in range(5):
        checked(driver.cuGraphLaunch(runnable, side.ptr))
    side.synchronize()
    np.testing.assert_array_equal(gpunp.asnumpy(y), np.full(1000, 15, np.float32))


def test_sources_that_do_not_compile(gpu):
    kernel = gpunp.RawKernel(AXPY.replace("a * x[i]", "b * x[i]"), "axpy")
    log = io.StringIO()
    with pytest.raises(gpunp.cuda.compiler.CompileException, match=r'"b" is undefined') as caught:
        kernel.compile(log_stream=log)
    assert '"b" is undefined' in log.getvalue()
    assert "> 4 |     if (i < n) y[i] += b * x[i];" in str(caught.value)
    with pytest.raises(gpunp.cuda.compiler.CompileException):
        kernel((1,), (1,), ())


def test_log_of_the_compiler(gpu):
    log = io.StringIO()
    gpunp.RawKernel('extern "C" __global__ void f() { int unused; }', "f").compile(log_stream=log)
    assert '"unused" was declared but never referenced' in log.getvalue()


def test_names_that_are_missing(gpu):
    with pytest.raises(ValueError, match="no kernel 'other'"):
        gpunp.RawKernel(AXPY, "other")((1,), (1,), ())


TRAPS = r"""
#include <cassert>
extern "C" __global__ void fine(int* x) { x[0] = 1; }
extern "C" __global__ void trap(int* x) { if (x[0] == 1) __trap(); }
extern "C" __global__ void outside(int* x) { *(int*)0x10 = 1; }
extern "C" __global__ void asserts(int* x) { assert(x[0] == 0); }
"""
PROGRAM = """
import gpunp, numpy
gpunp.Device({device!r}).use()
module = gpunp.RawModule({source!r})
x = gpunp.zeros(1, numpy.int32)
for name in ("fine", {name!r}):
    module.get_function(name)((1,), (1,), (x,))
try:
    gpunp.get_device().synchronize()
except gpunp.cuda.CUDADriverError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["trap", "outside", "asserts"])
def test_kernels_that_trap(gpu, name):
    source = TRAPS if name == "asserts" else TRAPS.replace("#include <cassert>", "#define assert(x)")
    program = PROGRAM.format(device=str(gpu), source=source, name=name)
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"latest first: {name}, fine)" in done.stdout
    assert "every later CUDA call of this process fails: restart it" in done.stdout
