"""Kernels in Python. Those with the fixture `launchable` run on a GPU; the others compile on any machine."""

import re
import subprocess
import sys

import numpy as np
import pytest
from gpunp.array.transfer import host_view
from gpunp.jit.launch import bytes_of, described

import gpunp
from gpunp import jit
from gpunp.compiler import compile_source
from gpunp.jit.kernels import compile_kernel, source_around
from gpunp.jit.toolchain import NotCompiled

pytest.importorskip("numba")
pytest.importorskip("numba_cuda")


class Hopper:
    """Stands for a device to compile for."""

    is_cpu = False
    compute_capability = (9, 0)


class Turing(Hopper):
    compute_capability = (7, 5)


def try_compile(kernel, args, target=Hopper):
    """The PTX of a kernel for arguments; it is linked to machine code too, where NVRTC is."""
    code, symbol = compile_kernel(kernel.function, bytes_of(args)[1], target())
    major, minor = target.compute_capability
    source, _ = source_around(code)
    assert compile_source(source, 10 * major + minor, link=[(code.encode(), "ptx")]).image
    assert symbol in code
    return code


@pytest.fixture
def launchable(device):
    if device.is_cpu:
        pytest.skip("kernels run on a GPU")


@jit.rawkernel(device=True)
def half(x):
    return x / 2


@jit.rawkernel()
def fill(out, value):
    i = jit.grid(1)
    if i < out.size:
        out[i] = value


@jit.rawkernel()
def indices(out):
    x, y = jit.grid(2)
    nx, ny = jit.gridsize(2)
    if x < out.shape[0] and y < out.shape[1]:
        out[x, y] = jit.threadIdx.x + 10 * jit.blockIdx.x + 100 * jit.blockDim.y + 1000 * jit.gridDim.y
        out[x, y] += 10000 * nx + 100000 * ny


@jit.rawkernel()
def shuffles(x, out):
    i = jit.grid(1)
    mask = 0xFFFFFFFF
    out[0, i] = jit.shfl_sync(mask, x[i], 3)
    out[1, i] = jit.shfl_up_sync(mask, x[i], 2)
    out[2, i] = jit.shfl_down_sync(mask, x[i], 2, width=16)
    out[3, i] = jit.shfl_xor_sync(mask, x[i], 1)
    out[4, i] = jit.laneid() % jit.warpsize
    jit.syncwarp()
    jit.syncwarp(mask=0xFFFF)


@jit.rawkernel()
def reversed_blocks(x, out):
    s = jit.shared_memory(np.float32, 64)
    aligned = jit.shared_memory(np.int32, 64, alignment=16)
    dynamic = jit.shared_memory(np.float64, None)
    t = jit.threadIdx.x
    s[t] = x[jit.grid(1)]
    aligned[t] = t
    dynamic[t] = 0.5
    jit.syncthreads()
    last = jit.blockDim.x - 1
    out[jit.grid(1)] = half(s[last - t]) + aligned[last - t] + dynamic[last - t]


@jit.rawkernel()
def atomics(a):
    jit.atomic_add(a, 0, 2)
    jit.atomic_sub(a, 1, 2)
    jit.atomic_min(a, 2, jit.grid(1))
    jit.atomic_max(a, 3, jit.grid(1))
    jit.atomic_and(a, 4, 6)
    jit.atomic_or(a, 5, 8)
    jit.atomic_xor(a, 6, 1)
    jit.atomic_exch(a, 7, 5)
    jit.atomic_cas(a, 8, 7, 9)


@jit.rawkernel()
def counters(a):
    jit.atomic_inc(a, 0, 2)
    jit.atomic_dec(a, 1, 2)


@jit.rawkernel()
def sums(x, out):
    total = 0.0
    for k in jit.range(0, x.size, 2, unroll=4):
        total += x[k]
    for k in jit.range(3):
        total += k
    out[0] = total


@jit.rawkernel()
def grid_sum(x, partial, out):
    g = jit.cg.this_grid()
    i = jit.grid(1)
    jit.atomic_add(partial, 0, x[i])
    g.sync()
    out[i] = partial[0]
    jit.cg.sync(g)


@jit.rawkernel()
def copied(x, out):
    s = jit.shared_memory(np.float32, 70)
    block = jit.cg.this_thread_block()
    jit.cg.memcpy_async(block, s, 0, x, 0, 4 * 64, aligned_size=16)
    jit.cg.memcpy_async(block, s, 64, x, 64, 4 * 6)
    jit.cg.wait_prior(block, 1)
    jit.cg.wait(block)
    for k in range(jit.threadIdx.x, 70, jit.blockDim.x):
        out[k] = s[69 - k]
    jit.cg.sync(block)
    block.sync()


