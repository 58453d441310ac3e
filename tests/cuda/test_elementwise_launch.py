"""Launches of elementwise kernels on the stand-in driver: which loop, with how many blocks."""

import re

import numpy as np
import pytest
from launches import last_launch

pytestmark = pytest.mark.fake_driver()

# Views of a matrix of 128 x 1024 elements of 4 bytes; the loop of the kernel: axes, elements of a vector,
# vectors of a thread; the roles of input and output; and blocks of 128 threads.
LOOPS = [
    ("a", "b", (1, 4, 2), "ALIGNED ALIGNED", 128),
    ("a[0, :8]", "b[0, :8]", (1, 4, 2), "ALIGNED ALIGNED", 1),
    ("a[0, :1]", "b[0, :1]", (1, 4, 2), "ALIGNED ALIGNED", 1),
    ("a.T", "b.T", (1, 4, 2), "ALIGNED ALIGNED", 128),
    ("a[::-1, ::-1]", "b[::-1, ::-1]", (1, 4, 2), "ALIGNED ALIGNED", 128),
    ("a[0, 1:]", "b[0, 1:]", (1, 1, 2), "UNIT UNIT", 4),
    ("a[0, 1:]", "b[0, :-1]", (1, 4, 2), "UNIT ALIGNED", 1),
    ("a[:, :512]", "b[:, :512]", (2, 4, 2), "ALIGNED ALIGNED", 64),
    ("a[:, :510]", "b[:, :510]", (2, 4, 2), "ALIGNED ALIGNED", 64),
    ("a[:, 4:]", "b[:, :-4]", (2, 4, 2), "ALIGNED ALIGNED", 128),
    ("a[:, :3]", "b[:, 1:4]", (2, 4, 2), "ALIGNED UNIT", 1),
    ("a[0]", "b", (2, 4, 2), "ALIGNED ALIGNED", 128),
    ("a[:, :1]", "b", (2, 4, 2), "SPREAD ALIGNED", 128),
    ("a[::2, ::2]", "b[::2, ::2]", (2, 1, 2), "STRIDED STRIDED", 128),
    ("a[::2, ::2]", "b[:64, :512]", (2, 1, 2), "STRIDED UNIT", 128),
    ("a[:3, :5].T", "b[:5, :3]", (2, 1, 2), "STRIDED UNIT", 1),
    ("a[:1, :1]", "b[:1, :1]", (1, 4, 2), "ALIGNED ALIGNED", 1),
]


def launches(fake):
    return fake.fake_calls(b"cuLaunchKernel")


def loop_of(text):
    """The loop and the roles in the generated source."""
    rank, width, vectors = map(int, re.search(r"Loop<(\d+), (\d+), (\d+),", text).groups())
    return (rank, width, vectors), " ".join(re.findall(r"ELEMENTWISE_([A-Z]+(?:_MEMORY)?), ::", text))


@pytest.fixture
def matrices(cuda_device, request):
    """Two matrices and a kernel."""
    if cuda_device is None:
        return None
    request.getfixturevalue("nvrtc")
    import gpunp

    cuda_device.use()
    kernel = gpunp.ElementwiseKernel("T x", "T z", "z = x", "copy")
    kernel(gpunp.empty(1, "i1"))
    kernel.cached_codes.clear()
    return gpunp.empty((128, 1024), "f4"), gpunp.empty((128, 1024), "f4"), kernel


@pytest.mark.parametrize(("source", "target", "loop", "roles", "blocks"), LOOPS)
def test_loops(source, target, loop, roles, blocks, matrices, fake):
    a, b, kernel = matrices
    names = {"a": a, "b": b}
    kernel(eval(source, names), eval(target, names))
    assert last_launch(fake)[:6] == [blocks, 1, 1, 128, 1, 1]
    assert loop_of(kernel.cached_code) == (loop, roles)


def test_no_launch_without_elements(matrices, fake):
    import gpunp

    before = launches(fake)
    _, _, kernel = matrices
    assert kernel(gpunp.empty((3, 0), "f4")).shape == (3, 0)
    assert launches(fake) == before


def test_blocks(matrices, fake):
    import gpunp

    a, _, kernel = matrices
    for block_size in (1, 128, 256, 512, 1024):
        kernel(a, block_size=block_size)
        assert last_launch(fake)[:4] == [a.size // (8 * block_size), 1, 1, block_size]
    # One kernel for few threads, which may use all registers, and one for many.
    assert len(kernel.cached_codes) == 2
    threads = [re.search(r"KERNEL\(gpunp_copy, (\d+)", text)[1] for text in kernel.cached_codes.values()]
    assert len(set(threads)) == 2
    everything = gpunp.ElementwiseKernel("raw T x", "raw T z", "z[i] = x[0]", "everything")
    everything(a, a, size=10**10)
    assert last_launch(fake)[0] == 10**10 // 128
    with pytest.raises(ValueError, match="too many for one launch"):
        everything(a, a, size=10**12)


def test_large_transposed_inputs_are_copied(matrices, fake, units):
    units("internal_f4", "copy_f4_vector copy_f4_strided copy_f4_tiled")
    a, b, kernel = matrices
    before = launches(fake)
    kernel(a.reshape(1024, 128).T, b)
    assert launches(fake) == before + 2
    assert loop_of(kernel.cached_code) == ((1, 4, 2), "ALIGNED ALIGNED")
    # Small ones are not.
    kernel(a[:16, :16].T, b[:16, :16])
    assert launches(fake) == before + 3


def test_overlapping_inputs_are_copied(matrices, fake):
    a, _, kernel = matrices
    copies = fake.fake_calls(b"cuMemcpyDtoDAsync")
    kernel(a, a)
    assert fake.fake_calls(b"cuMemcpyDtoDAsync") == copies
    kernel(a[0, 1:], a[0, :-1])
    assert fake.fake_calls(b"cuMemcpyDtoDAsync") == copies + 1
    # The copy is aligned.
    assert loop_of(list(kernel.cached_codes.values())[-1]) == ((1, 4, 2), "ALIGNED ALIGNED")


@pytest.mark.usefixtures("matrices")
def test_widths():
    import gpunp

    kernel = gpunp.ElementwiseKernel("X x", "Z z", "z = x", "widths")
    for x, z, width in (
        ("u1", "u1", 16),
        ("u1", "f4", 8),
        ("f4", "f8", 2),
        ("c16", "c16", 1),
        ("f8", "u1", 4),
    ):
        kernel.cached_codes.clear()
        kernel(gpunp.empty(100, x), gpunp.empty(100, z))
        assert loop_of(kernel.cached_code)[0][1] == width
    long_one = gpunp.ElementwiseKernel("X x", "X z", "for (int k = 0; k < 9; k++) z = x;", "long_one")
    long_one(gpunp.empty(100, "u1"))
    assert loop_of(long_one.cached_code)[0] == (1, 4, 1)


def test_streams(matrices, fake):
    from gpunp.cuda import Stream

    a, b, kernel = matrices
    stream = Stream()
    kernel(a, b, stream=stream)
    assert last_launch(fake)[7] == stream.ptr


def test_results_have_the_dtype_and_order(matrices):
    a, _, kernel = matrices
    result = kernel(a[:16, :8].T)
    assert (result.shape, result.dtype, result.flags.c_contiguous) == ((8, 16), np.dtype("f4"), True)
