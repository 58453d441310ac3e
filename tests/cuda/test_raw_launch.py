"""Launches of raw kernels on the stand-in driver: shapes, limits, streams, devices, threads and errors."""

import ctypes
import pickle
import struct
import threading

import numpy as np
import pytest
from launches import last_launch

pytestmark = pytest.mark.fake_driver()


def last_attributes(fake):
    values = (ctypes.c_long * 4)()
    fake.fake_last_attributes(values)
    return list(values)


# Grids and blocks, and the six extents that they mean.
SHAPES = [
    ((2,), (3,), [2, 1, 1, 3, 1, 1]),
    ((2, 3), (4, 5), [2, 3, 1, 4, 5, 1]),
    ((2, 3, 4), (5, 6, 7), [2, 3, 4, 5, 6, 7]),
    (2, 3, [2, 1, 1, 3, 1, 1]),
    ([np.int64(2)], (np.int32(8), True), [2, 1, 1, 8, 1, 1]),
    ((2**31 - 1, 65535, 65535), (1024,), [2**31 - 1, 65535, 65535, 1024, 1, 1]),
]
BEYOND_LIMITS = [
    ((0,), (1,), {}, ValueError, r"every dimension of the grid must be between 1 and .*, it is \(0,\)"),
    ((1,), (-1,), {}, ValueError, "every dimension of the block"),
    ((2**31,), (1,), {}, ValueError, "every dimension of the grid"),
    ((), (1,), {}, ValueError, "one to three dimensions"),
    ((1, 1, 1, 1), (1,), {}, ValueError, "has 4"),
    ((1.5,), (1,), {}, TypeError, "the grid must be a tuple of integers"),
    ("ab", (1,), {}, TypeError, "the grid must be a tuple of integers"),
    ((1, 65536), (1,), {}, ValueError, r"the grid .*at most \(2147483647, 65535, 65535\)"),
    ((1,), (1, 1, 65), {}, ValueError, r"the block .*at most \(1024, 1024, 64\)"),
    ((1,), (64, 17), {}, ValueError, "has 1088 threads.*at most 1024"),
    ((1,), (1,), {"shared_mem": -1}, ValueError, "shared_mem"),
    ((1,), (1,), {"shared_mem": 2**40}, ValueError, "shared_mem"),
    ((1,), (1,), {"shared_mem": 227 * 1024 + 1}, ValueError, "more than the 232448 that a block can have"),
    ((3,), (1,), {"cluster": (2,)}, ValueError, r"the grid \(3, 1, 1\) is not a multiple of the cluster"),
    ((2,), (1,), {"cluster": (0,)}, ValueError, "every dimension of the cluster"),
]


def test_grids_and_blocks(module, fake):
    kernel = module.get_function("none")
    for grid, block, expected in SHAPES:
        kernel(grid, block, ())
        assert last_launch(fake)[:6] == expected
    launches = fake.fake_calls(b"cuLaunchKernel")
    for grid, block, keywords, exception, match in BEYOND_LIMITS:
        with pytest.raises(exception, match=match):
            kernel(grid, block, (), **keywords)
    assert fake.fake_calls(b"cuLaunchKernel") == launches


def test_clusters_and_cooperative_launches(module, raw_image, fake):
    import gpunp

    module.get_function("none")((8,), (32,), (), cluster=(4, 1))
    assert last_attributes(fake) == [4, 1, 1, 0]
    module.get_function("none")((16, 2), (32,), (), cluster=(8, 2))
    assert last_attributes(fake) == [8, 2, 1, 0]
    module.get_function("none")((8,), (32,), ())
    assert last_attributes(fake) == [0, 0, 0, 0]
    together = gpunp.RawModule(raw_image, enable_cooperative_groups=True).get_function("none")
    together((8,), (32,), ())
    assert last_attributes(fake) == [0, 0, 0, 1]
    together((8,), (32,), (), cluster=2)
    assert last_attributes(fake) == [2, 1, 1, 1]
    fake.fake_set_errors(720, 0)
    with pytest.raises(ValueError, match=r"cuda:0 can run 264 of 64 threads, not the grid \(265, 1, 1\)"):
        together((265,), (64,), ())


