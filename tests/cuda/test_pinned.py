"""The pool of pinned host memory for large downloads."""

import numpy
import pytest

pytestmark = pytest.mark.fake_driver()
MIB = 1 << 20


@pytest.fixture
def pinned(cuda_device):
    if cuda_device is None:
        return None
    import gpunp.cuda

    return gpunp.cuda.get_default_pinned_memory_pool()


def download(nbytes):
    """Download a large device array."""
    import gpunp

    return gpunp.asnumpy(gpunp.asarray(numpy.arange(nbytes // 8), device="cuda:0"))


def test_memory_returns_when_the_array_dies(pinned):
    array = pinned.empty((2, MIB), numpy.float32)
    assert array.flags.writeable
    assert array.flags.c_contiguous
    assert (array.shape, array.dtype) == ((2, MIB), numpy.float32)
    assert pinned.used_bytes() == 8 * MIB
    view = array[1:]
    address = array.ctypes.data
    del array
    assert pinned.used_bytes() == 8 * MIB
    del view
    assert pinned.used_bytes() == 0
    assert pinned.cached_bytes() == 8 * MIB
    assert pinned.n_free_blocks() == 1
    again = pinned.empty(2 * MIB, numpy.float32)
    assert again.ctypes.data == address
    assert pinned.cached_bytes() == 0


def test_no_block_that_is_far_too_large(pinned):
    pinned.empty(100 * MIB, numpy.uint8)
    assert pinned.cached_bytes() == 100 * MIB
    small = pinned.empty(10 * MIB, numpy.uint8)
    assert pinned.cached_bytes() == 100 * MIB
    assert pinned.used_bytes() == small.nbytes


def test_limit(pinned):
    pinned.set_limit("32MiB")
    kept = pinned.empty(20 * MIB, numpy.uint8)
    beyond = pinned.empty(20 * MIB, numpy.uint8)
    assert beyond.flags.owndata
    assert not kept.flags.owndata
    pinned.empty(10 * MIB, numpy.uint8)
    assert pinned.cached_bytes() == 10 * MIB
    # Cached blocks are freed to make room for a block of another size.
    other = pinned.empty(4 * MIB, numpy.uint8)
    assert not other.flags.owndata
    assert pinned.cached_bytes() + pinned.used_bytes() <= 32 * MIB
    pinned.free_all_blocks()
    assert pinned.cached_bytes() == 0
    del kept, other
    pinned.set_limit(0)
    assert pinned.empty(10 * MIB, numpy.uint8).flags.owndata


@pytest.mark.fake_driver(GPUNP_PINNED_LIMIT="3MiB")
def test_limit_from_the_environment(pinned):
    assert pinned.get_limit() == 3 * MIB


def test_downloads_are_pinned_at_the_second_use(pinned, fake):
    expected = numpy.arange(MIB)
    first = download(8 * MIB)
    numpy.testing.assert_array_equal(first, expected)
    assert pinned.used_bytes() == 8 * MIB
    assert fake.fake_calls(b"cuMemHostRegister") == 0
    staged = fake.fake_calls(b"cuMemcpyDtoHAsync")
    assert staged > 1
    del first
    for _ in range(3):
        numpy.testing.assert_array_equal(download(8 * MIB), expected)
    assert fake.fake_calls(b"cuMemHostRegister") == 1
    assert fake.fake_calls(b"cuMemcpyDtoHAsync") == staged + 3


def test_zero_sizes_and_scalars(pinned):
    assert pinned.empty((0, 5)).shape == (0, 5)
    assert pinned.empty(()).shape == ()
    with pytest.raises(ValueError, match="negative"):
        pinned.empty((-1, 5))