def test_fill(launchable):
    for dtype in "?bBhHiIlLefdFD":
        out = gpunp.zeros(1000, dtype)
        fill[8, 128](out, 1)
        assert (gpunp.asnumpy(out) == 1).all()
        fill((8,), (128,), (out[::3], np.float32(0)))
        assert gpunp.asnumpy(out).sum() == 666
    stream = gpunp.cuda.Stream(non_blocking=True)
    fill[8, 128, 0, stream](out, 2j)
    stream.synchronize()
    assert (gpunp.asnumpy(out) == 2j).all()
    assert ".entry" in fill.cached_code
    assert len(fill.cached_codes) >= 20


def test_indices(launchable):
    out = gpunp.zeros((4, 6), "i")
    indices((2, 3), (2, 2), (out,))
    x = np.arange(4)[:, None]
    expected = x % 2 + 10 * (x // 2) + 200 + 3000 + 40000 + 600000 + np.zeros((4, 6), int)
    assert gpunp.asnumpy(out).tolist() == expected.tolist()


@pytest.mark.parametrize("char", "bhilfdL")
def test_shuffles(launchable, char):
    host = np.arange(32).astype(char)
    out = gpunp.zeros((5, 32), char)
    shuffles[1, 32](gpunp.asarray(host), out)
    lane = np.arange(32)
    expected = [
        np.full(32, 3),
        np.where(lane < 2, lane, lane - 2),
        np.where(lane % 16 < 14, lane + 2, lane),
        lane ^ 1,
        lane,
    ]
    assert gpunp.asnumpy(out).tolist() == np.array(expected).astype(char).tolist()


def test_shared_memory(launchable):
    host = np.arange(128, dtype="f")
    out = gpunp.zeros(128)
    reversed_blocks(2, 64, (gpunp.asarray(host), out), shared_mem=64 * 8)
    expected = host.reshape(2, 64)[:, ::-1] / 2 + np.arange(64)[::-1] + 0.5
    assert gpunp.asnumpy(out).tolist() == expected.ravel().tolist()


def test_atomics(launchable):
    a = gpunp.asarray(np.array([0, 0, 5, 5, 7, 1, 0, 0, 7], "i"))
    atomics[2, 32](a)
    assert a.tolist() == [128, -128, 0, 63, 6, 9, 0, 5, 9]
    a = gpunp.zeros(2, "I")
    counters[1, 7](a)
    assert a.tolist() == [1, 2]


def test_range_and_loops(launchable):
    out = gpunp.zeros(1)
    sums[1, 1](gpunp.arange(9.0), out)
    assert out.tolist() == [23]


def test_groups(launchable):
    out = gpunp.zeros(64, "f")
    grid_sum[2, 32](gpunp.ones(64, "f"), gpunp.zeros(1, "f"), out)
    assert gpunp.asnumpy(out).tolist() == [64] * 64
    host = np.arange(70, dtype="f")
    out = gpunp.zeros(70, "f")
    copied[1, 32](gpunp.asarray(host), out)
    assert gpunp.asnumpy(out).tolist() == host[::-1].tolist()


def test_arrays_of_other_libraries(launchable):
    cuda = pytest.importorskip("numba.cuda")
    theirs = cuda.to_device(np.zeros(10))
    fill[1, 32](theirs, 3)
    assert theirs.copy_to_host().tolist() == [3.0] * 10


def arrays(*specs):
    return tuple(gpunp.zeros(shape, char) for shape, char in specs)


COMPILED = [
    (fill, lambda: (*arrays((5, "f")), 1), "st.global.f32|st.f32"),
    (indices, lambda: arrays(((4, 6), "i")), "nctaid"),
    (shuffles, lambda: arrays((32, "d"), ((5, 32), "d")), "shfl.sync.down.b32"),
    (shuffles, lambda: arrays((32, "b"), ((5, 32), "b")), "shfl.sync"),
    (reversed_blocks, lambda: arrays((128, "f"), (128, "d")), r"align 16 .b8 gpunp_shared_\d+\[256\]"),
    (atomics, lambda: arrays((9, "i")), "atom"),
    (counters, lambda: arrays((2, "I")), "inc"),
    (sums, lambda: arrays((9, "d"), (1, "d")), "add"),
    (grid_sum, lambda: arrays((64, "f"), (1, "f"), (64, "f")), "gpunp_jit_grid_barrier"),
    (copied, lambda: arrays((70, "f"), (70, "f")), "cp.async.ca.shared.global"),
]


@pytest.mark.parametrize(("kernel", "make_args", "found"), COMPILED)
def test_kernels_compile_without_a_gpu(kernel, make_args, found):
    with gpunp.Device("cpu"):
        args = make_args()
    assert re.search(found, try_compile(kernel, args))


def test_asynchronous_copies_need_compute_capability_8():
    with gpunp.Device("cpu"):
        assert "cp.async" not in try_compile(copied, arrays((70, "f"), (70, "f")), Turing)


def test_bytes_of_arguments_are_those_of_the_parameters():
    """numba-cuda's parameters, as its PTX declares them, against the bytes that a launch passes."""

    def kernel(a, b, truth, single, pair, small, whole):
        a[0, 0] = b[0] + single + small + whole + pair.real if truth else 0

    with gpunp.Device("cpu"):
        args = (
            gpunp.zeros((3, 4), "f"),
            gpunp.zeros(5)[::2],
            True,
            np.float32(2),
            np.complex64(1j),
            np.int8(1),
            3,
        )
        data, key = bytes_of(args)
    code, _ = compile_kernel(kernel, key, Hopper())
    declared = code[: code.index("{\n")]
    offset = 0
    for bits in map(int, re.findall(r"\.param \.[ubsf](\d+)", declared)):
        offset = -(-offset // (bits // 8)) * (bits // 8) + bits // 8
    assert offset == len(data)
    assert [described(each) for each in key[:2]] == [
        (np.dtype("f"), 2, "C", True),
        (np.dtype("d"), 1, "A", True),
    ]
    address = host_view(args[0]).__array_interface__["data"][0]
    assert np.frombuffer(data[: 9 * 8], "q").tolist() == [0, 0, 12, 4, address, 3, 4, 16, 4]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda a: fill[1, 32](np.zeros(3), 1), TypeError, "NumPy array on the host"),
        (lambda a: fill[1, 32](a, "x"), TypeError, "a str cannot be an argument"),
        (lambda a: fill[1, 32](a, 2**70), OverflowError, "64 bits"),
        (lambda a: fill[1](a, 1), TypeError, r"write fill\[grid, block\]"),
        (lambda a: fill(1, 32, a), TypeError, r"write \(x,\)"),
        (lambda a: fill[0, 32](a, 1), ValueError, "between 1 and"),
        (lambda a: fill[(1, 1, 1, 1), 32](a, 1), ValueError, "one to three"),
        (lambda a: fill["a", 32](a, 1), TypeError, "tuple of integers"),
        (lambda a: half(1), TypeError, "cannot be called on the host"),
        (lambda a: jit.rawkernel(mode="numpy"), NotImplementedError, "rules of its own"),
        (lambda a: jit.rawkernel(mode="x"), ValueError, "mode must be"),
        (lambda a: jit.rawkernel()(3), TypeError, "not a Python function"),
        (lambda a: jit.laneid(), RuntimeError, "jit.laneid is for kernels"),
        (lambda a: jit.threadIdx.x, RuntimeError, "is for kernels"),
        (lambda a: jit.cg.sync(3), RuntimeError, "is for kernels"),
        (lambda a: jit.nothing, AttributeError, "nothing"),
        (lambda a: fill.nothing, AttributeError, "nothing"),
    ],
)
def test_wrong_calls(call, error, match):
    with pytest.raises(error, match=match):
        call(gpunp.zeros(3))


def test_the_cpu_device_has_no_kernels(device):
    if not device.is_cpu:
        pytest.skip("the CPU device")
    with pytest.raises(
        RuntimeError, match=r"fill: kernels of gpunp.jit run on CUDA devices.*gpunp\.vectorize"
    ):
        fill[1, 32](gpunp.zeros(3), 1)
    with pytest.raises(ValueError, match="has not been compiled"):
        jit.rawkernel()(lambda x: None).cached_code  # noqa: B018


def test_a_kernel_that_does_not_compile_is_explained():
    def returns(x):
        return x[0]

    def names_nothing(x):
        x[0] = nothing_here  # noqa: F821

    def mixes(x):
        x[0] = "text"

    with gpunp.Device("cpu"):
        key = bytes_of(arrays((3, "f")))[1]
    for function, reason in ((returns, "returns nothing"), (names_nothing, "nothing_here"), (mixes, "")):
        with pytest.raises(NotCompiled, match=rf"{function.__name__} \(test_kernels.py:\d+\).*{reason}"):
            compile_kernel(function, key, Hopper())


def test_import_does_not_load_numba():
    code = "import sys, gpunp.jit; assert not [m for m in sys.modules if m.startswith(('numba', 'llvmlite'))]"
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