def test_clusters_need_compute_capability_9(cuda_device, raw_image, fake):
    import gpunp

    fake.fake_set_attribute(75, 8)
    with gpunp.Device("cuda", 1):
        kernel = gpunp.RawModule(raw_image).get_function("none")
        with pytest.raises(ValueError, match=r"need compute capability 9\.0, cuda:1 has 8\.0"):
            kernel((2,), (32,), (), cluster=2)


def test_shared_memory(module, fake):
    kernel = module.get_function("none")
    kernel((1,), (1,), (), shared_mem=48 << 10)
    assert fake.fake_calls(b"cuFuncSetAttribute") == 0
    kernel((1,), (1,), (), shared_mem=100_000)
    assert last_launch(fake)[6] == 100_000
    assert kernel.max_dynamic_shared_size_bytes == 100_000
    kernel.max_dynamic_shared_size_bytes = 50_000
    assert kernel.attributes["max_dynamic_shared_size_bytes"] == 50_000
    kernel((1,), (1,), (), shared_mem=50_000)
    # A kernel of the same function sees the limit that was set.
    module.get_function("none")((1,), (1,), (), shared_mem=60_000)
    kernel((1,), (1,), (), shared_mem=60_000)
    with pytest.raises(ValueError, match="the range is 0 to 232448 bytes"):
        kernel.max_dynamic_shared_size_bytes = 1 << 20


def test_attributes(module):
    kernel = module.get_function("axpy")
    assert kernel.attributes == {
        "max_threads_per_block": 1024,
        "shared_size_bytes": 0,
        "const_size_bytes": 0,
        "local_size_bytes": 0,
        "num_regs": 32,
        "ptx_version": 90,
        "binary_version": 90,
        "cache_mode_ca": 0,
        "max_dynamic_shared_size_bytes": 48 << 10,
        "preferred_shared_memory_carveout": -1,
    }
    for name, value in kernel.attributes.items():
        assert getattr(kernel, name) == value
    kernel.preferred_shared_memory_carveout = 50
    assert kernel.preferred_shared_memory_carveout == 50
    with pytest.raises(ValueError, match="-1 to 100 percent"):
        kernel.preferred_shared_memory_carveout = 101
    assert kernel.kernel.parameters == [(0, 8), (8, 8), (16, 4), (20, 4)]
    assert kernel.kernel.ptr > 0


def test_streams(module, fake):
    import gpunp

    kernel = module.get_function("none")
    side = gpunp.cuda.Stream()
    kernel((1,), (1,), (), stream=side)
    assert last_launch(fake)[7] == side.ptr
    kernel((1,), (1,), (), stream=side.ptr)
    assert last_launch(fake)[7] == side.ptr
    kernel((1,), (1,), ())
    assert last_launch(fake)[7] == 0
    with side:
        kernel((1,), (1,), ())
    assert last_launch(fake)[7] == side.ptr
    with pytest.raises(ValueError, match=r"stream is on cuda:1 and the arrays are on cuda:0"):
        module.get_function("p8")((1,), (1,), (gpunp.empty(3),), stream=gpunp.cuda.Stream(device=1))


def test_several_devices(module, fake, packed):
    import gpunp

    kernel = module.get_function("p8")
    kernel.preferred_shared_memory_carveout = 30
    there = gpunp.empty(3, device="cuda:1")
    kernel((1,), (1,), (there,))
    assert last_launch(fake)[8] == 1
    kernel((1,), (1,), (1,))
    assert last_launch(fake)[8] == 0
    kernel((1,), (1,), (1,), stream=gpunp.cuda.Stream(device=1))
    assert last_launch(fake)[8] == 1
    with gpunp.Device("cuda", 1):
        kernel((1,), (1,), (1,))
        assert last_launch(fake)[8] == 1
        assert kernel.preferred_shared_memory_carveout == 30
    assert fake.fake_calls(b"cuModuleGetFunction") == 2


def test_threads_load_once(fake, raw_image):
    import gpunp

    gpunp.Device("cuda", 0)
    kernel = gpunp.RawModule(raw_image)._program
    ready, errors = threading.Barrier(8), []

    def work():
        try:
            with gpunp.Device("cuda", 0) as device:
                ready.wait()
                for _ in range(50):
                    kernel.function_on(device, "none")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert fake.fake_calls(b"cuModuleLoadData") == 1


def test_failed_launches_say_what_was_launched(module, fake):
    fake.fake_set_errors(1, 0)
    with pytest.raises(RuntimeError, match="cuLaunchKernelEx failed: CUDA_ERROR_INVALID_VALUE") as caught:
        module.get_function("axpy")((4,), (64,), (None, None, 1.0, 8), shared_mem=100)
    assert caught.value.__notes__ == [
        "launch of axpy on cuda:0: grid (4, 1, 1), block (64, 1, 1), 100 bytes of dynamic shared memory"
    ]


@pytest.mark.parametrize(
    ("code", "reason"),
    [(700, "accessed memory it should not have"), (710, "an assertion in a kernel failed")],
)
def test_errors_of_kernels_name_the_last_ones(module, fake, cuda_device, code, reason):
    for name in ("p1", "p2", "p4", "p1", "none", "none", "p8", "p2"):
        kernel = module.get_function(name)
        kernel((1,), (1,), () if name == "none" else (1,))
    fake.fake_set_errors(0, code)
    with pytest.raises(RuntimeError, match=f"{reason}.*latest first: p2, p8, none, p1\\).*restart it"):
        cuda_device.synchronize()


def test_pickled(module, packed):
    kernel = module.get_function("p4")
    kernel.preferred_shared_memory_carveout = 30
    copy = pickle.loads(pickle.dumps(kernel))
    assert repr(copy) == "<RawKernel p4>"
    copy((1,), (1,), (5,))
    assert packed() == struct.pack("<i", 5)
    assert copy.preferred_shared_memory_carveout == 30
    assert pickle.loads(pickle.dumps(module)).get_function("p8").name == "p8"


SOURCE = r"""
struct Pair { float a; double b; };
extern "C" __global__ void pairs(Pair p, float* y, char c, short s) { y[0] = p.a + p.b + c + s; }
__global__ void plain(float* y) { y[0] = 1; }
template <typename T> __global__ void scale(T* y, T by) { y[threadIdx.x] *= by; }
extern "C" { __constant__ float weights[9]; }
__device__ double table[4];
"""


def test_compiled_source(cuda_device, nvrtc, packed):
    import gpunp

    cuda_device.use()
    for name, parameters in (
        ("pairs", [(0, 16), (16, 8), (24, 1), (26, 2)]),
        ("plain", [(0, 8)]),
        ("scale<double>", [(0, 8), (8, 8)]),
        ("scale<float>", [(0, 8), (8, 4)]),
    ):
        assert gpunp.RawKernel(SOURCE, name).kernel.parameters == parameters
    module = gpunp.RawModule(SOURCE, name_expressions=("scale<short>", "&table"))
    module.get_function("scale<short>")((1,), (1,), (None, 3))
    assert packed() == struct.pack("<Qh", 0, 3)
    with pytest.raises(ValueError, match="no kernel 'scale<int>'"):
        module.get_function("scale<int>")
    with pytest.raises(ValueError, match="no kernel 'other'"):
        gpunp.RawKernel(SOURCE, "other")((1,), (1,), ())
    with pytest.raises(ValueError, match="no variable 'other'"):
        module.get_global("other")


def test_globals(cuda_device, nvrtc):
    import gpunp

    cuda_device.use()
    module = gpunp.RawModule(SOURCE, name_expressions=["&table"])
    pointer = module.get_global("weights")
    assert (pointer.size, pointer.nbytes, pointer.device) == (36, 36, cuda_device)
    weights = gpunp.ndarray((3, 3), np.float32, pointer)
    assert weights.data.ptr == pointer.ptr == int(pointer)
    with pytest.raises(TypeError, match="buffer is too small"):
        gpunp.ndarray((3, 4), np.float32, pointer)
    assert module.get_global("&table").size == 32
